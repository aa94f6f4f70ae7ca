#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "base/text.hpp"
#include "box/plan.hpp"
#include "builder/box.hpp"
#include "builder/builder.hpp"
#include "builder/guest.hpp"
#include "builder/index_settings.hpp"
#include "builder/job.hpp"
#include "builder/pack.hpp"
#include "builder/vm.hpp"
#include "store/kernel.hpp"
#include "sys/file.hpp"

namespace pybox::builder {
namespace {

namespace fs = std::filesystem;

constexpr Nanos kPatience = std::chrono::minutes(30);
constexpr std::string_view kCertificates = "/etc/ssl/certs/ca-certificates.crt";
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
  store::Image base;
  std::map<std::string, std::string> files;     ///< /tmp/in
  std::map<std::string, std::string> settings;  ///< builder_box.hpp names them

  fs::path result() const { return work / "scratch" / "result.pack"; }
};

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

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

Result<void> gather(Run& run) {
  const bool in_vm = run.setting.place == BuilderPlace::Vm;
  IndexSettings index = PYBOX_TRY(index_settings_of_host(variable));
  if (in_vm) index = as_seen_from_vm(std::move(index));
  if (index.certificates.empty())
    index.certificates =
        PYBOX_TRY(sys::read_file(run.base.rootfs / kCertificates.substr(1), 8_MiB));
  run.files = run.job.files;
  run.files["builder.py"] = builder_program();
  run.files["job.json"] = job_json(run.job, builder_environment(index, kCertificates));
  run.settings = {{"resolv.conf", in_vm ? std::string(kNamesInVm) : name_servers()},
                  {"nsswitch.conf", std::string(kNameService)},
                  {"certificates.pem", std::move(index.certificates)}};
  return {};
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

Result<sys::ToolResult> run_natively(const Run& run) {
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
  return run.tools.run(std::move(spawn), kPatience, follow(run));
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

Result<sys::ToolResult> run_in_vm(const Run& run) {
  BuilderVmOrder order;
  order.dirs = run.setting.dirs;
  order.accelerator = run.setting.accelerator;
  order.plan = PYBOX_TRY(plan_vm(run));
  order.make_result = [&run] { return make_sparse(run.result(), kLargestResult); };
  order.follow = [&run] { return follow(run).line; };
  order.patience = kPatience;
  return run_builder_vm(order, run.progress);
}

/// The builder ended without a result: what it said last tells why.
Error lost(const sys::ToolResult& ended) {
  const std::string said = ended.out + ended.err;
  if (said.find("No space left on device") != std::string::npos) {
    return Error(ErrorKind::HostCannot, "the builder ran out of space")
        .hint(
            "free some space, or set PYBOX_HOME to a folder on a larger disk; `--engine native` "
            "builds on the disk instead of in a VM's memory");
  }
  return sys::tool_failure("the builder", ended);
}

}  // namespace

Result<BuilderResult> run_in_builder(const BuilderSetting& setting, const BuilderJob& job,
                                     const sys::Tools& tools, const fs::path& work,
                                     Progress& progress) {
  Run run{setting, job, tools, work, progress, {}, {}, {}};
  run.base = PYBOX_TRY(store::find_image(setting.dirs, "stdlib", job.python));
  const sys::Fd held = PYBOX_TRY(store::hold_image(run.base));
  PYBOX_TRY(gather(run));
  const bool in_vm = setting.place == BuilderPlace::Vm;
  const sys::ToolResult ended = PYBOX_TRY(in_vm ? run_in_vm(run) : run_natively(run));
  const Result<std::string> text = file_in_pack(run.result(), "status.json", kMostStatus);
  if (!ended.ok() || !text) return lost(ended);
  BuilderStatus status = PYBOX_TRY(builder_status_from(*text));
  if (status.step >= job.steps.size() && !job.steps.empty())
    return Error(ErrorKind::Evidence, "the builder's status names a step it was not given");
  return BuilderResult{status.exit_code, status.step, std::move(status.said), run.result()};
}

}  // namespace pybox::builder
