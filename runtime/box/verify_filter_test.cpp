#include "box/verify_filter.hpp"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cerrno>
#include <set>

#include "box/privileges.hpp"
#include "box/seccomp_filter.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace pybox::box {
namespace {

std::vector<char> right_answers() {
  std::vector<char> answers;
  for (const SeccompProbe& probe : seccomp_probes())
    answers.push_back(static_cast<char>(probe.told ? probe.expected & SECCOMP_RET_DATA : 0));
  return answers;
}

std::size_t place_of(std::string_view shown) {
  const auto probes = seccomp_probes();
  return static_cast<std::size_t>(std::distance(
      probes.begin(), std::find_if(probes.begin(), probes.end(),
                                   [&](const SeccompProbe& each) { return shown == each.shown; })));
}

std::set<std::string> names_of(const std::vector<SealCheck>& checks,
                               bool (*which)(const SealCheck&)) {
  std::set<std::string> names;
  for (const SealCheck& check : checks) {
    if (which(check)) names.insert(check.name);
  }
  return names;
}

bool broken(const SealCheck& check) { return !check.ok; }
bool on_own_word(const SealCheck& check) { return check.method.starts_with(kByConstruction); }

using Answers = std::array<char, 64>;
struct Tried {
  Answers before{}, under{};  ///< the filter
};

/// In a child: no assertion, no allocation.
[[noreturn]] void try_in_child(int out) {
  Tried tried;
  if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) ::_exit(1);
  if (!drop_every_capability() || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) ::_exit(2);
  try_probes(tried.before);
  const auto filter = seccomp_filter(true);
  const sock_fprog program{static_cast<unsigned short>(filter.size()),
                           const_cast<sock_filter*>(filter.data())};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) ::_exit(3);
  try_probes(tried.under);
  ::_exit(::write(out, &tried, sizeof tried) == sizeof tried ? 0 : 4);
}

}  // namespace

TEST_CASE("a call that was answered wrongly breaks its protection, and that one alone") {
  const std::vector<char> right = right_answers();
  const FilterSeen seen{"2 1", std::nullopt, right, seccomp_filter(true)};
  CHECK(names_of(filter_checks(seen), broken).empty());
  for (const std::string shown : {"mount", "clone3", "socket(AF_PACKET)"}) {
    std::vector<char> wrong = right;
    wrong[place_of(shown)] = EFAULT;
    FilterSeen let_through = seen;
    let_through.answers = wrong;
    const auto checks = filter_checks(let_through);
    CHECK(names_of(checks, broken) ==
          std::set<std::string>{seccomp_probes()[place_of(shown)].protection});
    CHECK(std::any_of(checks.begin(), checks.end(), [&](const SealCheck& check) {
      return check.observed.find(shown + "=EFAULT") != std::string::npos;
    }));
  }
}

TEST_CASE("what no call can tell is said to be by construction, and nothing else") {
  const std::vector<char> right = right_answers();
  FilterSeen seen{"2 1", std::nullopt, right, seccomp_filter(true)};
  CHECK(names_of(filter_checks(seen), on_own_word) == std::set<std::string>{"sec.arch"});
  const auto filter = seccomp_filter(false);
  seen.read.emplace(filter.begin(), filter.end());
  CHECK(names_of(filter_checks(seen), on_own_word).empty());
}

TEST_CASE("a filter that was read decides, whatever was answered") {
  const sock_filter everything[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  const std::vector<char> right = right_answers();
  FilterSeen seen{"2 1", std::vector(std::begin(everything), std::end(everything)), right,
                  seccomp_filter(true)};
  CHECK(names_of(filter_checks(seen), broken).size() == filter_checks(seen).size());
}

TEST_CASE("where no filter is in force, or none answered, no protection of it holds") {
  const std::vector<char> right = right_answers();
  const FilterSeen off{"0 0", std::nullopt, right, seccomp_filter(true)};
  CHECK(names_of(filter_checks(off), broken).size() == filter_checks(off).size());
  const FilterSeen silent{"2 1", std::nullopt, {}, seccomp_filter(true)};
  CHECK(names_of(filter_checks(silent), broken).size() == filter_checks(silent).size() - 1);
}

TEST_CASE("every call that is to tell is answered otherwise where no filter stands before it",
          "[box]") {
  const Result<std::string> status = sys::read_file("/proc/self/status");
  REQUIRE(status);
  if (status->find("\nSeccomp:\t0") == std::string::npos)
    SKIP("these tests run under a system call filter of their own");
  auto pipe = sys::make_pipe();
  REQUIRE(pipe);
  const pid_t child = ::fork();
  if (child == 0) try_in_child(pipe->write.get());
  REQUIRE(child > 0);
  Tried tried;
  int code = 0;
  REQUIRE(::waitpid(child, &code, 0) == child);
  REQUIRE(code == 0);
  REQUIRE(::read(pipe->read.get(), &tried, sizeof tried) == sizeof tried);
  std::size_t at = 0;
  for (const SeccompProbe& probe : seccomp_probes()) {
    INFO(probe.shown << " without the filter: " << static_cast<int>(tried.before[at]));
    const auto refusal = static_cast<char>(probe.expected & SECCOMP_RET_DATA);
    CHECK((!probe.told || tried.before[at] != refusal));
    CHECK((!probe.told || tried.under[at] == refusal));
    ++at;
  }
}

}  // namespace pybox::box
