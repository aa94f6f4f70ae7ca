#include "files/check_inputs.hpp"

#include "base/text.hpp"
#include "files/name.hpp"
#include "files/name_tree.hpp"

namespace pybox::files {
namespace {

Error refused(std::string_view name, std::string_view why) {
  return {ErrorKind::Refused,
          "the input `" + shown(name) + "` cannot be handed in: " + std::string(why)};
}

}  // namespace

Result<void> check_input_name(std::string_view name) {
  const std::string_view fault = fault_of_component(name);
  if (!fault.empty()) return refused(name, fault).hint("give it another name");
  return {};
}

Result<void> check_inputs(std::span<const InputFile> inputs) {
  if (inputs.size() > ceiling::kInputEntries) {
    return Error(ErrorKind::Refused, "there are " + std::to_string(inputs.size()) +
                                         " input files and folders; at most " +
                                         std::to_string(ceiling::kInputEntries) + " are handed in")
        .hint("pack them into one archive, which the program can read with zipfile or tarfile");
  }
  NameTree names;
  std::uint64_t total = 0;
  std::uint64_t letters = 0;
  for (const InputFile& input : inputs) {
    const std::string_view fault = fault_of_path(input.name);
    if (!fault.empty()) return refused(input.name, fault).hint("give it another name");
    if (const auto other = names.add(input.name, input.kind)) {
      const bool same = *other == input.name;
      return refused(input.name, same ? "another input has the same name"
                                      : "its name differs from that of `" + shown(*other) +
                                            "` only in case or normalisation")
          .hint("give one of them another name");
    }
    total += input.bytes.size();
    letters += input.name.size();
  }
  if (letters > ceiling::kInputNames.count) {
    return Error(ErrorKind::Refused, "the names of the inputs have " + human_size(Bytes{letters}) +
                                         " in all; at most " + human_size(ceiling::kInputNames) +
                                         " are handed in")
        .hint("pack them into one archive, which the program can read with zipfile or tarfile");
  }
  if (total > ceiling::kInputBytes.count) {
    return Error(ErrorKind::Refused, "the inputs have " + human_size(Bytes{total}) +
                                         " in all; at most " + human_size(ceiling::kInputBytes) +
                                         " are handed in");
  }
  return {};
}

}  // namespace pybox::files
