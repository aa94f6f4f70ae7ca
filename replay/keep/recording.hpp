#pragma once
/// A recording as it stands in replay/recordings/NAME:
///   meta.json     where it comes from, what was cleaned out of it, what must come of it
///   plan.json     events.jsonl   raw/ab/cdef…     cleaned evidence (replay/clean), to be judged
///   again expect.json   what judging it gave when it was recorded or last accepted

#include <filesystem>
#include <string>

#include "base/result.hpp"
#include "replay/clean/clean.hpp"

namespace pybox::replay {

/// What must come of a recording whatever anybody accepts: one of a weak box stays red.
enum class Must { StayGreen, StayRed };

struct Meta {
  std::string name;
  std::string why;  ///< what it shows
  Must must = Must::StayGreen;
  // Source: the events.jsonl that was cleaned.
  std::string source_file;  ///< its name, never a path
  std::string source_sha256;
  std::uint64_t source_bytes = 0;
  std::string campaign;  ///< id
  // Cleaning.
  std::string rules_sha256;
  Counts counts;
  std::string events_sha256, plan_sha256;  ///< of the cleaned files
};

/// meta.json, for people too: indented, a newline at the end.
std::string meta_to_json(const Meta& meta);
/// Strict; kind Evidence.
Result<Meta> meta_from_json(std::string_view json);

struct Recording {
  Meta meta;
  Evidence evidence;
  std::string expect;  ///< expect.json as it stands
};

/// Reads a folder. Errors of kind Evidence: a digest that does not hold, a blob that is missing or
/// that nothing names, any other file.
Result<Recording> read_recording(const std::filesystem::path& dir);

/// Writes a folder, whole or not at all. An existing one is refused.
Result<void> write_recording(const std::filesystem::path& dir, const Recording& recording);

}  // namespace pybox::replay
