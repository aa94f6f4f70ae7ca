#include "vm/kvm.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "sys/file.hpp"
#include "vm/saved_state.hpp"

namespace pybox::vm {
namespace {

constexpr Nanos kForgottenAfter = std::chrono::hours(24);

}  // namespace

/// Three lines: the host it was, the second it happened, and why.
std::optional<KvmMemory::Failure> KvmMemory::failure(Nanos now) const {
  const auto text = sys::read_file(file_, 64_KiB);
  if (!text) return std::nullopt;
  const std::size_t first = std::min(text->find('\n'), text->size());
  const std::size_t second = std::min(text->find('\n', first + 1), text->size());
  if (second == text->size() || text->substr(0, first) != host()) return std::nullopt;
  const Nanos when = std::chrono::seconds(
      std::strtoll(text->substr(first + 1, second - first - 1).c_str(), nullptr, 10));
  // A time to come is a clock that was set back.
  if (when > now || now - when > kForgottenAfter) return std::nullopt;
  std::string why = text->substr(second + 1);
  while (why.ends_with('\n')) why.pop_back();
  return Failure{when, visible(why)};
}

void KvmMemory::remember(const Failure& failure) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(failure.when).count();
  const std::string text =
      host() + "\n" + std::to_string(seconds) + "\n" + visible(failure.why) + "\n";
  (void)sys::replace_file(file_, text).has_value();
}

std::string KvmMemory::host() const {
  utsname names{};
  ::uname(&names);
  const auto processor = sys::read_file("/proc/cpuinfo");
  MachineFacts facts;
  facts.qemu = qemu_;
  facts.arguments = {names.release, names.version};
  facts.processor = processor ? processor_facts(*processor) : "";
  const Result<std::string> key = state_key(facts);
  return key ? *key : "a QEMU that is gone";
}

std::optional<std::string> why_skip_kvm(const std::optional<std::string>& host_says,
                                        const KvmMemory& memory, Nanos now) {
  if (host_says) return host_says;
  const auto failure = memory.failure(now);
  if (!failure) return std::nullopt;
  return "it did not run a VM here at " + rfc3339(failure->when) + " (" + failure->why +
         "); it is tried again after a day";
}

}  // namespace pybox::vm
