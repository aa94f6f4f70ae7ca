#include "files/arrival.hpp"

#include <catch2/catch_test_macros.hpp>
#include <string>

#include "base/digest.hpp"
#include "request/limits.hpp"

namespace pybox::files {
namespace {

struct Sent {
  Files files;
  std::string body;

  void add(const std::string& name, const std::string& content) {
    files.status = Files::Status::Received;
    files.returned.push_back({name, content.size(), sha256_hex(content), ""});
    body += content;
  }
  std::string take() {
    const auto taken = take_contents(files, body);
    if (taken) return "";
    CHECK(taken.error().kind() == ErrorKind::Protocol);
    return taken.error().message().substr(
        std::string("the engine's returned files do not hold: ").size());
  }
};

}  // namespace

TEST_CASE("contents are put to their names") {
  Sent sent;
  sent.add("a", "first");
  sent.add("b/c", "");
  sent.add("b/d", "second");
  CHECK(sent.take().empty());
  CHECK(sent.files.status == Files::Status::Received);
  CHECK(sent.files.returned[0].content == "first");
  CHECK(sent.files.returned[1].content.empty());
  CHECK(sent.files.returned[2].content == "second");
}

TEST_CASE("an engine that sends other files than it announced is not believed") {
  const auto spoilt = [](auto spoil) {
    Sent sent;
    sent.add("a", "first");
    sent.add("b", "second");
    spoil(sent);
    return sent.take();
  };
  CHECK(spoilt([](Sent& s) { s.body += "x"; }) == "their size");
  CHECK(spoilt([](Sent& s) { s.body.pop_back(); }) == "their size");
  CHECK(spoilt([](Sent& s) { s.body[0] = 'F'; }) == "a digest is not its content's");
  CHECK(spoilt([](Sent& s) { s.files.returned[1].name = "../b"; }) == "a name is not a plain path");
  CHECK(spoilt([](Sent& s) { s.files.returned[1].name = "/b"; }) == "a name is not a plain path");
  CHECK(spoilt([](Sent& s) { s.files.returned[1].name = "a"; }) == "names are out of order");
  CHECK(spoilt([](Sent& s) { s.files.returned[1].bytes = ~0ULL; }) == "a file is too large");
  CHECK(spoilt([](Sent& s) { s.files.status = Files::Status::None; }) == "none should have come");
  CHECK(spoilt([](Sent& s) {
          s.files.omitted.push_back({std::string(257, 'n'), 1, "large"});
        }) == "a name left behind is too long");
  CHECK(spoilt([](Sent& s) { s.files.omitted.resize(65); }) == "too many left behind");
}

TEST_CASE("more files or bytes than may come back are not believed") {
  Sent many;
  for (int i = 100; i < 165; ++i) many.add(std::to_string(i), "");
  CHECK(many.take() == "too many");
  Sent large;
  large.add("a", std::string(ceiling::kReturnedBytes.count, 'x'));
  large.add("b", "y");
  CHECK(large.take() == "their size");
  Sent wordy;
  for (int i = 10; i < 50; ++i) {
    wordy.add(std::to_string(i) + std::string(253, 'n') + "/" + std::string(200, 'm'), "");
  }
  CHECK(wordy.take() == "their names are too long");
}

TEST_CASE("names that meet refuse the whole transfer, and every file is listed") {
  Sent sent;
  sent.add("A.txt", "1");
  sent.add("a.txt", "22");
  sent.add("b", "333");
  sent.files.omitted.push_back({"link", std::nullopt, "a link"});
  sent.files.omitted_total = 1;
  CHECK(sent.take().empty());
  CHECK(sent.files.status == Files::Status::Refused);
  CHECK(sent.files.returned.empty());
  REQUIRE(sent.files.omitted.size() == 4);
  CHECK(sent.files.omitted_total == 4);
  CHECK(sent.files.omitted[0].name == "a.txt");
  CHECK(sent.files.omitted[0].reason ==
        "its name differs from `A.txt` only in case or normalisation");
  CHECK(sent.files.omitted[1].reason == "the whole transfer was refused");
}

TEST_CASE("long names of a refused transfer are cut in the list") {
  Sent sent;
  const std::string folder(250, 'd');
  sent.add(folder + "/A", "1");
  sent.add(folder + "/a", "2");
  CHECK(sent.take().empty());
  REQUIRE(sent.files.omitted.size() == 2);
  CHECK(sent.files.omitted[0].name == std::string(200, 'd') + "…");
}

TEST_CASE("folders that meet refuse too") {
  Sent sent;
  sent.add("Out/a", "1");
  sent.add("out/b", "2");
  CHECK(sent.take().empty());
  CHECK(sent.files.status == Files::Status::Refused);
}

TEST_CASE("the list of omitted files is cut, their number is not") {
  Files files;
  files.omitted.resize(20);
  files.omitted_total = 30;
  limit_omitted(files, 16);
  CHECK(files.omitted.size() == 16);
  CHECK(files.omitted_total == 30);
}

}  // namespace pybox::files
