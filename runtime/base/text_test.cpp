#include "base/text.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>

using namespace std::string_view_literals;

namespace pybox {

TEST_CASE("only well-formed UTF-8 counts as UTF-8") {
  CHECK(is_utf8("grüß 你好 🐍"));
  CHECK(is_utf8(""));
  CHECK_FALSE(is_utf8("\xff\xfe"));
  CHECK_FALSE(is_utf8("\xc0\x80"));          // overlong NUL
  CHECK_FALSE(is_utf8("\xed\xa0\x80"));      // a surrogate
  CHECK_FALSE(is_utf8("\xf4\x90\x80\x80"));  // above U+10FFFF
  CHECK_FALSE(is_utf8("\xe4\xbd"));          // unfinished
}

TEST_CASE("a cut never leaves half a character") {
  CHECK(cut_at_character("a\xc3") == "a");
  CHECK(cut_at_character("a\xe4\xbd") == "a");
  CHECK(cut_at_character("a\xf0\x9f\x90") == "a");
  CHECK(cut_at_character("aé") == "aé");
  CHECK(cut_at_character("") == "");
  // Bytes that never were UTF-8 are data, not an unfinished character.
  CHECK(cut_at_character("a\xff") == "a\xff");
  CHECK(cut_at_character("\x80\x80\x80\x80") == "\x80\x80\x80\x80");
}

TEST_CASE("untrusted text cannot drive a terminal") {
  CHECK(visible("\x1b[2Jx") == "\\x1b[2Jx");
  CHECK(visible("a\nb") == "a\\x0ab");
  CHECK(visible("a\nb\tc\r", Lines::Keep) == "a\nb\tc\\x0d");
  CHECK(visible("\xff\xfe") == "\\xff\\xfe");
  CHECK(visible("\xe2\x80\xaegpj") == "\\u{202e}gpj");
  CHECK(visible("\xc2\x9b") == "\\x9b");  // C1: a one-character CSI
  CHECK(visible("grüß") == "grüß");
  CHECK(visible("a\0b"sv) == "a\\x00b");
}

TEST_CASE("a plain word is neither a path nor a hidden file") {
  CHECK(is_plain_word("r-01.b_C"));
  CHECK(is_plain_word(std::string(64, 'a')));
  for (const char* wrong : {"", ".a", "a/b", "a b", "\xc3\xa9"}) CHECK_FALSE(is_plain_word(wrong));
  CHECK_FALSE(is_plain_word(std::string(65, 'a')));
}

TEST_CASE("sizes and times read as people write them") {
  CHECK(human_size(512_B) == "512 B");
  CHECK(human_size(128_MiB) == "128 MiB");
  CHECK(human_size(Bytes{17613}) == "17.2 KiB");
  CHECK(human_seconds(Millis(75)) == "0.075 s");
  CHECK(human_seconds(std::chrono::seconds(12)) == "12.0 s");
}

TEST_CASE("a misspelt word finds its neighbour, a strange one finds nothing") {
  constexpr std::array kWords = {"exec"sv, "setup"sv, "doctor"sv};
  CHECK(nearest("exce", kWords) == "exec");
  CHECK(nearest("docter", kWords) == "doctor");
  CHECK(nearest("frobnicate", kWords).empty());
  CHECK(nearest("", kWords).empty());
}

TEST_CASE("a text is taken apart from its front") {
  std::string_view rest = "a b\n\nlast";
  CHECK(take_line(rest) == "a b");
  CHECK(take_line(rest).empty());
  CHECK(take_line(rest) == "last");
  CHECK(rest.empty());
  CHECK(take_line(rest).empty());
  rest = "1,2";
  CHECK(take_until(rest, ',') == "1");
  CHECK(take_until(rest, ',') == "2");
  rest = " \tone  two\nthree ";
  CHECK(take_word(rest) == "one");
  CHECK(take_word(rest) == "two");
  CHECK(take_word(rest) == "three");
  CHECK(take_word(rest).empty());
  CHECK(rest.empty());
}

}  // namespace pybox
