#pragma once
/// Shows a recording in the terminal as it happened: a marker for each arm, what the program
/// printed, how it ended, with the pauses between. Every text from the recording is made safe to
/// print.

#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/model/event.hpp"
#include "campaign/model/evidence.hpp"
#include "replay/clean/clean.hpp"

namespace pybox::replay {

/// One thing to show, and when.
struct Scene {
  Nanos at{};  ///< since the start
  std::string text;
};

/// Pure. `judged` gives each attempt its signature.
std::vector<Scene> scenes(const std::vector<campaign::Event>& events, const Evidence& evidence,
                          const campaign::Evidence& judged);

/// Longer pauses are cut to this, as a box that sleeps shows nothing.
constexpr Nanos kLongestPause = std::chrono::seconds(5);

/// Shows one after the other, `speed` times as fast as it was; 0: without pauses. `wait` waits.
Result<void> play(const std::vector<Scene>& scenes, double speed,
                  const std::function<Result<void>(const std::string&)>& show,
                  const std::function<Result<void>(Nanos)>& wait);

}  // namespace pybox::replay
