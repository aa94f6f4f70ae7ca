#include "base/text.hpp"
#include "builder/builder.hpp"
#include "builder/pack.hpp"
#include "builder/pip_step.hpp"
#include "builder/pip_trouble.hpp"
#include "store/package_recipe.hpp"
#include "store/setup_lock.hpp"

namespace pybox::builder {
namespace {

namespace fs = std::filesystem;

/// uv is brought by pip, pinned by its hashes, for this one job.
BuilderStep bring_uv(const std::string& python) {
  BuilderStep step = pip_step(python, "uv.txt", "/tmp/tools");
  step.stage = "getting uv";
  return step;
}

BuilderStep compile_lock(const std::string& python, ResolveRequest::Format format) {
  const bool pylock = format == ResolveRequest::Format::Pylock;
  BuilderStep step;
  step.stage = "finding versions";
  step.argv = {"/tmp/tools/bin/uv",
               "pip",
               "compile",
               "--no-config",
               "--no-progress",
               "--quiet",  // or it prints the whole lock
               "--color=never",
               "--generate-hashes",
               "--only-binary=:all:",
               "--no-annotate",
               "--no-header",
               "--no-python-downloads",
               "--python=" + python,
               pylock ? "--format=pylock.toml" : "--format=requirements.txt",
               pylock ? "--output-file=/tmp/out/pylock.toml" : "--output-file=/tmp/out/lock.txt",
               "/tmp/in/requirements.in"};
  step.environment = {{"UV_CACHE_DIR", "/tmp/uv-cache"}};
  return step;
}

Error failure_of(const ResolveRequest& request, const BuilderResult& result) {
  if (result.step == 0)
    return pip_failure(result, request.python).context("getting uv for the builder");
  return uv_error(result.said, request.python);
}

Result<std::string> resolve_in_work(const BuilderSetting& setting, const ResolveRequest& request,
                                    const sys::Tools& tools, Progress& progress) {
  const std::string python = "/usr/bin/python" + request.python;
  BuilderJob job;
  job.python = request.python;
  job.files["requirements.in"] = request.requirements;
  job.files["uv.txt"] = store::uv_lock_text();
  job.steps = {bring_uv(request.python), compile_lock(python, request.format)};
  const fs::path work = PYBOX_TRY(store::make_work_folder(setting.dirs));
  const BuilderResult result = PYBOX_TRY(run_in_builder(setting, job, tools, work, progress));
  if (result.exit_code != 0) return failure_of(request, result);
  const bool pylock = request.format == ResolveRequest::Format::Pylock;
  return file_in_pack(result.pack, pylock ? "out/pylock.toml" : "out/lock.txt",
                      pylock ? pypi::kMaxPylockBytes : pypi::kMaxLockBytes);
}

}  // namespace

Result<std::string> resolve_lock(const BuilderSetting& setting, const ResolveRequest& request,
                                 Progress& progress) {
  const sys::Fd lock = PYBOX_TRY(store::lock_setup(setting.dirs, progress));
  PYBOX_TRY(store::sweep_setup(setting.dirs));
  const sys::Tools tools(progress, lock.get());
  Result<std::string> text = resolve_in_work(setting, request, tools, progress);
  const Result<void> swept = store::sweep_setup(setting.dirs);
  if (!text) return store::explain_full_disk(std::move(text).error());
  PYBOX_TRY(swept);
  return text;
}

}  // namespace pybox::builder
