#include "box/verify_filter.hpp"

#include <algorithm>

#include "box/seccomp_filter.hpp"

namespace pybox::box {
namespace {

constexpr const char* kRead = "filter of PID read back (PTRACE_SECCOMP_GET_FILTER)";
constexpr const char* kTried = "calls made in PID under its filter, /proc/PID/status Seccomp";
constexpr const char* kOwnBytes =
    ": PyBox's own filter; /proc/PID/status Seccomp Seccomp_filters, content not readable here";

std::uint32_t answer_of(char code) {
  const auto number = static_cast<unsigned char>(code);
  return number == 0 ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | number;
}

/// `row`: the probes of one protection, `answers` what their calls met.
SealCheck check_row(const FilterSeen& seen, std::span<const SeccompProbe> row,
                    std::span<const char> answers) {
  const bool tried = !seen.read && std::any_of(row.begin(), row.end(),
                                               [](const SeccompProbe& each) { return each.told; });
  const std::span<const sock_filter> bytes = seen.read ? std::span(*seen.read) : seen.loaded;
  const bool in_force = seen.in_force == "2 1";
  SealCheck check{row.front().protection, "", "", in_force,
                  seen.read ? kRead
                  : tried   ? kTried
                            : std::string(kByConstruction) + kOwnBytes};
  for (std::size_t at = 0; at < row.size(); ++at) {
    const SeccompProbe& probe = row[at];
    if (tried && !probe.told) continue;
    std::uint32_t answer = SECCOMP_RET_ALLOW;
    if (tried && at < answers.size())
      answer = answer_of(answers[at]);
    else if (in_force && !tried)
      answer = verdict(bytes, probe.call);
    const std::string comma = check.expected.empty() ? "" : ", ";
    check.expected += comma + probe.shown + "=" + verdict_name(probe.expected);
    check.observed += comma + probe.shown + "=" + verdict_name(answer);
    check.ok = check.ok && answer == probe.expected;
  }
  if (!in_force) check.method += "; Seccomp is " + seen.in_force;
  return check;
}

}  // namespace

std::vector<SealCheck> filter_checks(const FilterSeen& seen) {
  const std::span<const SeccompProbe> probes = seccomp_probes();
  std::vector<SealCheck> checks;
  std::size_t to = 0;
  for (std::size_t from = 0; from < probes.size(); from = to) {
    const std::string_view name = probes[from].protection;
    while (to < probes.size() && probes[to].protection == name) ++to;
    checks.push_back(check_row(seen, probes.subspan(from, to - from),
                               seen.answers.subspan(std::min(from, seen.answers.size()))));
  }
  return checks;
}

}  // namespace pybox::box
