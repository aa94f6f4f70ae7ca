#pragma once
/// The steps of verify.hpp. Hostile input everywhere: each has bounds and believes nothing before
/// it was checked.

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/strict_json.hpp"
#include "receipt/signature.hpp"

namespace pybox::reports::verify {

Error wrong(std::string what);  ///< kind Evidence
/// A regular file, no link followed, at most `limit` bytes.
Result<std::string> read_plain(const std::filesystem::path& path, std::size_t limit = 256U << 20U);

/// JSON in RFC 8785 form, the only one that is written: what is the same after other blanks,
/// escapes, line ends or another order of keys would let bytes change that no digest covers. One
/// line end may close it. Errors name `place`.
Result<void> check_form(std::string_view text, const std::string& place);

/// A DSSE envelope whose signature holds; its type is checked by expect_type afterwards.
struct Envelope {
  std::string place, type, payload;
};
Result<Envelope> open_envelope(std::string_view line, const std::string& place,
                               const PublicKey& key);
Result<void> expect_type(const Envelope& envelope, std::string_view type);
/// `manifest.sha256.sshsig`.
Result<void> check_ssh_signature(std::string_view armoured, std::string_view message,
                                 const PublicKey& key);

/// Whose evidence a folder holds, and so which files belong into it.
enum class FolderOf { Campaign, Bench };

/// What the signed statements say: two about a campaign, which name the same manifest, one about a
/// bench.
struct Statements {
  std::string manifest_sha256, about, verdict, plan_sha256, events_sha256;
};
Result<Statements> read_statements(const std::vector<Envelope>& envelopes, FolderOf whose);

/// Path to digest; every path is one that belongs into a folder, once, in order.
using Manifest = std::map<std::string, std::string>;
Result<Manifest> read_manifest(std::string_view text, FolderOf whose = FolderOf::Campaign);
/// Every file of the manifest is there with its digest, and nothing else is.
Result<void> check_files(const std::filesystem::path& dir, const Manifest& manifest);

/// What each line of events.jsonl must fit: the lines before it.
class Chain {
 public:
  /// `first`: the event of the first line and of no other; `afresh`: an event with a new clock.
  Chain(std::string_view first, std::string_view afresh) : first_(first), afresh_(afresh) {}

  /// Takes number, link and times of the next line, and gives its event.
  Result<std::string> fit(JsonFields& fields);
  /// The line held.
  void passed(std::string_view line);

  std::uint64_t lines() const { return lines_; }
  std::uint64_t at_us() const { return at_us_; }  ///< of the line that fitted last

 private:
  std::string_view first_, afresh_;
  std::string before_ = std::string(64, '0');
  std::uint64_t lines_ = 0, at_us_ = 0;
};

/// One arm-ended, by check@engine, arm and attempt.
struct EndedArm {
  std::string nonce, report, out, err;  ///< blobs empty for null
  std::uint64_t duration_us = 0;
  std::vector<std::string> removed;
};
struct Events {
  std::string campaign, plan_sha256, previous_id, previous_manifest;
  std::map<std::string, EndedArm> ended;  ///< "check@engine arm attempt"
  std::set<std::string> unmet;            ///< check@engine
  std::set<std::string> blobs;            ///< that events name
  std::uint64_t lines = 0, resumed = 0;
  std::uint64_t cut_off = 0;     ///< arms that an interruption ended, before it was resumed
  std::uint64_t unfinished = 0;  ///< arms that were started last and never ended
  bool closed = false, complete = false;
};
Result<Events> read_events(std::string_view text);
std::string arm_key(const std::string& full_id, const std::string& arm, std::uint64_t attempt);

struct Summary {
  std::string campaign, verdict, plan_sha256, events_sha256, previous_id, previous_manifest;
  bool complete = false;
  std::uint64_t checks = 0, arms = 0, attempts = 0;
  struct Planned {
    std::vector<std::string> removed, expected;
  };
  std::map<std::string, std::map<std::string, Planned>> planned;  ///< check@engine, arm
  std::set<std::string> seen;                                     ///< arm_key of every attempt
};
/// campaign.json: its form, its attempts against the events, and everything that follows from the
/// arms computed again.
Result<Summary> check_campaign(std::string_view text, const Events& events);

struct PlanFacts {
  std::uint64_t checks = 0;
  std::set<std::string> blobs;  ///< the programs that were planned
};
/// What was run is what was planned: every check, its arms, what each had to show.
Result<PlanFacts> check_plan(std::string_view plan, const Summary& summary);

/// What the three records of a bench say together.
struct BenchFacts {
  std::string bench;
  std::uint64_t lines = 0, cases = 0, pairs = 0, warm_up = 0;
  bool complete = false;
  std::string failure;
};
/// plan.json, events.jsonl and bench.json: their form, every pair as planned and possible in the
/// time there was, and every figure computed again from the pairs.
Result<BenchFacts> check_bench(std::string_view plan, std::string_view events,
                               std::string_view bench);

}  // namespace pybox::reports::verify
