#include "mcp/lines.hpp"

#include <catch2/catch_test_macros.hpp>
#include <vector>

namespace pybox::mcp {

namespace {

std::vector<std::string> read_all(LineReader& reader, std::string_view bytes, std::size_t step) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    reader.feed(bytes.substr(at, step));
    while (const auto line = reader.next()) lines.push_back(line->too_long ? "!" : line->text);
  }
  if (const auto line = reader.last()) lines.push_back(line->too_long ? "!" : line->text);
  return lines;
}

}  // namespace

TEST_CASE("lines come out the same however the bytes come in") {
  const std::string bytes = "\xEF\xBB\xBF{\"a\":1}\r\n\n  \t\r\n{\"\xC3\xA9\":2}\n" +
                            std::string(30, 'x') + "\n{\"b\":3}\nlast";
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    LineReader reader(20);
    CHECK(read_all(reader, bytes, step) ==
          std::vector<std::string>{"{\"a\":1}", "{\"\xC3\xA9\":2}", "!", "{\"b\":3}", "last"});
  }
}

TEST_CASE("a line of the limit is read, one more byte is not") {
  LineReader reader(20);
  CHECK(read_all(reader, std::string(20, 'x') + "\r\n" + std::string(21, 'x') + "\n", 64) ==
        std::vector<std::string>{std::string(20, 'x'), "!"});
}

TEST_CASE("a line that never ends is reported once and keeps no memory") {
  LineReader reader(1000);
  int reported = 0;
  for (int i = 0; i < 10000; ++i) {
    reader.feed(std::string(500, 'x'));
    while (reader.next()) ++reported;
  }
  CHECK(reported == 1);
  CHECK_FALSE(reader.last());
}

}  // namespace pybox::mcp
