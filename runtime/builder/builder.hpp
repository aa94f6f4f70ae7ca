#pragma once
/// The builder: a throwaway place with the network where pip and uv run, and nowhere else.
///
/// Theory of operation: it is either a VM of its own (QEMU with user-mode networking; started for
/// one job, then gone) or a box on the host whose network is left open. A named engine decides;
/// where none is named the box is tried, and a note says which of the two it is and why.
/// Both have the base image of the wanted Python as their read-only root, an empty scratch folder
/// /tmp, and the job's files in /tmp/in. Of the host they get the index settings of its pip
/// configuration (builder/index_settings.hpp) and its CA certificates, as data; no file, no
/// variable, no process. A small Python program of ours (runtime/python/builder.py) runs the job's
/// commands one after the other, and writes what they left in /tmp/out as one stream
/// (builder/pack.hpp), which is read as hostile. Only wheels are ever installed, so no code of a
/// package runs.
///
/// The job is a child on a leash (sys/tools.hpp): when PyBox ends, in whatever way, so does it.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "pypi/lock.hpp"
#include "store/registry.hpp"
#include "sys/state_dirs.hpp"
#include "sys/tools.hpp"
#include "vm/config.hpp"

namespace pybox::builder {

enum class BuilderPlace {
  Vm,
  Native,
  Either,  ///< nobody named one: a native box where this host makes it, else a VM
};

/// Where builders run on this host; run/builder_setting.hpp makes it from settings and words.
struct BuilderSetting {
  sys::StateDirs dirs;
  BuilderPlace place = BuilderPlace::Either;
  vm::AcceleratorChoice accelerator = vm::AcceleratorChoice::Auto;  ///< of a builder VM
};

/// One command of a job. It runs in /tmp with a clean environment, standard input empty.
struct BuilderStep {
  std::string stage;              ///< told to whoever watches: "downloading packages"
  std::vector<std::string> argv;  ///< argv[0] an absolute path in the builder
  std::map<std::string, std::string> environment;  ///< added to the builder's own
  /// How far it is: so many of `total` lines that begin with `counted`. May be empty.
  std::string counted = {};
  std::uint64_t total = 0;
};

struct BuilderJob {
  std::string python;                        ///< "3.13": whose base image is the root
  std::map<std::string, std::string> files;  ///< /tmp/in/NAME; a name is one path component
  std::vector<BuilderStep> steps;            ///< the first that fails ends the job
};

struct BuilderResult {
  int exit_code = 0;           ///< of the last step that ran
  std::size_t step = 0;        ///< which one that was
  std::string said;            ///< the end of what it printed, at most 256 KiB; untrusted
  std::filesystem::path pack;  ///< what is in /tmp/out, as builder/pack.hpp reads it; in `work`
};

/// Runs a job; `work` is an empty private folder of the caller's. A step that failed is a result.
/// Errors: no such base image, the host cannot (no QEMU, no namespaces), the builder was lost, took
/// longer than 30 minutes or filled its disk.
Result<BuilderResult> run_in_builder(const BuilderSetting& setting, const BuilderJob& job,
                                     const sys::Tools& tools, const std::filesystem::path& work,
                                     Progress& progress);

/// What uv is asked to pin.
struct ResolveRequest {
  enum class Format { Requirements, Pylock };
  std::string python;        ///< "3.13"
  std::string requirements;  ///< requirements text: one PEP 508 line each, no options
  Format format = Format::Requirements;
};

/// Runs `uv pip compile --generate-hashes` (or its export to PEP 751) in a builder, for this host's
/// platform, wheels only. Gives the text of the lock, which no one has checked: parse it. Takes the
/// home's set-up lock. Errors (HostCannot): no network, no such package, no wheel, nothing fits;
/// each says which and what to do.
Result<std::string> resolve_lock(const BuilderSetting& setting, const ResolveRequest& request,
                                 Progress& progress);

/// An image of one lock's packages over the base image of a Python.
struct BuildRequest {
  std::string name;  ///< own_image_name() must accept it, or it is "data", or cache_image_name()'s
  std::string python;  ///< "3.13"
  pypi::Lock lock;
};

struct BuildResult {
  store::Image image;
  bool built = false;  ///< false: it was there, whole and of this lock
  Nanos elapsed{0};
};

/// Builds images/NAME (images/NAME-3.14 for another Python), usable at once, also in a running VM.
/// Whole or absent: an earlier image of that name is replaced in one step. Takes the home's set-up
/// lock. Errors: Refused for a name that is none or a Python without base image (hint: set it up);
/// HostCannot for what went wrong in the builder; Evidence for a wheel that is not the pinned one.
Result<BuildResult> build_image(const BuilderSetting& setting, const BuildRequest& request,
                                Progress& progress);

}  // namespace pybox::builder
