#pragma once
/// Theory of operation: a driver is a Python program of ours on this host, started as the leader of
/// a session of its own, with one JSON object as its stdin and a bound on its time. When it has
/// ended, was cancelled or ran out of time, its process group is killed (sys/runner.hpp). Its
/// output is kept up to a size and otherwise read and dropped.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "campaign/model/check.hpp"

namespace pybox::campaign {

/// What a driver gets (docs/evidence.md "A driver").
struct DriverAsk {
  std::string nonce;
  std::string args;  ///< JSON object
  ArmName arm;
  std::vector<std::string> removed;
  EngineKind engine = EngineKind::Native;
  std::filesystem::path programs;  ///< where pybox, boxd and boxd-campaign stand
  std::filesystem::path home;
  std::filesystem::path scratch;
  std::filesystem::path source;  ///< empty: only the program is installed
};
/// pybox beside boxd (build tree), or in bin beside libexec (installed).
std::filesystem::path pybox_of(const std::filesystem::path& programs);
Result<std::string> driver_json(const DriverAsk& ask);

struct DriverOrder {
  std::filesystem::path folder;  ///< where all drivers are laid out
  std::string name;              ///< "kill_client.py"
  std::string ask;               ///< JSON
  std::filesystem::path home;    ///< its HOME, never the caller's
  Nanos timeout{};
  int cancel_fd = -1;
};

struct DriverRun {
  std::string out;
  std::string err;
  Nanos duration{};
  std::string trouble;  ///< how it ended otherwise than by exit code 0; empty when it did
  bool cancelled = false;
};
constexpr Bytes kDriverOutputKept = 1_MiB;

/// Error: it could not be started.
Result<DriverRun> run_driver(const DriverOrder& order);

}  // namespace pybox::campaign
