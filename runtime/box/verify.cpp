#include "box/verify.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/join.hpp"
#include "base/text.hpp"
#include "box/cgroup_files.hpp"
#include "box/filter_readback.hpp"
#include "box/process_view.hpp"
#include "box/seccomp_filter.hpp"
#include "box/verify_mounts.hpp"

namespace pybox::box {
namespace {

/// Name and identity of each namespace of boxd itself. It never changes one after its start.
const std::vector<std::pair<std::string, std::string>>& own_namespaces() {
  static const auto own = [] {
    std::vector<std::pair<std::string, std::string>> links;
    const Result<ProcessView> self = ProcessView::of(::getpid());
    for (const char* name : {"user", "pid", "mnt", "net", "ipc", "uts", "cgroup"}) {
      links.emplace_back(name, self ? self->namespace_link(name) : "");
    }
    return links;
  }();
  return own;
}

std::string mount_namespace_of(pid_t pid) {
  const Result<ProcessView> view = ProcessView::of(pid);
  return view ? view->namespace_link("mnt") : "";
}

void check_namespaces(const ProcessView& program, const Box& box, Checks& out) {
  const std::string standing = box.stand_in() > 0 ? mount_namespace_of(box.stand_in()) : "";
  for (const auto& [name, ours] : own_namespaces()) {
    // Without ns.mnt a control arm's box has the mount namespace of boxd's stand-in.
    const bool stood_in = box.stand_in() > 0 && name == "mnt";
    const std::string& around = stood_in ? standing : ours;
    const std::string theirs = program.namespace_link(name);
    const bool readable = !theirs.empty() && !around.empty();
    out.push_back(compare("ns." + name, "its own",
                          !readable          ? "unreadable"
                          : theirs != around ? "its own"
                          : stood_in         ? "shared with boxd's stand-in"
                                             : "shared with boxd",
                          "/proc/PID/ns/" + name));
  }
}

void check_credentials(const ProcessView& program, const BoxPlan& plan, const ReadyBox& ready,
                       Checks& out) {
  const std::string method = "/proc/PID/status ";
  const std::string id = std::to_string(plan.ids.program_outside);
  const std::string four = id + " " + id + " " + id + " " + id;
  out.push_back(compare("cred.uid", four, program.status("Uid"), method + "Uid"));
  // Without a map of our own writing the kernel forbids dropping groups; the box then has the
  // user's.
  std::string groups;
  if (!plan.ids.two_ids) {
    const Result<ProcessView> self = ProcessView::of(::getpid());
    groups = self ? self->status("Groups") : "unreadable";
  }
  out.push_back(compare("cred.groups", groups, program.status("Groups"), method + "Groups"));
  const std::string none(16, '0');
  std::string sets;
  for (const char* key : {"CapInh", "CapPrm", "CapEff", "CapAmb"})
    sets += (sets.empty() ? "" : " ") + program.status(key);
  out.push_back(compare("cred.caps", none + " " + none + " " + none + " " + none, sets,
                        method + "CapInh CapPrm CapEff CapAmb"));
  out.push_back(compare("cred.bound", none, program.status("CapBnd"), method + "CapBnd"));
  out.push_back(compare("cred.nnp", "1", program.status("NoNewPrivs"), method + "NoNewPrivs"));
  // Without a user namespace of its own (a control arm) a box has no such limit of its own: the
  // keeper then leaves boxd's alone and says -1.
  const bool own_user = !plan.cuts.left_out("ns.user");
  out.push_back(compare("cred.userns0", own_user ? "0" : "-1",
                        std::to_string(ready.program.message.b),
                        "user.max_user_namespaces read in the box's user namespace"));
}

/// One check per sec.* name: each probe's verdict under the filter that is in force.
void check_filter(const ProcessView& program, FilterReader& reader, const BoxPlan& plan,
                  const ReadyBox& ready, Checks& out) {
  const std::string in_force = program.status("Seccomp") + " " + program.status("Seccomp_filters");
  const bool loaded = in_force == "2 1";
  const std::span<const sock_filter> ours = plan.filters.get(ready.program.message.a == 1);
  std::string method = "filter of PID read back (PTRACE_SECCOMP_GET_FILTER)";
  std::vector<sock_filter> filter;
  if (Result<std::vector<sock_filter>> read = reader.read()) {
    filter = std::move(read).value();
  } else if (loaded) {
    // Only mode and count can be read here; what was loaded is then our own bytes.
    filter.assign(ours.begin(), ours.end());
    method = "/proc/PID/status Seccomp Seccomp_filters; content not readable here";
  }
  if (!loaded) method += "; Seccomp is " + in_force;
  for (std::size_t at = 0; at < seccomp_probes().size();) {
    const std::string name = seccomp_probes()[at].protection;
    SealCheck check{name, "", "", loaded, method};
    for (; at < seccomp_probes().size() && name == seccomp_probes()[at].protection; ++at) {
      const SeccompProbe& probe = seccomp_probes()[at];
      const std::uint32_t answer = filter.empty() ? static_cast<std::uint32_t>(SECCOMP_RET_ALLOW)
                                                  : verdict(filter, probe.call);
      const std::string comma = check.expected.empty() ? "" : ", ";
      check.expected += comma + probe.shown + "=" + verdict_name(probe.expected);
      check.observed += comma + probe.shown + "=" + verdict_name(answer);
      check.ok = check.ok && answer == probe.expected;
    }
    out.push_back(std::move(check));
  }
}

void check_resources(const ProcessView& program, const BoxPlan& plan, Checks& out) {
  const std::string text = program.file("limits").value_or("");
  for (const ResourceLimit& limit : plan.resource_limits) {
    std::string observed = "unreadable";
    const std::size_t row = text.find(limit.shown);
    if (row != std::string::npos) {
      std::string_view fields =
          std::string_view(text).substr(row + std::string_view(limit.shown).size());
      observed = take_word(fields);
      observed.append(" ").append(take_word(fields));
    }
    const std::string value = std::to_string(limit.value);
    out.push_back(compare(limit.protection, value + " " + value, observed, "/proc/PID/limits"));
  }
}

void check_process(const ProcessView& program, const Box& box, const ReadyBox& ready, Checks& out) {
  out.push_back(compare("proc.closefds", "0 1 2 3", join(program.list("fd")),
                        "/proc/PID/fd (3 is close-on-exec)"));
  const std::string environment = program.file("environ").value_or("unreadable");
  const bool wiped = environment.find_first_not_of('\0') == std::string::npos;
  out.push_back(compare("proc.cleanenv", "empty", wiped ? "empty" : "not empty",
                        "/proc/PID/environ before the program's own is set"));
  const std::string session = stat_field(program.file("stat").value_or(""), 6);
  out.push_back(
      compare("proc.setsid", std::to_string(program.pid()), session, "/proc/PID/stat session"));
  out.push_back(compare("proc.cwd", "/tmp", program.link("cwd"), "/proc/PID/cwd"));
  // The owner of the files in /proc/PID turns to root when a process is not dumpable (man 5 proc).
  struct stat keeper {};
  const std::string path = "/proc/" + std::to_string(box.keeper_pid()) + "/environ";
  const bool hidden =
      ::stat(path.c_str(), &keeper) == 0 && keeper.st_uid != box.plan().ids.keeper_outside;
  out.push_back(compare("proc.dumpable0", "not dumpable", hidden ? "not dumpable" : "dumpable",
                        "owner of /proc/KEEPER/environ"));
  const std::string held = " held by " + std::to_string(program.pid());
  out.push_back(compare("sup.pidfd", std::to_string(box.keeper_pid()) + held,
                        program.status("PPid") + " held by " + box.held_by_pidfd(),
                        "/proc/PID/status PPid is the keeper; fdinfo of boxd's pidfd"));
  const Result<ProcessView> view = ProcessView::of(box.keeper_pid());
  const std::string ids = view ? view->status("NSpid") : "";
  // Where a control arm has no pid namespace nothing has pid 1 in it.
  const std::string expected =
      box.plan().cuts.left_out("ns.pid") ? "no pid namespace" : "pid 1 is the keeper";
  const std::string observed = ids.ends_with(" 1") ? "pid 1 is the keeper" : "no pid namespace";
  out.push_back(compare("sup.initreap", expected + ", reaps orphans",
                        observed + (ready.keeper.b == 1 ? ", reaps orphans" : ", reaps no orphan"),
                        "/proc/KEEPER/status NSpid, the keeper's word"));
  out.push_back(compare("sup.timer", "armed", ready.keeper.a > 0 ? "armed" : "not armed",
                        "timerfd_gettime in the keeper"));
}

void check_cgroup(const ProcessView& program, const Box& box, const BoxCgroup& cgroup,
                  Checks& out) {
  for (SealCheck& check : cgroup.checks(box.plan().limits)) out.push_back(std::move(check));
  // Each limit only counts when the process is in the group that has it.
  const std::string text = program.file("cgroup").value_or("");
  const bool inside = text.find(cgroup.expected_membership() + "\n") != std::string::npos;
  if (inside) return;
  for (SealCheck& check : out) {
    if (!check.name.starts_with("cg.")) continue;
    check.ok = false;
    check.observed += " (the program is not in this cgroup)";
  }
}

}  // namespace

void prepare_verification() { own_namespaces(); }

Seal verify_seal(Box& box, const ReadyBox& ready) {
  Seal seal;
  seal.before_start = true;
  const Result<ProcessView> program = ProcessView::of(ready.program.pid);
  if (!program) {
    seal.checks.push_back(compare("sup.pidfd", "readable", program.error().message(), "/proc/PID"));
    return seal;
  }
  // The program's process takes its time to stop; the rest is read meanwhile.
  FilterReader reader(ready.program.pid);
  check_namespaces(*program, box, seal.checks);
  check_mounts(*program, box.plan().cuts, seal.checks);
  check_scratch(*program, box.plan().limits, seal.checks);
  if (!box.plan().inputs.empty()) check_input(*program, box.plan(), seal.checks);
  check_credentials(*program, box.plan(), ready, seal.checks);
  check_filter(*program, reader, box.plan(), ready, seal.checks);
  check_cgroup(*program, box, box.cgroup(), seal.checks);
  check_resources(*program, box.plan(), seal.checks);
  check_process(*program, box, ready, seal.checks);
  seal.verified = std::all_of(seal.checks.begin(), seal.checks.end(),
                              [](const SealCheck& check) { return check.ok; });
  return seal;
}

}  // namespace pybox::box
