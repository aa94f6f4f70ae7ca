#include "receipt/report.hpp"

#include <algorithm>

namespace pybox {
namespace {

/// Looks a name up among the values 0 … `last` of an enum that has name_of().
template <class Enum>
std::optional<Enum> from_name(std::string_view name, Enum last) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (name == name_of(static_cast<Enum>(i))) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string seal_words(const Seal& seal) {
  if (!seal.verified || !seal.before_start) return "not verified";
  const std::size_t all = seal.checks.size();
  const auto own = std::count_if(
      seal.checks.begin(), seal.checks.end(),
      [](const SealCheck& check) { return check.method.starts_with(kByConstruction); });
  std::string words =
      std::to_string(all) + (all == 1 ? " check" : " checks") + " held before start";
  if (own > 0) words += ", " + std::to_string(own) + " of them by construction";
  return words;
}

std::string_view name_of(Observation observation) {
  switch (observation) {
    case Observation::TargetExit: return "TARGET_EXIT_OBSERVED";
    case Observation::SupervisorKill: return "SUPERVISOR_KILL_OBSERVED";
    case Observation::BoxTimerKill: return "BOX_TIMER_KILL_OBSERVED";
    case Observation::OutOfMemoryKill: return "OUT_OF_MEMORY_KILL_OBSERVED";
    case Observation::CancelKill: return "CANCEL_KILL_OBSERVED";
    case Observation::BoxLost: return "BOX_LOST";
    case Observation::NotStarted: return "NOT_STARTED";
  }
  return "BOX_LOST";
}

std::string_view name_of(Files::Status status) {
  switch (status) {
    case Files::Status::None: return "none";
    case Files::Status::Received: return "received";
    case Files::Status::NotReceived: return "not_received";
    case Files::Status::Refused: return "refused";
  }
  return "not_received";
}

std::string_view name_of(Cleanup::Status status) {
  switch (status) {
    case Cleanup::Status::Removed: return "REMOVED";
    case Cleanup::Status::NotAttempted: return "NOT_ATTEMPTED";
    case Cleanup::Status::Unconfirmed: return "UNCONFIRMED";
  }
  return "UNCONFIRMED";
}

std::optional<Observation> observation_from(std::string_view name) {
  return from_name(name, Observation::NotStarted);
}

std::optional<Files::Status> files_status_from(std::string_view name) {
  return from_name(name, Files::Status::Refused);
}

std::optional<Cleanup::Status> cleanup_status_from(std::string_view name) {
  return from_name(name, Cleanup::Status::Unconfirmed);
}

}  // namespace pybox
