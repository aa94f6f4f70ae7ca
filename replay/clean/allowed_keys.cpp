#include "replay/clean/allowed_keys.hpp"

#include <algorithm>

namespace pybox::replay {
namespace {

constexpr std::array<std::string_view, 5> kStarted = {"id", "plan_sha256", "previous",
                                                      "environment", "tools"};
constexpr std::array<std::string_view, 7> kArmStarted = {"check",   "engine", "arm",   "attempt",
                                                         "removed", "nonce",  "canary"};
constexpr std::array<std::string_view, 11> kArmEnded = {
    "check", "engine", "arm",       "attempt",     "nonce",  "report",
    "out",   "err",    "witnesses", "duration_us", "trouble"};
constexpr std::array<std::string_view, 1> kResumed = {"torn_bytes"};
constexpr std::array<std::string_view, 3> kUnmet = {"check", "engine", "reason"};
constexpr std::array<std::string_view, 1> kEnded = {"complete"};

constexpr std::array<KeysOf, 6> kEvents = {
    KeysOf{"campaign-started", kStarted}, KeysOf{"campaign-resumed", kResumed},
    KeysOf{"arm-started", kArmStarted},   KeysOf{"arm-ended", kArmEnded},
    KeysOf{"check-unmet", kUnmet},        KeysOf{"campaign-ended", kEnded}};

constexpr std::string_view kFacts[] = {
    "build", "cgroup", "compiler", "cpu.count", "kernel.lsm", "kernel.release", "kvm", "machine",
    "os",    "pybox",  "python",   "qemu",      "runner",     "swap",           "user"};
constexpr std::string_view kSysctl = "sysctl.";  ///< settings of the kernel, each by its own name

constexpr std::array<std::string_view, 11> kReport = {"host",    "seal",  "outcome", "kernel",
                                                      "capture", "files", "timing",  "cleanup",
                                                      "denied",  "notes", "failure"};

template <class List>
bool holds(const List& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

}  // namespace

bool is_known_event(std::string_view event) {
  return std::any_of(kEvents.begin(), kEvents.end(),
                     [&](const KeysOf& each) { return each.event == event; });
}

std::span<const std::string_view> keys_of_event(std::string_view event) {
  for (const KeysOf& each : kEvents) {
    if (each.event == event) return each.keys;
  }
  return {};
}

bool is_fact_allowed(std::string_view name) {
  return holds(kFacts, name) || name.substr(0, kSysctl.size()) == kSysctl;
}
bool is_report_key(std::string_view name) { return holds(kReport, name); }

std::string key_rules() {
  std::string text;
  for (const KeysOf& each : kEvents) {
    text += "event " + std::string(each.event) + ":";
    for (const std::string_view key : each.keys) text += " " + std::string(key);
    text += "\n";
  }
  text += "facts:";
  for (const std::string_view name : kFacts) text += " " + std::string(name);
  text += " " + std::string(kSysctl) + "*\nreport:";
  for (const std::string_view name : kReport) text += " " + std::string(name);
  return text + "\n";
}

}  // namespace pybox::replay
