#pragma once
/// What one run showed from outside the box: the noun boxd hands back. Everything here was observed
/// by boxd or read from the kernel, except `capture` and `files`, which are the program's own
/// words. Field names and meanings are those of the receipt (docs/receipt.md); the receipt adds the
/// request, the host, hints and the signature.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"

namespace pybox {

/// How a run ended. An outcome, never an Error.
enum class Observation {
  TargetExit,       ///< TARGET_EXIT_OBSERVED
  SupervisorKill,   ///< SUPERVISOR_KILL_OBSERVED: PyBox's deadline
  BoxTimerKill,     ///< BOX_TIMER_KILL_OBSERVED
  OutOfMemoryKill,  ///< OUT_OF_MEMORY_KILL_OBSERVED
  CancelKill,       ///< CANCEL_KILL_OBSERVED
  BoxLost,          ///< BOX_LOST
  NotStarted,       ///< NOT_STARTED
};
std::string_view name_of(Observation observation);
std::optional<Observation> observation_from(std::string_view name);

struct SealCheck {
  std::string name;  ///< a protection name of the contract, e.g. "cred.caps"
  std::string expected;
  std::string observed;
  bool ok = false;
  std::string method;  ///< where it was read, e.g. "/proc/PID/status CapEff"

  bool operator==(const SealCheck&) const = default;
};
/// How the method of a check begins that rests on PyBox's own word or bytes: it says what PyBox
/// did, and no reading could contradict it.
inline constexpr std::string_view kByConstruction = "by construction";

struct Seal {
  bool verified = false;
  bool before_start = false;
  std::vector<SealCheck> checks;

  bool operator==(const Seal&) const = default;
};
/// "62 checks held before start, 2 of them by construction"; "not verified".
std::string seal_words(const Seal& seal);

struct Outcome {
  Observation observation = Observation::NotStarted;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::optional<Nanos> wall;
  std::optional<bool> deadline_fired;
  std::optional<bool> box_timer_fired;
  std::optional<std::uint32_t> stop_requests;
  std::optional<bool> out_of_memory;
  bool cause_established = false;
  std::vector<std::string> evidence;
  std::optional<std::uint32_t> leftovers_killed;
};

struct Sample {
  Nanos at{};
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> pids;
  std::optional<double> cpu_s;
};

struct KernelReadings {
  std::string source;  ///< "cgroup v2 memory.peak, …" or "cgroup v1 …"
  std::optional<std::uint32_t> lost_samples;
  std::optional<std::uint64_t> memory_peak_bytes;
  bool memory_peak_final = false;  ///< read after the last process ended
  std::optional<std::uint64_t> oom_kills;
  std::optional<std::uint64_t> pids_peak;
  std::optional<std::uint64_t> pids_refusals;
  std::optional<double> cpu_usage_s;
  std::optional<double> cpu_throttled_s;
  std::vector<Sample> series;
};

struct CapturedStream {
  std::string bytes;  ///< what was kept
  std::uint64_t bytes_total = 0;
  std::string sha256;  ///< of everything that was seen, 64 hex digits; empty when nobody watched
  bool was_watched() const { return !sha256.empty(); }
  bool truncated() const { return bytes_total > bytes.size(); }
};

struct ReturnedFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::string sha256;
  std::string content;  ///< carried beside the JSON, never in it; `bytes` long once it has arrived
};

struct OmittedFile {
  std::string name;  ///< raw bytes; escaped when written
  std::optional<std::uint64_t> bytes;
  std::string reason;
};

struct Files {
  enum class Status { None, Received, NotReceived, Refused };
  Status status = Status::None;
  std::vector<ReturnedFile> returned;
  std::vector<OmittedFile> omitted;
  std::uint64_t omitted_total = 0;
};
std::string_view name_of(Files::Status status);
std::optional<Files::Status> files_status_from(std::string_view name);

struct StageTimes {
  std::optional<Nanos> queue, prepare, seal, start, run, collect, cleanup, total;
};

struct Cleanup {
  enum class Status { Removed, NotAttempted, Unconfirmed };
  Status status = Status::NotAttempted;
  std::string detail;
};
std::string_view name_of(Cleanup::Status status);
std::optional<Cleanup::Status> cleanup_status_from(std::string_view name);

struct DeniedAction {
  std::string action;
  std::uint64_t count = 0;
};

/// The host the box ran on, as boxd sees it.
struct BoxHost {
  std::string kernel;  ///< uname -r
  std::string cgroup;  ///< "v2" or "v1"
  std::string boxd_version;
};

struct RunReport {
  BoxHost host;
  Seal seal;
  Outcome outcome;
  KernelReadings kernel;
  CapturedStream out;
  CapturedStream err;
  Files files;
  StageTimes timing;
  Cleanup cleanup;
  std::optional<std::vector<DeniedAction>> denied;
  std::vector<std::string> notes;
  /// Set when no box ran because boxd refused or failed: what a person must read, and the hint.
  struct Failure {
    bool refused = false;  ///< true: exit 126, false: exit 125
    std::string message;
    std::string hint;
  };
  std::optional<Failure> failure;
};

/// The report as JSON in the receipt's own shape (one object with keys host, seal, outcome, …);
/// streams inside as text or base64, file contents not included. A stream that was cut and is UTF-8
/// loses the half character at its end (at most 3 bytes), so that it stays text.
///
/// The seal is known before the program starts and is most of the text. Who was told it then
/// (seal_to_json) gets a report without it (its key is null), so that neither side spends time on
/// it when the program has ended.
enum class SealIs { Inside, ToldBefore };
std::string report_to_json(const RunReport& report, SealIs seal = SealIs::Inside);
/// The reverse. Hostile input (a guest may have been taken over): every field is checked for type
/// and range, no key may be missing or unknown, streams must agree with their own counts and
/// digest, and the outcome must not contradict itself; anything else is an Error of kind Protocol.
/// Texts come back safe to print: what a terminal would obey is escaped (base/text.hpp visible).
/// `told` is the seal for a report that comes without one; such a report is an error without it.
Result<RunReport> report_from_json(std::string_view json,
                                   const std::optional<Seal>& told = std::nullopt);

/// The seal alone, in the receipt's own shape, and the reverse, as strict.
std::string seal_to_json(const Seal& seal);
Result<Seal> seal_from_json(std::string_view json);

}  // namespace pybox
