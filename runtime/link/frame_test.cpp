#include "link/frame.hpp"

#include <catch2/catch_test_macros.hpp>

namespace pybox::link {
namespace {

Frame sample() { return Frame{FrameType::Run, 0x0102030405060708U, R"({"a":1})", "print(1)\n"}; }

void check_same(const std::optional<Frame>& got, const Frame& wanted) {
  REQUIRE(got);
  CHECK(got->type == wanted.type);
  CHECK(got->run == wanted.run);
  CHECK(got->head == wanted.head);
  CHECK(got->body == wanted.body);
}

}  // namespace

TEST_CASE("the wire format is the one the header describes, byte for byte") {
  const std::string wire = encode(Frame{FrameType::Stdin, 5, "h", "bb"});
  CHECK(wire.size() == 35);
  CHECK(wire.substr(0, 8) == std::string("PBX1\x03\0\0\0", 8));
  CHECK(wire.substr(8, 8) == std::string("\x05\0\0\0\0\0\0\0", 8));
  CHECK(wire.substr(16, 12) == std::string("\x01\0\0\0\x02\0\0\0\0\0\0\0", 12));
  CHECK(wire.substr(32) == "hbb");
}

TEST_CASE("a frame survives being fed byte by byte, and two frames being fed at once") {
  FrameReader reader;
  for (const char c : encode(sample())) {
    CHECK_FALSE(reader.next());
    reader.feed({&c, 1});
  }
  check_same(reader.next(), sample());
  reader.feed(encode(sample()) + encode(Frame{FrameType::Stop, 9, "", ""}));
  check_same(reader.next(), sample());
  check_same(reader.next(), Frame{FrameType::Stop, 9, "", ""});
  CHECK_FALSE(reader.next());
  CHECK(reader.skipped() == 0);
}

TEST_CASE("garbage before, between and inside frames is skipped and counted") {
  FrameReader reader;
  reader.feed("noise PBX" + encode(sample()) + "PBX1PBX1" + encode(sample()));
  check_same(reader.next(), sample());
  check_same(reader.next(), sample());
  CHECK(reader.skipped() == 9 + 8);
}

TEST_CASE("a truncated header does not swallow the frame after it") {
  const std::string whole = encode(sample());
  for (std::size_t cut = 1; cut < 32; ++cut) {
    FrameReader reader;
    reader.feed(whole.substr(0, cut) + whole);
    check_same(reader.next(), sample());
    CHECK(reader.skipped() == cut);
  }
}

TEST_CASE("one flipped bit anywhere in the header makes it garbage") {
  const std::string whole = encode(sample());
  for (std::size_t bit = 0; bit < 32 * 8; ++bit) {
    std::string bad = whole;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    FrameReader reader;
    reader.feed(bad + whole);
    check_same(reader.next(), sample());
  }
}

TEST_CASE("announced sizes beyond the limits are garbage even with a right check") {
  // Encoding is the only way to a right check; sizes are what the strings say, so make one too
  // large.
  FrameReader reader;
  reader.feed(encode(Frame{FrameType::Run, 1, std::string(kMaxHead.count + 1, 'x'), ""}));
  CHECK_FALSE(reader.next());
  CHECK(reader.skipped() > 0);
  reader.feed(encode(sample()));
  check_same(reader.next(), sample());
}

TEST_CASE("a frame of an unknown type is skipped whole, with the frames hidden in its body") {
  FrameReader reader;
  const std::string hidden = encode(Frame{FrameType::Report, 1, "{}", ""});
  reader.feed(encode(Frame{static_cast<FrameType>(200), 1, "", hidden}) + encode(sample()));
  check_same(reader.next(), sample());
  CHECK_FALSE(reader.next());
}

TEST_CASE("a frame hidden in a body is not taken for one") {
  FrameReader reader;
  const Frame carrier{FrameType::Output, 3, "{}", encode(sample())};
  reader.feed(encode(carrier));
  check_same(reader.next(), carrier);
  CHECK_FALSE(reader.next());
}

}  // namespace pybox::link
