#pragma once
/// How long work tells whoever watches how far it is. Passed down by reference; layers below cli
/// only report, cli/progress draws.

#include <cstdint>
#include <optional>
#include <string_view>

namespace pybox {

class Progress {
 public:
  enum class Unit { Count, Bytes };

  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  virtual ~Progress() = default;

  /// A new stage begins and the one before it has ended: "downloading packages". An empty name: it
  /// has ended and none begins, so that a question can be asked.
  virtual void stage(std::string_view name) = 0;
  /// How far the current stage is. Without `total` only the amount is known. Cheap: call it often.
  virtual void advance(std::uint64_t done, std::optional<std::uint64_t> total, Unit unit) = 0;
  /// Time passes and nothing can be measured: only the elapsed time moves.
  virtual void tick() {}
  /// A whole line that stays: a fact the user should know ("the image changed: …").
  virtual void note(std::string_view line) = 0;
};

/// For callers who do not watch.
class NoProgress final : public Progress {
 public:
  void stage(std::string_view) override {}
  void advance(std::uint64_t, std::optional<std::uint64_t>, Unit) override {}
  void note(std::string_view) override {}
};

}  // namespace pybox
