#include "builder/index_settings.hpp"

#include <catch2/catch_test_macros.hpp>

#include "base/digest.hpp"
#include "sys/file.hpp"

namespace pybox::builder {
namespace {

namespace fs = std::filesystem;

Lookup variables(std::map<std::string, std::string> values) {
  return [values](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  };
}

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

TEST_CASE("a pip configuration file is read as pip reads it, and only for what a builder needs") {
  const auto values = index_values_in(
      "[global]\nindex-url = https://index.example/simple\n; note\nfind-links = /opt\n"
      "extra-index-url =\n    https://one.example\n    https://two.example\n[other]\n"
      "timeout = 3\n[install]\nTrusted_Host: index.example\n");
  CHECK(values.size() == 3);
  CHECK(values.at("index-url") == "https://index.example/simple");
  CHECK(values.at("extra-index-url") == "https://one.example https://two.example");
  CHECK(values.at("trusted-host") == "index.example");
}

TEST_CASE("variables win over files, and what names a place on the host stays there") {
  const Root root;
  root.write("etc/pip.conf", "[global]\nindex-url = https://a.example\nretries = 4\n");
  root.write("home/.config/pip/pip.conf", "[global]\nindex-url = https://b.example\n");
  root.write("etc/ssl/certs/ca-certificates.crt", "host bundle");
  const auto settings = index_settings_of_host(
      variables({{"HOME", (root.path / "home").string()},
                 {"PIP_INDEX_URL", "https://c.example"},
                 {"PIP_EXTRA_INDEX_URL", "file:///srv/wheels /srv https://d.example"},
                 {"PIP_FIND_LINKS", "/opt/wheels"},
                 {"https_proxy", "http://proxy.example:3128"}}),
      root.path);
  REQUIRE(settings);
  CHECK(settings->values.at("index-url") == "https://c.example");
  CHECK(settings->values.at("extra-index-url") == "https://d.example");
  CHECK(settings->values.at("retries") == "4");
  CHECK(!settings->values.contains("find-links"));
  CHECK(settings->certificates == "host bundle");
  CHECK(settings->proxies.at("https_proxy") == "http://proxy.example:3128");
  const auto environment = builder_environment(*settings, "/c.pem");
  CHECK(environment.at("PIP_INDEX_URL") == "https://c.example");
  CHECK(environment.at("UV_DEFAULT_INDEX") == "https://c.example");
  CHECK(environment.at("PIP_CERT") == "/c.pem");
}

TEST_CASE("certificates come from where pip is told, and a missing file is named") {
  const Root root;
  root.write("etc/ssl/certs/ca-certificates.crt", "host bundle");
  root.write("own.pem", "own bundle");
  const auto own = index_settings_of_host(
      variables({{"PIP_CERT", (root.path / "own.pem").string()}}), root.path);
  REQUIRE(own);
  CHECK(own->certificates == "own bundle");
  CHECK(!own->values.contains("cert"));
  const auto absent = index_settings_of_host(variables({{"PIP_CERT", "/no/such.pem"}}), root.path);
  REQUIRE(!absent);
  CHECK(absent.error().message().find("/no/such.pem") != std::string::npos);
}

TEST_CASE("the host's loopback has another name in a VM") {
  IndexSettings settings;
  settings.values["index-url"] = "http://user:word@localhost:8080/simple";
  settings.values["extra-index-url"] = "http://127.0.0.1/simple https://localhost.example/x";
  settings.proxies["http_proxy"] = "http://127.0.0.1:3128";
  settings.proxies["no_proxy"] = "localhost";
  const IndexSettings seen = as_seen_from_vm(settings);
  CHECK(seen.values.at("index-url") == "http://user:word@10.0.2.2:8080/simple");
  CHECK(seen.values.at("extra-index-url") == "http://10.0.2.2/simple https://localhost.example/x");
  CHECK(seen.proxies.at("http_proxy") == "http://10.0.2.2:3128");
  CHECK(seen.proxies.at("no_proxy") == "localhost");
  CHECK(seen.values.at("trusted-host") == "10.0.2.2");
  CHECK(!as_seen_from_vm({}).values.contains("trusted-host"));
}

}  // namespace pybox::builder
