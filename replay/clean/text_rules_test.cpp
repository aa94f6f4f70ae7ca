#include "replay/clean/text_rules.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::replay {
namespace {

std::string cleaned(std::string_view text,
                    const std::vector<std::string>& names = {"buildhost", "alice"},
                    const KnownWords& words = {}) {
  Counts counts;
  const Allowed allowed{words, names};
  const std::string once = clean_text(text, allowed, counts);
  Counts again;
  CHECK(clean_text(once, Allowed{words, {}}, again) == once);
  CHECK(again.empty());
  return once;
}

}  // namespace

TEST_CASE("paths go, but for those that every box has") {
  CHECK(cleaned("File \"/tmp/main.py\", line 1") == "File \"/tmp/main.py\", line 1");
  CHECK(cleaned("/proc/self/fd/9 /dev/null /usr/lib/python3.13/os.py") ==
        "/proc/self/fd/9 /dev/null /usr/lib/python3.13/os.py");
  CHECK(cleaned("open /srv/alice/key.pem.") == "open [path].");
  CHECK(cleaned("~/key and ~bob/x") == "[path] and [path]");
  CHECK(cleaned("/proc/../home/x") == "[path]");
  CHECK(cleaned("/tmp/inputs /tmp/input/a") == "[path] /tmp/input/a");
  CHECK(cleaned("a JSON text with \\n/srv/x in it") == "a JSON text with \\n[path] in it");
  CHECK(cleaned("and/or 1/2 a/b") == "and/or 1/2 a/b");
}

TEST_CASE("names of the machine and its user go wherever they are a word") {
  CHECK(cleaned("on buildhost as alice") == "on [name] as [name]");
  CHECK(cleaned("home/alice/x buildhost.") == "[name] [name].");
  CHECK(cleaned("malice") == "malice");
}

TEST_CASE("addresses go, but for loopback and link-local ones") {
  CHECK(cleaned("127.0.0.1:80 169.254.169.254 0.0.0.0") == "127.0.0.1:80 169.254.169.254 0.0.0.0");
  CHECK(cleaned("10.1.2.3:443, 192.168.0.7.") == "[address]:443, [address].");
  CHECK(cleaned("mail a.b@example.org now") == "mail [address] now");
  CHECK(cleaned("3.13.5 6.12.63") == "3.13.5 6.12.63");
}

TEST_CASE("settings that sound secret lose their value, in any notation") {
  CHECK(cleaned("API_TOKEN=abc x") == "API_TOKEN=[secret] x");
  CHECK(cleaned("db_password: hunter2") == "db_password: [secret]");
  CHECK(cleaned("{'GH_TOKEN': 'x1'}") == "{'GH_TOKEN': '[secret]'}");
  CHECK(cleaned("PATH=x") == "PATH=x");
}

TEST_CASE("long tokens go, but for those the evidence made") {
  const std::string nonce = "0123456789abcdef0123456789abcdef";
  CHECK(cleaned("key " + nonce) == "key [token]");
  CHECK(cleaned("key " + nonce, {}, {nonce}) == "key " + nonce);
  CHECK(cleaned("SUPERVISOR_KILL_OBSERVED and TARGET_EXIT_OBSERVED") ==
        "SUPERVISOR_KILL_OBSERVED and TARGET_EXIT_OBSERVED");
}

TEST_CASE("what a terminal would obey is escaped") {
  CHECK(cleaned("a\x1b[2Jb\xff") == "a\\x1b[2Jb\\xff");
}

}  // namespace pybox::replay
