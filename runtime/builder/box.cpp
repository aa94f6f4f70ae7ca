#include "builder/box.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdio>

#include "box/privileges.hpp"
#include "box/seccomp_filter.hpp"
#include "sys/fd.hpp"
#include "sys/file.hpp"

namespace pybox::builder {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kInside = 1000;
constexpr std::array kDevices = {"null", "zero", "random", "urandom"};

Error failed(std::string_view doing) { return Error::from_errno(errno, doing); }

/// As an ordinary user: one id, that user's own; groups cannot be dropped there (man 7
/// user_namespaces).
Result<void> map_ids(uid_t user, gid_t group) {
  PYBOX_TRY(sys::write_pseudo_file("/proc/self/setgroups", "deny"));
  const std::string inside = std::to_string(kInside) + " ";
  PYBOX_TRY(sys::write_pseudo_file("/proc/self/uid_map", inside + std::to_string(user) + " 1"));
  return sys::write_pseudo_file("/proc/self/gid_map", inside + std::to_string(group) + " 1");
}

Result<void> take_namespaces() {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  int flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  if (user != 0) flags |= CLONE_NEWUSER;
  if (::unshare(flags) != 0) return failed("making the builder's namespaces");
  if (user != 0) PYBOX_TRY(map_ids(user, group));
  if (::sethostname("builder", 7) != 0) return failed("naming the builder");
  return {};
}

Result<void> restrict_mount(const fs::path& path, unsigned long attributes) {
  mount_attr attr{};
  attr.attr_set = attributes;
  if (::mount_setattr(AT_FDCWD, path.c_str(), AT_RECURSIVE, &attr, sizeof attr) != 0)
    return failed("restricting the mount " + path.string());
  return {};
}

Result<void> bind(const fs::path& from, const fs::path& to, unsigned long attributes) {
  if (::mount(from.c_str(), to.c_str(), nullptr, MS_BIND, nullptr) != 0)
    return failed("mounting " + to.string());
  return restrict_mount(to, attributes);
}

Result<void> make_devices(const fs::path& dev) {
  if (::mount("builder", dev.c_str(), "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=0755,size=64k") != 0)
    return failed("mounting the builder's /dev");
  for (const char* name : kDevices) {
    const sys::Fd place = PYBOX_TRY(sys::open_path(dev / name, O_CREAT | O_WRONLY, 0666));
    PYBOX_TRY(bind(fs::path("/dev") / name, dev / name, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC));
  }
  return restrict_mount(dev, MOUNT_ATTR_RDONLY);
}

Result<void> mount_root(const BuilderBoxPlan& plan) {
  constexpr unsigned long kPlain = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return failed("separating the builder's mounts");
  const fs::path& root = plan.rootfs;
  PYBOX_TRY(bind(root, root, kPlain | MOUNT_ATTR_RDONLY));
  PYBOX_TRY(bind(plan.scratch, root / "tmp", kPlain));
  for (const auto& [ours, theirs] : kSettingFiles)
    PYBOX_TRY(bind(plan.settings / ours, root / theirs, kPlain | MOUNT_ATTR_RDONLY));
  PYBOX_TRY(make_devices(root / "dev"));
  // While the host's /proc can still be seen: a user namespace may not mount one elsewise.
  if (::mount("proc", (root / "proc").c_str(), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
              "subset=pid") != 0) {
    return failed("mounting the builder's /proc");
  }
  if (::chdir(root.c_str()) != 0 || ::syscall(SYS_pivot_root, ".", ".") != 0 ||
      ::umount2(".", MNT_DETACH) != 0 || ::chdir("/tmp") != 0) {
    return failed("moving into the builder's root");
  }
  return {};
}

Result<void> limit_resources() {
  constexpr rlim_t kLargestFile = rlim_t{8} << 30U;
  const std::array<std::pair<__rlimit_resource, rlim_t>, 3> limits = {
      {{RLIMIT_CORE, 0}, {RLIMIT_FSIZE, kLargestFile}, {RLIMIT_NOFILE, 1024}}};
  for (const auto& [resource, value] : limits) {
    const rlimit limit{value, value};
    if (::setrlimit(resource, &limit) != 0) return failed("limiting the builder's resources");
  }
  return {};
}

Result<void> load_filter(std::span<const sock_filter> instructions) {
  const sock_fprog program{static_cast<unsigned short>(instructions.size()),
                           const_cast<sock_filter*>(instructions.data())};
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
    return failed("loading the builder's system call filter");
  return {};
}

/// Unix sockets: the host's abstract ones belong to its network, which the builder shares.
Result<void> refuse_unix_sockets() {
  const std::array<sock_filter, 6> program = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1 /* AF_UNIX */, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  return load_filter(program);
}

Result<void> become_builder(const BuilderBoxPlan& plan) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return failed("tying the builder to its parent");
  ::umask(022);
  PYBOX_TRY(mount_root(plan));
  PYBOX_TRY(limit_resources());
  PYBOX_TRY(drop_everything(plan.outside));
  return execute(plan.argv);
}

Result<int> box_and_wait(const std::vector<std::string>& words) {
  const BuilderBoxPlan plan = PYBOX_TRY(builder_box_plan(words));
  PYBOX_TRY(take_namespaces());
  const pid_t child = ::fork();
  if (child < 0) return failed("starting the builder");
  if (child == 0) return Error(become_builder(plan).error());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return failed("waiting for the builder");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::vector<std::string> words_of(const BuilderBoxPlan& plan) {
  std::vector<std::string> words = {std::string(kBuilderBox), plan.rootfs.string(),
                                    plan.scratch.string(), plan.settings.string(),
                                    std::to_string(plan.outside)};
  words.insert(words.end(), plan.argv.begin(), plan.argv.end());
  return words;
}

Result<BuilderBoxPlan> builder_box_plan(const std::vector<std::string>& words) {
  BuilderBoxPlan plan;
  if (words.size() < 6 || words[0] != kBuilderBox)
    return Error(ErrorKind::Usage, "only PyBox itself starts a builder");
  plan.rootfs = words[1];
  plan.scratch = words[2];
  plan.settings = words[3];
  const std::string& id = words[4];
  const auto [end, code] = std::from_chars(id.data(), id.data() + id.size(), plan.outside);
  if (code != std::errc() || end != id.data() + id.size())
    return Error(ErrorKind::Usage, "`" + id + "` is not an id");
  plan.argv.assign(words.begin() + 5, words.end());
  return plan;
}

Result<void> drop_everything(uid_t id) {
  const bool root = ::geteuid() == 0;
  if (root && (!box::empty_bounding_set() || !box::become(id, box::Groups::Drop)))
    return failed("becoming the builder's user");
  if (!root && !box::empty_bounding_set()) return failed("emptying the builder's rights");
  if (!box::drop_every_capability()) return failed("dropping the builder's rights");
  // A change of ids clears it (man 2 prctl).
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return failed("tying the builder to its parent");
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("refusing new privileges");
  // The boxes' own filter: files, processes and internet sockets, and nothing that has been a hole.
  PYBOX_TRY(refuse_unix_sockets());
  return load_filter(box::seccomp_filter(false));
}

Error execute(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::close_range(3, ~0U, 0);
  char* const environment[] = {nullptr};
  ::execve(argv[0], argv.data(), environment);
  return failed("starting " + words[0]);
}

int run_builder_box(const std::vector<std::string>& words) {
  const Result<int> ended = box_and_wait(words);
  if (ended) return *ended;
  std::fprintf(stderr, "%s\n", ended.error().message().c_str());
  return kNoBuilderBox;
}

}  // namespace pybox::builder
