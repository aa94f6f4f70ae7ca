#include "box/verify.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/join.hpp"
#include "base/text.hpp"
#include "box/cgroup_files.hpp"
#include "box/filter_readback.hpp"
#include "box/process_view.hpp"
#include "box/verify_filter.hpp"
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

void check_credentials(const ProcessView& program, const BoxPlan& plan, Checks& out) {
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
}

void check_filter(const ProcessView& program, FilterReader& reader, const BoxPlan& plan,
                  const Message& said, Checks& out) {
  FilterSeen seen;
  seen.in_force = program.status("Seccomp") + " " + program.status("Seccomp_filters");
  if (Result<std::vector<sock_filter>> read = reader.read()) seen.read = std::move(read).value();
  seen.answers = said.text;
  seen.loaded = plan.filters.get(said.a == 1);
  for (SealCheck& check : filter_checks(seen)) out.push_back(std::move(check));
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

void check_process(const ProcessView& program, const Box& box, Checks& out) {
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
  const std::string held = " held by " + std::to_string(program.pid());
  out.push_back(compare("sup.pidfd", std::to_string(box.keeper_pid()) + held,
                        program.status("PPid") + " held by " + box.held_by_pidfd(),
                        "/proc/PID/status PPid is the keeper; fdinfo of boxd's pidfd"));
}

/// Each limit only counts when the process is in the group that has it.
void check_cgroup(const ProcessView& program, const BoxCgroup& cgroup, Checks limits, Checks& out) {
  const std::string text = program.file("cgroup").value_or("");
  const bool inside = text.find(cgroup.expected_membership() + "\n") != std::string::npos;
  for (SealCheck& check : limits) {
    if (!inside) {
      check.ok = false;
      check.observed += " (the program is not in this cgroup)";
    }
    out.push_back(std::move(check));
  }
}

}  // namespace

SealReading::SealReading(Box& box) : box_(box), limits_(box.cgroup().checks(box.plan().limits)) {
  seal_.before_start = true;
  own_namespaces();
}

void SealReading::read_program(const SealedNotice& notice) {
  Checks& checks = seal_.checks;
  const BoxPlan& plan = box_.plan();
  Result<ProcessView> program = ProcessView::of(notice.pid);
  if (!program) {
    checks.push_back(compare("sup.pidfd", "readable", program.error().message(), "/proc/PID"));
    return;
  }
  // The program's process takes its time to stop; the rest is read meanwhile.
  FilterReader reader(notice.pid);
  check_namespaces(*program, box_, checks);
  mounts_at_ = checks.size();
  check_scratch(*program, plan.limits, checks);
  if (!plan.inputs.empty()) check_input(*program, plan, checks);
  check_credentials(*program, plan, checks);
  check_filter(*program, reader, plan, notice.message, checks);
  check_cgroup(*program, box_.cgroup(), std::move(limits_), checks);
  check_resources(*program, plan, checks);
  check_process(*program, box_, checks);
  program_ = std::move(*program);
}

/// What the keeper handed over is asked here: the answers are the kernel's, not the keeper's.
void SealReading::check_handed_over(const KeeperNotice& keeper) {
  Checks& out = seal_.checks;
  // Without a user namespace of its own (a control arm) a box has no such limit of its own.
  const bool own_user = !box_.plan().cuts.left_out("ns.user");
  // A number of the host's own would tell of the host.
  const auto limit = number_in(read_again(keeper.user_namespaces));
  const std::string observed = !keeper.user_namespaces.is_open() ? "boxd's"
                               : !limit                          ? "unreadable"
                               : *limit == 0                     ? "0"
                                                                 : "above 0";
  out.push_back(compare("cred.userns0", own_user ? "0" : "boxd's", observed,
                        "user.max_user_namespaces of the box, opened there, read by boxd"));
  itimerspec left{};
  const bool armed = keeper.timer.is_open() && ::timerfd_gettime(keeper.timer.get(), &left) == 0 &&
                     (left.it_value.tv_sec > 0 || left.it_value.tv_nsec > 0);
  out.push_back(compare("sup.timer", "armed", armed ? "armed" : "not armed",
                        "timerfd_gettime of the keeper's timer, by boxd"));
}

void SealReading::check_keeper(const Message& said) {
  Checks& out = seal_.checks;
  // The owner of the files in /proc/PID turns to root when a process is not dumpable (man 5 proc).
  struct stat owner {};
  const std::string path = "/proc/" + std::to_string(box_.keeper_pid()) + "/environ";
  const bool hidden =
      ::stat(path.c_str(), &owner) == 0 && owner.st_uid != box_.plan().ids.keeper_outside;
  out.push_back(compare("proc.dumpable0", "not dumpable", hidden ? "not dumpable" : "dumpable",
                        "owner of /proc/KEEPER/environ"));
  const Result<ProcessView> view = ProcessView::of(box_.keeper_pid());
  const std::string ids = view ? view->status("NSpid") : "";
  // Where a control arm has no pid namespace nothing has pid 1 in it.
  const std::string expected =
      box_.plan().cuts.left_out("ns.pid") ? "no pid namespace" : "pid 1 is the keeper";
  const std::string observed = ids.ends_with(" 1") ? "pid 1 is the keeper" : "no pid namespace";
  out.push_back(
      compare("sup.initreap", expected + ", reaps orphans",
              observed + (said.b == 1 ? ", reaps orphans" : ", reaps no orphan"),
              std::string(kByConstruction) + ": the keeper's word; /proc/KEEPER/status NSpid"));
}

Seal SealReading::finish(const KeeperNotice& keeper) {
  if (program_) {
    Checks mounts;
    check_mounts(*program_, box_.plan().cuts, mounts);
    seal_.checks.insert(seal_.checks.begin() + static_cast<std::ptrdiff_t>(mounts_at_),
                        std::make_move_iterator(mounts.begin()),
                        std::make_move_iterator(mounts.end()));
  }
  check_handed_over(keeper);
  check_keeper(keeper.message);
  seal_.verified = std::all_of(seal_.checks.begin(), seal_.checks.end(),
                               [](const SealCheck& check) { return check.ok; });
  return std::move(seal_);
}

}  // namespace pybox::box
