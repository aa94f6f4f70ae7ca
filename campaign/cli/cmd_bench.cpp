#include <algorithm>
#include <array>
#include <string>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/join.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "campaign/bench/measure.hpp"
#include "campaign/bench/workload.hpp"
#include "campaign/cli/bench_words.hpp"
#include "campaign/cli/commands.hpp"
#include "campaign/cli/evidence_folder.hpp"
#include "campaign/cli/finish.hpp"
#include "campaign/run/environment.hpp"
#include "campaign/run/host_facts.hpp"
#include "campaign/run/host_identity.hpp"
#include "cli/terminal/exit_code.hpp"
#include "cli/terminal/process_setup.hpp"
#include "cli/terminal/progress.hpp"
#include "engine/boxd_path.hpp"
#include "reports/render/bench.hpp"
#include "reports/write.hpp"
#include "store/registry.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

namespace fs = std::filesystem;

constexpr std::array kOptions = {
    cli::Option{"--engine", "E", "only on one engine: vm or native"},
    cli::Option{"--images", "LIST", "of stdlib,data; default: those that are set up"},
    cli::Option{"--runs", "N", "pairs of each case that count (default 100)"},
    cli::Option{"--warm-up", "N", "pairs before them that do not count (default 3)"},
    cli::Option{"--think", "MS", "idle time before each run (default 0)"},
    cli::Option{"--seed", "N", "for the order within pairs; default: random"},
    cli::Option{"--out", "DIR", "where the evidence goes; default: $PYBOX_HOME/bench/…"},
    cli::Option{"--sign", "KEY", "the private key in PEM form; default: this installation's own"},
    cli::Option{"--json", "", "print bench.json instead of the table"}};

constexpr std::string_view kDetails =
    R"(Each sealed run is one `pybox exec` in a fresh box, with nothing prepared. It is paired
with a run of the same image's bare interpreter, back to back, in random order. The time
is from before a process starts until it is reaped. A run with a wrong output or exit
code, or an unverified seal, ends the bench.

The bench uses its own VM. An idle machine gives the best figures; the evidence shows
its load. Percentiles are left out when there are too few runs: p95 needs 20, p99 needs
100. Nothing passes or fails by its time.

Ctrl-C ends it and keeps what was measured. `campaign verify` computes every figure
again from the raw samples.)";

struct Setting {
  sys::StateDirs dirs;
  BenchWords words;
  SigningKey key;
  fs::path programs;
  Redactor redactor;  ///< everything that is written goes through it
  std::vector<store::Image> images;
  std::vector<EngineKind> engines;
};

/// Why an engine cannot be used here; empty: it can.
std::string trouble_with(EngineKind engine, const HostFacts& host) {
  return engine == EngineKind::Vm ? host.vm_trouble : host.native_trouble;
}

/// Those that this host has. One that was asked for by name must be there.
Result<void> choose_engines(Setting& setting) {
  const HostFacts host = probe_host(setting.dirs);
  std::string troubles;
  for (const EngineKind engine : setting.words.engines) {
    const std::string trouble = trouble_with(engine, host);
    if (trouble.empty()) {
      setting.engines.push_back(engine);
      continue;
    }
    const std::string told =
        "the " + std::string(name_of(engine)) + " engine cannot be used here: " + trouble;
    if (setting.words.engine_was_named) return Error(ErrorKind::HostCannot, told);
    cli::say("note: " + visible(told) + "\n");
    troubles += (troubles.empty() ? "" : "; ") + told;
  }
  if (setting.engines.empty()) return Error(ErrorKind::HostCannot, troubles);
  return {};
}

Result<void> choose_images(Setting& setting) {
  for (const std::string& name : setting.words.images) {
    auto found = store::find_image(setting.dirs, name, "3.13");
    if (found) {
      setting.images.push_back(std::move(found).value());
      continue;
    }
    if (setting.words.images_were_named || name == "stdlib") return std::move(found).error();
    cli::say("note: left out: " + visible(found.error().message()) +
             (found.error().hint().empty() ? "" : " (" + visible(found.error().hint()) + ")") +
             "\n");
  }
  return {};
}

Result<Setting> prepare(const cli::Words& words) {
  BenchWords read = PYBOX_TRY(bench_words(words));
  sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
  const fs::path boxd = PYBOX_TRY(engine::find_boxd());
  SigningKey key = PYBOX_TRY(key_for(read.sign));
  const fs::path programs = boxd.parent_path();
  const Redactor redactor(secrets_of_this_host({dirs.home, programs, source_beside(programs)}));
  Setting setting{.dirs = std::move(dirs),
                  .words = std::move(read),
                  .key = std::move(key),
                  .programs = programs,
                  .redactor = redactor,
                  .images = {},
                  .engines = {}};
  PYBOX_TRY(choose_images(setting));
  PYBOX_TRY(choose_engines(setting));
  return setting;
}

/// A number that JSON keeps exactly.
std::uint64_t random_seed() {
  std::array<std::uint8_t, 8> bytes{};
  random_fill(bytes);
  std::uint64_t seed = 0;
  for (const std::uint8_t byte : bytes) seed = seed << 8U | byte;
  return seed & kMaxJsonInteger;
}

BenchPlan plan_for(const Setting& setting) {
  BenchPlan plan;
  plan.id = random_hex(16);
  plan.created = rfc3339(wall_now());
  plan.runs = setting.words.runs;
  plan.warm_up = setting.words.warm_up;
  plan.think = setting.words.think;
  plan.seed = setting.words.seed ? *setting.words.seed : random_seed();
  for (const EngineKind engine : setting.engines) {
    for (const store::Image& image : setting.images) {
      for (const Workload& each : workloads()) {
        if (each.image != image.name) continue;
        const std::string program(each.name);
        plan.cases.push_back(
            {.name = join({std::string(name_of(engine)), image.name, program}, "."),
             .engine = engine,
             .image = image.name,
             .image_id = image.id,
             .program = program,
             .text = std::string(each.text),
             .output = std::string(each.output)});
      }
    }
  }
  return plan;
}

Result<fs::path> make_folder(const Setting& setting, const BenchPlan& plan) {
  return make_folder_for(setting.words.out, setting.dirs.home / "bench", plan.id, plan.created,
                         "name a new folder");
}

Result<BenchJournal> begin(const Setting& setting, const BenchPlan& plan, const fs::path& folder) {
  const std::string text = PYBOX_TRY(bench_plan_to_json(plan));
  PYBOX_TRY(sys::replace_file(folder / "plan.json", text));
  PYBOX_TRY_CONTEXT(reports::sign_plan(folder, setting.key, reports::FolderOf::Bench),
                    "signing the plan");
  BenchEvent started;
  started.id = plan.id;
  started.plan_sha256 = sha256_hex(text);
  started.environment = environment_facts(setting.redactor);
  const auto governor = sys::read_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  started.environment["cpu.governor"] =
      governor ? governor->substr(0, governor->find('\n')) : std::string("unknown");
  started.tools = PYBOX_TRY(tool_digests(setting.programs));
  BenchJournal journal = PYBOX_TRY(BenchJournal::create(folder));
  PYBOX_TRY(journal.append(std::move(started)));
  return journal;
}

Result<BenchEnd> measure(const Setting& setting, const BenchPlan& plan, BenchJournal& journal,
                         int cancel_fd) {
  BenchSettings settings{.programs = setting.programs,
                         .rootfs = {},
                         .redactor = setting.redactor,
                         .cancel_fd = cancel_fd};
  for (const store::Image& image : setting.images) settings.rootfs[image.name] = image.rootfs;
  DriverHome home = PYBOX_TRY(DriverHome::make(setting.dirs, setting.programs, CheckSources{}));
  return cli::with_progress(cli::ProgressMode::Auto, [&](Progress& progress) {
    return run_bench(plan, settings, home, journal, progress);
  });
}

Result<int> tell(const Setting& setting, const Bench& bench, const fs::path& folder, BenchEnd end) {
  std::string text;
  if (setting.words.json) {
    text = PYBOX_TRY(bench_to_json(bench));
  } else {
    text = reports::bench_text(bench);
  }
  PYBOX_TRY(cli::print(text));
  std::uint64_t pairs = 0;
  for (const BenchCase& each : bench.cases) pairs += each.pairs;
  cli::say("kept: " + std::to_string(pairs) + " pairs of " + std::to_string(bench.cases.size()) +
           " cases in " + visible(folder.string()) + "\n");
  if (end == BenchEnd::Cancelled) return cli::exit_code::kInterrupted;
  return end == BenchEnd::Complete ? cli::exit_code::kOk : kNotGreen;
}

Result<int> run(const cli::Words& words, const cli::Surroundings&) {
  const Setting setting = PYBOX_TRY(prepare(words));
  const BenchPlan plan = plan_for(setting);
  const cli::CancelSignals cancel = PYBOX_TRY(cli::CancelSignals::watch());
  const fs::path folder = PYBOX_TRY(make_folder(setting, plan));
  BenchJournal journal = PYBOX_TRY(begin(setting, plan, folder));
  auto end = measure(setting, plan, journal, cancel.fd());
  // What was measured is kept and signed whatever came.
  const Bench bench = PYBOX_TRY(write_bench_evidence(folder, setting.key));
  if (!end) {
    cli::say("kept: what was measured until then, in " + visible(folder.string()) + "\n");
    return std::move(end).error();
  }
  return tell(setting, bench, folder, *end);
}

}  // namespace

const cli::Command kBench{
    .name = "bench",
    .summary = "Compare the time of sealed runs with the bare interpreter",
    .synopsis = "[OPTIONS]",
    .positionals = {},
    .options = kOptions,
    .details = kDetails,
    .program_option = {},
    .run = run,
    .program = kProgram,
};

}  // namespace pybox::campaign
