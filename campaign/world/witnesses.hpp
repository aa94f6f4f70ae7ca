#pragma once
/// Reads what campaign-plant says. In the VM its words come over the console, among whatever else
/// the guest printed, so every line is judged as if an attacker had written it.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pybox::campaign {

class Witnesses {
 public:
  /// Lines count only behind `prefix` ("pybox-world CANARY " on a console, empty on a socket).
  explicit Witnesses(std::string prefix) : prefix_(std::move(prefix)) {}

  /// Takes bytes as they come; a line is whole at its newline. Lines longer than 8 KiB are dropped.
  void feed(std::string_view bytes);
  /// The object ASK["world"]; nullopt until it was told. The first one stands.
  const std::optional<std::string>& planted() const { return planted_; }
  /// Why nothing was planted; empty when nothing was said.
  const std::string& failure() const { return failure_; }
  bool process_gone() const { return process_gone_; }
  /// A resumed VM has it again.
  void forget_the_process() { process_gone_ = false; }
  /// "tcp 1", "process gone": since the last call, sorted.
  std::vector<std::string> take();

 private:
  void take_line(std::string_view line);
  void take_notice(std::string_view rest);

  std::string prefix_, partial_, failure_;
  bool too_long_ = false;
  bool process_gone_ = false;
  std::optional<std::string> planted_;
  std::map<std::string, std::uint64_t, std::less<>> counts_;
};

}  // namespace pybox::campaign
