#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <sstream>

#include "base/text.hpp"
#include "box/plan.hpp"
#include "builder/box.hpp"
#include "builder/builder.hpp"
#include "builder/guest.hpp"
#include "builder/index_settings.hpp"
#include "builder/job.hpp"
#include "builder/pack.hpp"
#include "builder/pip_trouble.hpp"
#include "builder/vm.hpp"
#include "store/kernel.hpp"
#include "sys/file.hpp"

namespace pybox::builder {
namespace {

namespace fs = std::filesystem;

constexpr Nanos kPatience = std::chrono::minutes(30);
constexpr std::uint64_t kLargestResult = std::uint64_t{6} << 30U;
constexpr std::size_t kMostStatus = 1 << 20U;
/// The name server of QEMU's user-mode network, which asks those of the host.
constexpr std::string_view kNamesInVm = "nameserver 10.0.2.3\n";
constexpr std::string_view kNameService =
    "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n";

/// Everything one run of a builder needs, gathered before anything starts.
struct Run {
  const BuilderSetting& setting;
  const BuilderJob& job;
  const sys::Tools& tools;
  fs::path work;
  Progress& progress;
  IndexSettings index;
  store::Image base;
  std::string where;                            ///< which builder it is and why, for the user
  std::map<std::string, std::string> files;     ///< /tmp/in
  std::map<std::string, std::string> settings;  ///< builder/box.hpp names them

  fs::path result() const { return work / "scratch" / "result.pack"; }
};

/// Which servers to ask; the host's search domains are no business of the builder's.
std::string name_servers() {
  std::string kept;
  const auto text = sys::read_file("/etc/resolv.conf", 64_KiB);
  std::istringstream lines(text ? *text : std::string());
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("nameserver") || line.starts_with("options")) kept += line + "\n";
  }
  return kept;
}

Result<fs::path> own_program() {
  std::error_code code;
  fs::path self = fs::read_symlink("/proc/self/exe", code);
  if (code) return Error::from_errno(code.value(), "finding PyBox's own program");
  return self;
}

/// What a builder of that kind is given.
void gather(Run& run, InVm in_vm) {
  run.files = run.job.files;
  run.files["builder.py"] = builder_program();
  run.files["job.json"] = job_json(run.job, run.index, in_vm);
  run.settings = {{"resolv.conf", in_vm == InVm::Yes ? std::string(kNamesInVm) : name_servers()},
                  {"nsswitch.conf", std::string(kNameService)},
                  {"certificates.pem", run.index.certificates}};
}

std::vector<std::string> program(const Run& run, std::string_view result) {
  return {"/usr/bin/python" + run.job.python,
          "-I",
          "-S",
          "-B",
          "/tmp/in/builder.py",
          "/tmp/in/job.json",
          std::string(result)};
}

/// Follows the lines that builder.py prints.
sys::ToolWatch follow(const Run& run) {
  sys::ToolWatch watch;
  watch.line = [&run, step = std::size_t{0}, begun = false,
                counted = std::uint64_t{0}](std::string_view line) mutable {
    const std::size_t mark = line.find(kBuilderMark);
    if (mark == std::string_view::npos) return;
    line.remove_prefix(mark + kBuilderMark.size());
    if (line.starts_with("stage ")) {
      if (!begun) run.progress.note(run.where);
      if (begun) ++step;
      begun = true;
      counted = 0;
      const bool known = step < run.job.steps.size();
      return run.progress.stage(known ? run.job.steps[step].stage : "taking over the result");
    }
    if (!line.starts_with("| ") || step >= run.job.steps.size()) return;
    const BuilderStep& now = run.job.steps[step];
    if (!now.counted.empty() && line.substr(2).starts_with(now.counted) && counted < now.total)
      run.progress.advance(++counted, now.total, Progress::Unit::Count);
  };
  watch.tick = [&run] { run.progress.tick(); };
  return watch;
}

Result<void> write_files(const std::map<std::string, std::string>& files, const fs::path& folder) {
  PYBOX_TRY(sys::ensure_private_dir(folder));
  if (::chmod(folder.c_str(), 0755) != 0)
    return Error::from_errno(errno, "opening " + folder.string());
  for (const auto& [name, content] : files)
    PYBOX_TRY(sys::replace_file(folder / name, content, 0444, sys::Durability::Unsynced));
  return {};
}

/// Makes what a builder box needs, and says how to start it.
Result<sys::SpawnPlan> prepare_box(Run& run) {
  gather(run, InVm::No);
  BuilderBoxPlan plan;
  plan.rootfs = run.base.rootfs;
  plan.scratch = run.work / "scratch";
  plan.settings = run.work / "settings";
  const uid_t user = ::geteuid();
  plan.outside = user == 0 ? box::id_map_for(0).program_outside : user;
  plan.argv = program(run, "/tmp/result.pack");
  PYBOX_TRY(sys::ensure_private_dir(plan.scratch));
  PYBOX_TRY(write_files(run.files, plan.scratch / "in"));
  PYBOX_TRY(write_files(run.settings, plan.settings));
  PYBOX_TRY(sys::replace_file(run.result(), "", 0600, sys::Durability::Unsynced));
  if (user == 0) {
    for (const fs::path& path : {plan.scratch, run.result()}) {
      if (::lchown(path.c_str(), plan.outside, plan.outside) != 0)
        return Error::from_errno(errno, "giving " + path.string() + " to the builder");
    }
  }
  sys::SpawnPlan spawn;
  spawn.program = PYBOX_TRY(own_program());
  spawn.args = words_of(plan);
  return spawn;
}

Result<sys::ToolResult> run_natively(const Run& run, sys::SpawnPlan box) {
  run.progress.stage("starting the builder");
  return run.tools.run(std::move(box), kPatience, follow(run));
}

/// In place of whatever an attempt before left.
Result<void> make_sparse(const fs::path& file, std::uint64_t size) {
  std::error_code absent;
  fs::remove(file, absent);
  const sys::Fd fd = PYBOX_TRY(sys::open_path(file, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW));
  if (::ftruncate(fd.get(), static_cast<off_t>(size)) != 0)
    return Error::from_errno(errno, "making room for the builder's result");
  return {};
}

Result<BuilderVmPlan> plan_vm(const Run& run) {
  BuilderVmPlan plan;
  plan.kernel = PYBOX_TRY(store::find_kernel(run.setting.dirs));
  plan.image = run.base.erofs;
  plan.initramfs = run.work / "initramfs.cpio";
  plan.result = run.result();
  BuilderGuestFiles files;
  files.job = run.files;
  files.settings = run.settings;
  files.argv = program(run, kResultInVm);
  const fs::path self = PYBOX_TRY(own_program());
  const std::string archive = PYBOX_TRY(builder_initramfs(self, plan.kernel, files));
  PYBOX_TRY(sys::replace_file(plan.initramfs, archive, 0600, sys::Durability::Unsynced));
  PYBOX_TRY(sys::ensure_private_dir(run.work / "scratch"));
  return plan;
}

Result<sys::ToolResult> run_in_vm(Run& run) {
  gather(run, InVm::Yes);
  BuilderVmOrder order;
  order.dirs = run.setting.dirs;
  order.accelerator = run.setting.accelerator;
  order.plan = PYBOX_TRY(plan_vm(run));
  order.make_result = [&run] { return make_sparse(run.result(), kLargestResult); };
  order.follow = [&run] { return follow(run).line; };
  order.patience = kPatience;
  return run_builder_vm(order, run.progress);
}

/// Why there was no box at all, when it ended so; nothing of the job ran then.
std::optional<std::string> no_box(const sys::ToolResult& ended) {
  const bool began = ended.out.find(kBuilderMark) != std::string::npos;
  if (began || ended.status.by_signal || ended.status.code != kNoBuilderBox) return {};
  return visible(ended.err.substr(0, ended.err.find('\n')));
}

/// Where nobody named an engine: a box when this host makes one, which is found out by making it.
Result<sys::ToolResult> run_in_either(Run& run) {
  run.where =
      "the builder is a sealed box on this host: no engine was named, and `--engine vm` would take "
      "a VM";
  std::string reason;
  if (Result<sys::SpawnPlan> box = prepare_box(run)) {
    sys::ToolResult ended = PYBOX_TRY(run_natively(run, *std::move(box)));
    if (const auto refused = no_box(ended)) reason = *refused;
    if (reason.empty()) return ended;
  } else {
    reason = box.error().message();
  }
  run.where = "the builder is a VM: this host makes no sealed box for it (" + reason + ")";
  return PYBOX_TRY_CONTEXT(run_in_vm(run), "building in a VM, since " + reason);
}

Result<sys::ToolResult> run_somewhere(Run& run) {
  if (run.setting.place == BuilderPlace::Either) return run_in_either(run);
  const bool in_vm = run.setting.place == BuilderPlace::Vm;
  run.where = in_vm
                  ? "the builder is a VM, since the engine `vm` was named"
                  : "the builder is a sealed box on this host, since the engine `native` was named";
  return in_vm ? run_in_vm(run) : run_natively(run, PYBOX_TRY(prepare_box(run)));
}

/// The builder ended without a result: what it said last tells why.
Error lost(const sys::ToolResult& ended) {
  if (const auto reason = no_box(ended)) {
    return Error(ErrorKind::HostCannot, "this host makes no sealed box for the builder: " + *reason)
        .hint("`pybox doctor` says what this host allows; `--engine vm` builds in a VM instead");
  }
  const std::string said = ended.out + ended.err;
  if (said.find("No space left on device") != std::string::npos) return out_of_space();
  return sys::tool_failure("the builder", ended);
}

}  // namespace

Result<BuilderResult> run_in_builder(const BuilderSetting& setting, const BuilderJob& job,
                                     const sys::Tools& tools, const fs::path& work,
                                     Progress& progress) {
  Run run{setting, job, tools, work, progress, {}, {}, {}, {}, {}};
  run.base = PYBOX_TRY(store::find_image(setting.dirs, "stdlib", job.python));
  const sys::Fd held = PYBOX_TRY(store::hold_image(run.base));
  run.index = PYBOX_TRY(index_settings_of_host(own_variables()));
  if (run.index.certificates.empty())
    run.index.certificates =
        PYBOX_TRY(sys::read_file(run.base.rootfs / kCertificates.substr(1), 8_MiB));
  const sys::ToolResult ended = PYBOX_TRY(run_somewhere(run));
  const Result<std::string> text = file_in_pack(run.result(), "status.json", kMostStatus);
  if (!ended.ok() || !text) return lost(ended);
  BuilderStatus status = PYBOX_TRY(builder_status_from(*text));
  if (status.step >= job.steps.size() && !job.steps.empty())
    return Error(ErrorKind::Evidence, "the builder's status names a step it was not given");
  return BuilderResult{status.exit_code, status.step, std::move(status.said), run.result()};
}

}  // namespace pybox::builder
