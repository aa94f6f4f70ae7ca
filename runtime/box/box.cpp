#include "box/box.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "base/crashpoint.hpp"
#include "box/inside.hpp"
#include "sys/file.hpp"
#include "sys/syscalls.hpp"

namespace pybox::box {
namespace {

/// A flood through a small pipe costs a wake-up for every 64 KiB.
constexpr int kPipeSize = 256 * 1024;

Result<std::pair<sys::Fd, sys::Fd>> message_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Error::from_errno(errno, "making a message socket");
  }
  return std::pair{sys::Fd(ends[0]), sys::Fd(ends[1])};
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

/// The program may reopen its own streams (/dev/stdout): the pipe must be its to open.
Result<sys::Pipe> program_pipe(const IdMap& ids, bool program_writes) {
  sys::Pipe pipe = PYBOX_TRY(sys::make_pipe());
  const int theirs = program_writes ? pipe.write.get() : pipe.read.get();
  if (::fchown(theirs, ids.program_outside, static_cast<gid_t>(-1)) != 0)
    return Error::from_errno(errno, "handing a pipe over");
  ::fcntl(theirs, F_SETPIPE_SZ, kPipeSize);  // a wish: an ordinary user's allowance may be used up
  PYBOX_TRY(sys::set_nonblocking(program_writes ? pipe.read : pipe.write));
  return pipe;
}

/// The mount namespace is never left out here: boxd's own, and so the host's, is open to no box. A
/// control arm without ns.mnt shares a stand-in's (box/maker.hpp). The keeper makes the other
/// namespaces itself.
unsigned long long namespace_flags(const Cuts& cuts) {
  return CLONE_NEWNS | (cuts.left_out("ns.user") ? 0 : CLONE_NEWUSER) |
         (cuts.left_out("ns.pid") ? 0 : CLONE_NEWPID);
}

/// Returns in the parent only.
Result<sys::Child> clone_into_namespaces(const InsideWork& work, Maker& maker) {
  int pidfd = -1;
  clone_args args{};
  args.flags = namespace_flags(work.plan->cuts) | CLONE_PIDFD;
  args.pidfd = static_cast<__u64>(reinterpret_cast<std::uintptr_t>(&pidfd));
  args.exit_signal = SIGCHLD;
  const pid_t pid = maker.clone_keeper(work, args);
  if (pid < 0) {
    Error error = Error::from_errno(errno, "cloning into new namespaces").as(ErrorKind::HostCannot);
    if (error.errno_code() == EPERM || error.errno_code() == ENOSPC) {
      return std::move(error).hint(
          "this host restricts user namespaces; `pybox doctor` names the setting, the vm engine "
          "does not need them");
    }
    return error;
  }
  return sys::Child(pid, sys::Fd(pidfd));
}

}  // namespace

Result<std::unique_ptr<Box>> Box::start(std::unique_ptr<BoxPlan> plan, const sys::CgroupHost& host,
                                        std::uint64_t number) {
  auto box = std::make_unique<Box>(Key{});
  box->plan_ = std::move(plan);
  // The keeper first: it makes its network namespace, the dearest step of all, while the cgroup is
  // made here.
  PYBOX_TRY_CONTEXT(box->clone_keeper(), "making the box");
  PYBOX_CRASHPOINT("keeper-cloned");
  Result<std::unique_ptr<BoxCgroup>> cgroup =
      make_cgroup(host, cgroup_name(number), box->plan_->limits, box->plan_->cuts);
  // A limit that cannot be set is a host that cannot seal, not a passing fault.
  if (!cgroup) {
    return std::move(cgroup).error().as(ErrorKind::HostCannot).context("limiting the box");
  }
  box->cgroup_ = std::move(cgroup).value();
  PYBOX_CRASHPOINT("cgroup-limited");
  Result<void> mapped = box->write_id_map();
  if (!mapped) return std::move(mapped).error().context("mapping the box's ids");
  PYBOX_CRASHPOINT("ids-mapped");
  const int into = box->cgroup_->into_fd();
  const std::vector<int> tasks = box->cgroup_->task_fds();
  if (!send_message(box->keeper_socket_.get(), Message{Say::Mapped, into >= 0 ? 1 : 0, 0, {}},
                    into >= 0 ? std::span(&into, 1) : std::span(tasks))) {
    return Error(ErrorKind::Internal, "the keeper ended before the box was made");
  }
  return box;
}

Box::~Box() {
  kill_all();
  (void)ended(std::chrono::seconds(2)).has_value();
}

Result<void> Box::clone_keeper() {
  auto keeper_ends = PYBOX_TRY(message_pair());
  auto program_ends = PYBOX_TRY(message_pair());
  auto root_ends = PYBOX_TRY(message_pair());
  sys::Pipe out = PYBOX_TRY(program_pipe(plan_->ids, true));
  sys::Pipe err = PYBOX_TRY(program_pipe(plan_->ids, true));
  sys::Pipe in;
  if (plan_->has_stdin) in = PYBOX_TRY(program_pipe(plan_->ids, false));
  const int yes = 1;
  ::setsockopt(program_ends.first.get(), SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes));

  std::vector<char*> argv = pointers(plan_->argv);
  std::vector<char*> environment = pointers(plan_->environment);
  const std::string size = std::to_string(plan_->limits.tmp.count);
  const std::string inodes = std::to_string(plan_->limits.tmp_inodes);
  InsideWork work;
  work.plan = plan_.get();
  work.argv = argv.data();
  work.environment = environment.data();
  work.tmpfs_size = size.c_str();
  work.tmpfs_inodes = inodes.c_str();
  work.fds = {keeper_ends.second.get(),
              program_ends.second.get(),
              root_ends.first.get(),
              root_ends.second.get(),
              in.read.get(),
              out.write.get(),
              err.write.get(),
              -1,
              {},
              -1};

  // Only boxd may mount the /proc of its own pid namespace.
  sys::Fd outer_proc;
  if (plan_->cuts.left_out("ns.pid")) outer_proc = sys::Fd(make_proc(*plan_));
  work.fds.outer_proc = outer_proc.get();
  keeper_ = PYBOX_TRY(clone_into_namespaces(work, maker_));
  mounts_ = sys::Fd(
      ::open(("/proc/" + std::to_string(keeper_.pid()) + "/ns/mnt").c_str(), O_RDONLY | O_CLOEXEC));
  keeper_socket_ = std::move(keeper_ends.first);
  program_socket_ = std::move(program_ends.first);
  stdin_ = std::move(in.write);
  stdout_ = std::move(out.read);
  stderr_ = std::move(err.read);
  return {};
}

Result<void> Box::write_id_map() const {
  if (plan_->cuts.left_out("ns.user")) return {};
  const std::string proc = "/proc/" + std::to_string(keeper_.pid()) + "/";
  const IdMap& ids = plan_->ids;
  if (ids.two_ids) {
    const std::string map =
        std::to_string(IdMap::kKeeperInside) + " " + std::to_string(ids.keeper_outside) + " 1\n" +
        std::to_string(IdMap::kProgramInside) + " " + std::to_string(ids.program_outside) + " 1\n";
    PYBOX_TRY(sys::write_pseudo_file(proc + "uid_map", map));
    return sys::write_pseudo_file(proc + "gid_map", map);
  }
  // An ordinary user may map its own ids only, and must give up setgroups first (man 7
  // user_namespaces).
  const std::string inside = std::to_string(IdMap::kProgramInside) + " ";
  PYBOX_TRY(
      sys::write_pseudo_file(proc + "uid_map", inside + std::to_string(::geteuid()) + " 1\n"));
  PYBOX_TRY(sys::write_pseudo_file(proc + "setgroups", "deny"));
  return sys::write_pseudo_file(proc + "gid_map", inside + std::to_string(::getegid()) + " 1\n");
}

std::optional<SealedNotice> Box::receive_notice() {
  SealedNotice notice;
  ucred credentials{};
  std::size_t came = 0;
  if (!receive_message(program_socket_.get(), notice.message, SCM_CREDENTIALS,
                       std::as_writable_bytes(std::span(&credentials, 1)), came)) {
    return std::nullopt;
  }
  if (came == sizeof(credentials)) notice.pid = credentials.pid;
  return notice;
}

std::optional<KeeperNotice> Box::receive_keeper() {
  KeeperNotice notice;
  std::array<int, kMostDescriptors> fds{};
  std::size_t came = 0;
  if (!receive_message(keeper_socket_.get(), notice.message, SCM_RIGHTS,
                       std::as_writable_bytes(std::span(fds)), came)) {
    return std::nullopt;
  }
  if (came >= sizeof(int)) notice.timer = sys::Fd(fds[0]);
  if (came >= 2 * sizeof(int)) notice.user_namespaces = sys::Fd(fds[1]);
  return notice;
}

Result<void> Box::identify(pid_t program) {
  if (!plan_->cuts.left_out("sup.pidfd")) {
    program_pidfd_ = sys::Fd(sys::pidfd_open(program));
    if (!program_pidfd_.is_open())
      return Error::from_errno(errno, "taking hold of the program's process");
  }
  program_pid_ = program;
  // Only root may lower it. An ordinary user's keeper is outside the box's memory cgroup all the
  // same.
  (void)sys::write_pseudo_file("/proc/" + std::to_string(keeper_.pid()) + "/oom_score_adj", "-1000")
      .has_value();
  return {};
}

std::string Box::held_by_pidfd() const {
  if (!program_pidfd_.is_open()) return "nobody";
  const Result<std::string> info =
      sys::read_file("/proc/self/fdinfo/" + std::to_string(program_pidfd_.get()));
  constexpr std::string_view kKey = "\nPid:\t";  // man 2 pidfd_open
  const std::size_t at = info ? info->find(kKey) : std::string::npos;
  if (at == std::string::npos) return "unreadable";
  const std::size_t from = at + kKey.size();
  return info->substr(from, info->find('\n', from) - from);
}

Result<void> Box::go(Nanos box_timer) {
  if (!send_message(keeper_socket_.get(), Message{Say::Go, box_timer.count(), 0, {}}) ||
      !send_message(program_socket_.get(), Message{Say::Start, 0, 0, {}})) {
    return Error(ErrorKind::Internal, "the box ended before its program could start");
  }
  return {};
}

void Box::kill_program() {
  if (program_pidfd_.is_open()) sys::pidfd_send_signal(program_pidfd_.get(), SIGKILL);
}

void Box::kill_all() {
  if (cgroup_) cgroup_->kill_all();
  (void)keeper_.signal(SIGKILL).has_value();
}

Result<bool> Box::ended(Nanos patience) {
  if (!keeper_.is_running()) return true;
  const auto status = PYBOX_TRY(keeper_.wait(patience));
  if (status) maker_.end();
  return status.has_value();
}

}  // namespace pybox::box
