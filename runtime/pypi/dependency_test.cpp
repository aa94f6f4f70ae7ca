#include "pypi/dependency.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::pypi {
namespace {

std::string read(const std::string& text) {
  const auto dependency = parse_dependency(text);
  if (!dependency) return dependency.error().message();
  return to_requirements({*dependency});
}

std::string read_file(const std::string& text) {
  const auto all = parse_requirements_in(text);
  if (all) return to_requirements(*all);
  CHECK(all.error().kind() == ErrorKind::Refused);
  return all.error().message();
}

}  // namespace

TEST_CASE("dependencies are read as PEP 508 writes them") {
  CHECK(read("rich") == "rich\n");
  CHECK(read(" Ruamel.Yaml ") == "ruamel-yaml\n");
  CHECK(read("requests<3") == "requests<3\n");
  CHECK(read("requests [security,tests] >= 2.8.1, == 2.8.* ; python_version < '2.7'") ==
        "requests[security,tests]>=2.8.1,==2.8.* ; python_version < '2.7'\n");
  CHECK(read("a (>=1)") == "a>=1\n");
  CHECK(read("a[]") == "a\n");
  CHECK(read("a;os_name=='posix' and (extra == \"b\")") ==
        "a ; os_name=='posix' and (extra == \"b\")\n");
  CHECK(read("a~=1.0\t!= 1.5") ==
        "`a~=1.0\\x09!= 1.5`: `~=1.0\\x09!= 1.5` is not a version specifier (PEP 440)");
}

TEST_CASE("what is not a dependency, or none that can be locked, is named") {
  CHECK(read("") == "an empty dependency");
  CHECK(read("-r x.txt") == "`-r x.txt` is an option; only dependencies are allowed here");
  CHECK(read("a @ https://example.org/a.whl") ==
        "`a @ https://example.org/a.whl` is a link; only packages of the index can be locked");
  CHECK(read("git+https://example.org/a") ==
        "`git+https://example.org/a` is a link; only packages of the index can be locked");
  CHECK(read("./a") == "`./a` is a local path; only packages of the index can be locked");
  CHECK(read("a/b") == "`a/b` is a local path; only packages of the index can be locked");
  CHECK(read("a==") == "`a==`: `==` is not a version specifier (PEP 440)");
  CHECK(read("a b") == "`a b`: `b` is not a version specifier (PEP 440)");
  CHECK(read("a_") == "`a_` does not begin with a package name");
  CHECK(read("$a") == "`$a` does not begin with a package name");
  CHECK(read("a[b") == "`a[b` lacks a `]`");
  CHECK(read("a[b,_]").find("`a[b,_]`: `_` is not a package name") == 0);
  CHECK(read(";x") == "`;x` does not begin with a package name");
  CHECK(read("a;") == "`a;` has an invalid marker");
  CHECK(read("a; x # y") == "`a; x # y` has an invalid marker");
  CHECK(read("a===1#x") == "`a===1#x`: `===1#x` is not a version specifier");
  CHECK(read("a\n--index-url x") ==
        "`a\\x0a--index-url x` has characters other than printable ASCII");
  CHECK(read("caf\xC3\xA9") == "`café` has characters other than printable ASCII");
}

TEST_CASE("a requirements.in is read line by line") {
  CHECK(
      read_file("# tools\ntabulate\r\n\n  rich>=13  # pretty\npyyaml ; sys_platform == 'linux'") ==
      "tabulate\nrich>=13\npyyaml ; sys_platform == 'linux'\n");
  CHECK(read_file("a\n-c other.txt\n") ==
        "line 2: `-c other.txt` is an option; only dependencies are allowed here");
  CHECK(read_file("a\n\nb==1 \\\n  --hash=sha256:0\n").find("line 3: ") == 0);
  CHECK(read_file("# none\n") == "it names no dependency");
  CHECK(read_file(std::string(kMaxRequirementsBytes + 1, '\n')) ==
        "requirements may have 262144 bytes; this has more");
  std::string many;
  for (int i = 0; i <= 256; ++i) many += "a\n";
  CHECK(read_file(many) == "line 257: more than 256 dependencies");
}

}  // namespace pybox::pypi
