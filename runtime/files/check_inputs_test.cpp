#include "files/check_inputs.hpp"

#include <catch2/catch_test_macros.hpp>
#include <vector>

namespace pybox::files {
namespace {

std::string refusal(const std::vector<InputFile>& inputs) {
  const auto checked = check_inputs(inputs);
  if (checked) return "";
  CHECK(checked.error().kind() == ErrorKind::Refused);
  return checked.error().message();
}

}  // namespace

TEST_CASE("a list of inputs with plain and different names is taken") {
  CHECK(refusal({}).empty());
  CHECK(refusal({{"a.csv", "1,2"},
                 {"d", "", InputFile::Kind::Folder},
                 {"d/a.csv", std::string(4 << 20U, 'x')}})
            .empty());
}

TEST_CASE("inputs that cannot be handed in are refused by name and reason") {
  CHECK(refusal({{"a", ""}, {"a", ""}}) ==
        "the input `a` cannot be handed in: another input has the same name");
  CHECK(refusal({{"A", ""}, {"a", ""}}) ==
        "the input `a` cannot be handed in: its name differs from that of `A` only in case or "
        "normalisation");
  CHECK(refusal({{"../a", ""}}) ==
        "the input `../a` cannot be handed in: its name is not a file name");
  CHECK(refusal({{"a\n", ""}}) ==
        "the input `a\\x0a` cannot be handed in: its name holds control or invisible characters");
  CHECK(refusal({{"a", std::string((8U << 20U) + 1, 'x')}}) ==
        "the inputs have 8.0 MiB in all; at most 8 MiB are handed in");
  std::vector<InputFile> wordy;
  for (int i = 1000; i < 2100; ++i)
    wordy.push_back({std::to_string(i) + std::string(246, 'n'), ""});
  CHECK(refusal(wordy) ==
        "the names of the inputs have 268.6 KiB in all; at most 256 KiB are handed in");
  std::vector<InputFile> many;
  for (int i = 0; i < 2049; ++i) many.push_back({std::to_string(i), ""});
  CHECK(refusal(many) == "there are 2049 input files and folders; at most 2048 are handed in");
}

TEST_CASE("a name by itself is one component") {
  CHECK(check_input_name("sales.csv"));
  for (const char* name : {"", ".", "..", "a/b", "a\tb", "\xff"}) CHECK(!check_input_name(name));
}

}  // namespace pybox::files
