#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "campaign/oracle/probe.hpp"
#include "campaign/oracle/recorded_runs.hpp"

namespace pybox::campaign {
namespace {

using nlohmann::json;

constexpr const char* kAsRecorded = "as-recorded";
constexpr std::size_t kMostPasses = 100;

/// What must hold of one run; remembers the first thing that does not. A key that is missing or of
/// another type does not hold either.
class Row {
 public:
  explicit Row(const json& run) : run_(&run) {}

  Row& equals(const char* pointer, const json& expected) {
    const json* const found = at(pointer);
    if (!found || *found != expected)
      note(fmt::format("{} is {}, not {}", pointer + 1, shown(found), expected.dump()));
    return *this;
  }
  Row& within(const char* pointer, double low, double high) {
    const json* const found = at(pointer);
    if (!found || !found->is_number() || found->get<double>() < low || found->get<double>() > high)
      note(fmt::format("{} is {}, not {} to {}", pointer + 1, shown(found), low, high));
    return *this;
  }
  Row& holds_text(const char* pointer, const std::string& part) {
    const json* const found = at(pointer);
    if (!found || !found->is_string() || found->get<std::string>().find(part) == std::string::npos)
      note(fmt::format("{} does not hold `{}`", pointer + 1, part));
    return *this;
  }
  const std::string& difference() const { return difference_; }
  double number(const char* pointer) const {
    const json* const found = at(pointer);
    return found && found->is_number() ? found->get<double>() : 0;
  }

 private:
  const json* at(const char* pointer) const {
    const json::json_pointer place{pointer};
    return run_->contains(place) ? &(*run_)[place] : nullptr;
  }
  static std::string shown(const json* value) {
    if (!value) return "missing";
    return visible(value->dump(-1, ' ', true, json::error_handler_t::replace).substr(0, 80));
  }
  void note(std::string what) {
    if (difference_.empty()) difference_ = std::move(what);
  }

  const json* run_;
  std::string difference_;
};

/// What every row says of a run whose box was made: sealed before the start, its output untrusted,
/// the box gone.
void sealed_and_removed(Row& row) {
  row.equals("/verified", true).equals("/before_start", true).equals("/trust", "untrusted");
  row.equals("/cleanup", "REMOVED").equals("/outcome/out_of_memory", false);
}

/// Judges each pass; `judge` fills the row.
Reading read_runs(const Check& check, const Record& record, void (*judge)(Row&)) {
  const Reading said = read_probe(check, record);
  if (said.signature != "ran") return said;
  const auto line = parse_json(said.line);
  if (!line) return {kMalformed, line.error().message(), said.line};
  const json* const detail = line->contains("detail") ? &(*line)["detail"] : nullptr;
  if (!detail || !detail->is_object() || !detail->contains("runs") || !(*detail)["runs"].is_array())
    return {kMalformed, "the line has no list of runs", said.line};
  const json& runs = (*detail)["runs"];
  if (runs.empty() || runs.size() > kMostPasses)
    return {kMalformed, fmt::format("{} passes", runs.size()), said.line};
  std::size_t pass = 0;
  for (const json& run : runs) {
    Row row(run);
    judge(row);
    ++pass;
    if (!row.difference().empty())
      return {kReached, fmt::format("pass {}: {}", pass, row.difference()), said.line};
  }
  return {kAsRecorded, fmt::format("{} passes of {}", pass, runs.size()), said.line};
}

}  // namespace

Reading read_recorded_hello(const Check& check, const Record& record) {
  return read_runs(check, record, [](Row& row) {
    row.equals("/outcome/observation", "TARGET_EXIT_OBSERVED").equals("/outcome/exit_code", 0);
    row.equals("/exit", 0).equals("/outcome/signal", nullptr);
    row.equals("/stdout/text", "hello inspection\n").equals("/outcome/deadline_fired", false);
    sealed_and_removed(row);
  });
}

Reading read_recorded_traceback(const Check& check, const Record& record) {
  return read_runs(check, record, [](Row& row) {
    row.equals("/outcome/observation", "TARGET_EXIT_OBSERVED").equals("/outcome/exit_code", 1);
    row.equals("/exit", 1).equals("/outcome/signal", nullptr);
    row.holds_text("/stderr/text", "Traceback (most recent call last):");
    row.holds_text("/stderr/text", "ValueError: a defect of the program");
    sealed_and_removed(row);
  });
}

Reading read_recorded_deadline(const Check& check, const Record& record) {
  return read_runs(check, record, [](Row& row) {
    row.equals("/outcome/observation", "SUPERVISOR_KILL_OBSERVED").equals("/exit", 124);
    row.equals("/outcome/exit_code", 137).equals("/outcome/signal", 9);
    row.equals("/outcome/deadline_fired", true).equals("/outcome/box_timer_fired", false);
    // The box timer would come a second after the limit.
    const double limit = row.number("/timeout_s");
    row.within("/outcome/wall_s", limit, limit + 1);
    sealed_and_removed(row);
  });
}

Reading read_recorded_message(const Check& check, const Record& record) {
  return read_runs(check, record,
                   [](Row& row) { row.equals("/forged_messages", 0).equals("/in_output", true); });
}

Reading read_recorded_force_killed(const Check& check, const Record& record) {
  return read_runs(check, record, [](Row& row) {
    row.equals("/outcome/observation", "BOX_TIMER_KILL_OBSERVED").equals("/exit", -9);
    row.equals("/outcome/exit_code", 137).equals("/outcome/signal", 9);
    row.equals("/outcome/box_timer_fired", true).equals("/outcome/deadline_fired", false);
    row.equals("/outcome/stop_requests", 0);
    const double limit = row.number("/timeout_s");
    // Late by up to two seconds where the guest is emulated and the host busy.
    row.within("/outcome/wall_s", limit + 1, limit + 3);
    sealed_and_removed(row);
  });
}

}  // namespace pybox::campaign
