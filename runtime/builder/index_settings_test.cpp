#include "builder/index_settings.hpp"

#include <catch2/catch_test_macros.hpp>

#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox::builder {
namespace {

namespace fs = std::filesystem;

struct Root {
  fs::path path = fs::temp_directory_path() / ("pybox-index-" + random_hex(6));
  Root() { REQUIRE(sys::ensure_private_dir(path / "etc/ssl/certs")); }
  ~Root() { (void)sys::remove_tree(path); }
  void write(const char* name, std::string_view text) const {
    REQUIRE(sys::ensure_private_dir((path / name).parent_path()));
    REQUIRE(sys::replace_file(path / name, text));
  }
};

}  // namespace

TEST_CASE("the texts of pip's configuration are handed on in pip's order, with its variables") {
  const Root root;
  root.write("etc/pip.conf", "[global]\nindex-url = https://a.example\n");
  root.write("home/.config/pip/pip.conf", "[global]\nindex-url = https://b.example\n");
  root.write("own.conf", "[global]\nretries = 4\n");
  root.write("etc/ssl/certs/ca-certificates.crt", "host bundle");
  const auto settings =
      index_settings_of_host({{"HOME", (root.path / "home").string()},
                              {"PIP_CONFIG_FILE", (root.path / "own.conf").string()},
                              {"PIP_INDEX_URL", "https://c.example"},
                              {"https_proxy", "http://proxy.example:3128"},
                              {"API_KEY", "secret"}},
                             root.path);
  REQUIRE(settings);
  REQUIRE(settings->files.size() == 3);
  CHECK(settings->files[0].ends_with("a.example\n"));
  CHECK(settings->files[1].ends_with("b.example\n"));
  CHECK(settings->files[2].ends_with("4\n"));
  CHECK(settings->variables.at("PIP_INDEX_URL") == "https://c.example");
  CHECK(settings->variables.at("https_proxy") == "http://proxy.example:3128");
  CHECK(!settings->variables.contains("API_KEY"));
  CHECK(settings->certificates == "host bundle");
}

TEST_CASE("certificates come from where pip is told, and a missing file is named") {
  const Root root;
  root.write("etc/ssl/certs/ca-certificates.crt", "host bundle");
  root.write("own.pem", "own bundle");
  const std::string own = (root.path / "own.pem").string();
  const auto certificates = [&](const std::map<std::string, std::string>& variables) {
    const auto settings = index_settings_of_host(variables, root.path);
    return settings ? settings->certificates : settings.error().message();
  };
  CHECK(certificates({{"PIP_CERT", own}, {"SSL_CERT_FILE", "/no/such.pem"}}) == "own bundle");
  CHECK(certificates({{"PIP_CERT", "/no/such.pem"}}).find("/no/such.pem") != std::string::npos);
  root.write("etc/pip.conf", "[global]\ntrusted-host = x\n cert=" + own + " \r\n");
  CHECK(certificates({{"SSL_CERT_FILE", "/no/such.pem"}}) == "own bundle");
}

}  // namespace pybox::builder
