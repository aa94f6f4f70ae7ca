#include "pypi/pep440.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>

namespace pybox::pypi {
namespace {

PythonVersion version(const std::string& text) {
  const auto parsed = parse_python_version(text);
  INFO(text);
  REQUIRE(parsed);
  return *parsed;
}

bool fits(const std::string& specifiers, const std::string& text) {
  const auto parsed = parse_specifiers(specifiers);
  INFO(specifiers);
  REQUIRE(parsed);
  return matches(*parsed, version(text), text);
}

std::string trouble(const std::string& specifiers) {
  const auto parsed = parse_specifiers(specifiers);
  return parsed ? "" : parsed.error().message();
}

}  // namespace

TEST_CASE("versions order as PEP 440 lists them") {
  // "Summary of permitted suffixes and relative ordering", with epochs and local versions.
  const std::vector<std::string> ascending = {"1.dev0",
                                              "1.0.dev456",
                                              "1.0a1",
                                              "1.0a2.dev456",
                                              "1.0a12.dev456",
                                              "1.0a12",
                                              "1.0b1.dev456",
                                              "1.0b2",
                                              "1.0b2.post345.dev456",
                                              "1.0b2.post345",
                                              "1.0rc1.dev456",
                                              "1.0rc1",
                                              "1.0",
                                              "1.0+abc.5",
                                              "1.0+abc.7",
                                              "1.0+5",
                                              "1.0.post456.dev34",
                                              "1.0.post456",
                                              "1.0.15",
                                              "1.1.dev1",
                                              "2013.10",
                                              "1!0.1"};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      INFO(ascending[i] << " and " << ascending[j]);
      CHECK((version(ascending[i]) <=> version(ascending[j])) == (i <=> j));
    }
  }
}

TEST_CASE("other spellings of a version are the same version") {
  for (const auto& [one, other] :
       std::vector<std::pair<std::string, std::string>>{{"1.1RC1", "1.1rc1"},
                                                        {"00", "0"},
                                                        {"v1.0", "1.0"},
                                                        {"1.1.a1", "1.1a1"},
                                                        {"1.1-a1", "1.1a1"},
                                                        {"1.1_a_1", "1.1a1"},
                                                        {"1.1alpha1", "1.1a1"},
                                                        {"1.1beta2", "1.1b2"},
                                                        {"1.1c3", "1.1rc3"},
                                                        {"1.1pre3", "1.1rc3"},
                                                        {"1.1-preview3", "1.1rc3"},
                                                        {"1.2a", "1.2a0"},
                                                        {"1.2-post2", "1.2.post2"},
                                                        {"1.2-r4", "1.2.post4"},
                                                        {"1.2rev4", "1.2.post4"},
                                                        {"1.0-1", "1.0.post1"},
                                                        {"1.2.post", "1.2.post0"},
                                                        {"1.2-dev2", "1.2.dev2"},
                                                        {"1.2.dev", "1.2.dev0"},
                                                        {"1.0+ubuntu-1", "1.0+ubuntu.1"},
                                                        {" 1.0\n", "1.0"},
                                                        {"1.0", "1"},
                                                        {"3.13", "3.13.0"}}) {
    INFO(one << " and " << other);
    CHECK(version(one) == version(other));
  }
}

TEST_CASE("an invalid version gives nothing") {
  for (const char* text :
       {"", " ", "x", "1.x", "1..0", ".1", "1.0+", "1.0+a..b", "1.0+a_", "1 .0", "1.0a1b1", "1!",
        "!1", "1.0.*", "1.0-", "v", "1,0", "\xD9\xA1.0", "1234567890123456789"}) {
    INFO(text);
    CHECK_FALSE(parse_python_version(text));
  }
}

TEST_CASE("specifiers hold as in the examples of PEP 440") {
  CHECK(fits("~=2.2", "2.3"));
  CHECK(fits("~=2.2", "2.2.post3"));
  CHECK_FALSE(fits("~=2.2", "3.0"));
  CHECK_FALSE(fits("~=2.2", "2.1"));
  CHECK(fits("~=1.4.5", "1.4.9"));
  CHECK_FALSE(fits("~=1.4.5", "1.5"));
  CHECK(fits("~=2.2.post3", "2.9"));
  CHECK_FALSE(fits("~=2.2.post3", "2.2"));
  CHECK(fits("~=1.4.5a4", "1.4.5"));
  CHECK_FALSE(fits("~=2.2.0", "2.3"));
  // Version matching, with 1.1.post1 and 1.1a1.
  CHECK_FALSE(fits("==1.1", "1.1.post1"));
  CHECK(fits("==1.1.post1", "1.1.post1"));
  CHECK(fits("==1.1.*", "1.1.post1"));
  CHECK_FALSE(fits("==1.1", "1.1a1"));
  CHECK(fits("==1.1a1", "1.1a1"));
  CHECK(fits("==1.1.*", "1.1a1"));
  CHECK(fits("==1.1", "1.1.0"));
  CHECK(fits("==1.1", "1.1+local"));
  CHECK_FALSE(fits("==1.1+other", "1.1+local"));
  CHECK_FALSE(fits("!=1.1.*", "1.1.post1"));
  CHECK(fits("!=1.1", "1.1.post1"));
  // Exclusive comparison: not the post-releases, pre-releases and local versions of the bound.
  CHECK(fits(">1.7", "1.7.1"));
  CHECK_FALSE(fits(">1.7", "1.7.0.post1"));
  CHECK(fits(">1.7.post2", "1.7.post3"));
  CHECK_FALSE(fits(">1.7.post2", "1.7.0"));
  CHECK_FALSE(fits(">1.7", "1.7+local"));
  CHECK_FALSE(fits("<3.1", "3.1rc1"));
  CHECK(fits("<3.1rc2", "3.1rc1"));
  CHECK(fits("<=1.7", "1.7+local"));
  CHECK(fits("===1.0-FOO", "1.0") == false);
  CHECK(fits("===3.13.5", "3.13.5"));
  CHECK(fits("~=0.9, >=1.0, !=1.3.4.*, <2.0", "1.1") == false);
  CHECK(fits("~= 0.9, >= 0.9.5, != 0.9.9.*, < 2.0", "0.10"));
}

TEST_CASE("requires-python says which Pythons may run a script") {
  for (const auto& [specifiers, fitting] :
       std::vector<std::pair<std::string, std::string>>{{">=3.11", "3.13.5 3.14.2 3.15.0"},
                                                        {">=3.14", "3.14.2 3.15.0"},
                                                        {"<3.14", "3.13.5"},
                                                        {"==3.14.*", "3.14.2"},
                                                        {"~=3.13", "3.13.5 3.14.2 3.15.0"},
                                                        {"~=3.13.0", "3.13.5"},
                                                        {">3.13", "3.13.5 3.14.2 3.15.0"},
                                                        {">3.13,<3.15", "3.13.5 3.14.2"},
                                                        {"!=3.14.*,>=3", "3.13.5 3.15.0"},
                                                        {"==3.13", ""},
                                                        {">=3.13.6", "3.14.2 3.15.0"},
                                                        {"", "3.13.5 3.14.2 3.15.0"},
                                                        {"<3", ""},
                                                        {">=3.15", "3.15.0"}}) {
    std::string found;
    for (const char* python : {"3.13.5", "3.14.2", "3.15.0"}) {
      if (fits(specifiers, python)) found += (found.empty() ? "" : " ") + std::string(python);
    }
    INFO(specifiers);
    CHECK(found == fitting);
  }
  CHECK(fits(">=3.15rc1", "3.15.0rc2"));
  CHECK_FALSE(fits(">=3.15", "3.15.0rc2"));
}

TEST_CASE("what is not a specifier is named") {
  CHECK(trouble("3.13") == "`3.13` is not a version specifier (PEP 440)");
  CHECK(trouble(">=3.11, <4.*") == "`<4.*` is not a version specifier (PEP 440)");
  for (const char* text :
       {"=3", "=>3", "~=3", ">=3.*", "~=3.1.*", "==3.1a1.*", "==3.1+x.*", ">=3.1+x", "> =3",
        ">=", "===", "=== a b", ">=3.1;x", "^3.1", ">=3 .1"}) {
    INFO(text);
    CHECK_FALSE(trouble(text).empty());
  }
}

}  // namespace pybox::pypi
