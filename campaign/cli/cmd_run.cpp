#include <array>
#include <optional>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "campaign/cli/choose_checks.hpp"
#include "campaign/cli/commands.hpp"
#include "campaign/cli/evidence_folder.hpp"
#include "campaign/cli/finish.hpp"
#include "campaign/cli/run_words.hpp"
#include "campaign/cli/summary.hpp"
#include "campaign/model/blobs.hpp"
#include "campaign/model/history.hpp"
#include "campaign/run/environment.hpp"
#include "campaign/run/host_identity.hpp"
#include "campaign/run/planner.hpp"
#include "campaign/run/runner.hpp"
#include "cli/terminal/exit_code.hpp"
#include "cli/terminal/process_setup.hpp"
#include "cli/terminal/progress.hpp"
#include "engine/boxd_path.hpp"
#include "reports/write.hpp"
#include "store/registry.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

namespace fs = std::filesystem;

constexpr std::array kPositionals = {cli::Positional{
    "CHECK…", "a check's id, or one with its engine: net.loopback@vm", false, true}};

constexpr std::array kOptions = {
    cli::Option{"--all", "", "every check on both engines"},
    cli::Option{"--area", "A", "the checks of one area"},
    cli::Option{"--engine", "E", "only on one engine: vm or native"},
    cli::Option{"--arm", "A", "only one arm: protected, control, only:PROTECTION, benign"},
    cli::Option{"--out", "DIR", "where the evidence goes; default: $PYBOX_HOME/evidence/…"},
    cli::Option{"--sign", "KEY", "the private key in PEM form; default: this installation's own"},
    cli::Option{"--passes", "N", "run every arm N times; disagreement is flaky"},
    cli::Option{"--expect", "FILE", "the checks that may be unmet here, one per line"},
    cli::Option{"--previous", "DIR",
                "the evidence that this follows; default: the last of the chain"},
    cli::Option{"--resume", "", "continue an interrupted campaign"},
    cli::Option{"--checks", "DIR", "checks from a folder instead of those compiled in"}};

constexpr std::string_view kDetails =
    R"(Each attack is tried with every protection on, and without those that should stop it;
the second attack must succeed, or the first proves nothing. Exit code 0: nothing is
broken, vacuous, flaky or in error, and only expected checks cannot run here; else 1.
The area `speed` checks that times are true and cold runs cold; `campaign bench`
measures what a run costs.)";

/// Everything one run needs, made before anything is written.
struct Setting {
  sys::StateDirs dirs;
  CheckSources sources;
  RunWords words;
  SigningKey key;
};

Result<Setting> prepare(const cli::Words& words) {
  sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
  CheckSources sources = PYBOX_TRY(sources_from(words));
  RunWords read = PYBOX_TRY(run_words(words, sources));
  SigningKey key = PYBOX_TRY(key_for(read.sign));
  // Every check runs in this image; without it nothing could be told from anything.
  PYBOX_TRY(store::find_image(dirs, "stdlib", "3.13"));
  return Setting{std::move(dirs), std::move(sources), std::move(read), std::move(key)};
}

/// A folder with a signed plan and a journal that has begun.
struct Begun {
  fs::path folder;
  Plan plan;
  Journal journal;
  bool all_recorded = false;  ///< only its reports are missing
};

Result<std::optional<PreviousRun>> link_previous(const Setting& setting, const fs::path& folder) {
  std::optional<fs::path> previous;
  if (setting.words.previous) {
    previous = fs::path(*setting.words.previous);
  } else if (!setting.words.out) {
    previous = last_finished(setting.dirs);
  }
  if (!previous) return std::optional<PreviousRun>();
  return std::optional(
      PYBOX_TRY_CONTEXT(take_over_previous(folder, *previous), "the campaign before this one"));
}

Result<void> keep_texts(const Setting& setting, const Plan& plan, const fs::path& folder) {
  const Blobs blobs(folder / "raw");
  for (const PlannedCheck& planned : plan.checks) {
    PYBOX_TRY(blobs.keep(text_of(setting.sources, planned.check, false)));
    if (!planned.check.benign.empty())
      PYBOX_TRY(blobs.keep(text_of(setting.sources, planned.check, true)));
  }
  return {};
}

Result<Begun> begin(Setting& setting, const fs::path& programs, const Redactor& redactor) {
  const std::string id = random_hex(16);
  const std::string created = rfc3339(wall_now());
  Plan plan = PYBOX_TRY(make_plan({.checks = std::move(setting.words.checks),
                                   .arm = setting.words.arm,
                                   .passes = setting.words.passes,
                                   .expected_unmet = setting.words.expected_unmet},
                                  setting.sources, id, created));
  const fs::path folder =
      PYBOX_TRY(make_evidence_folder(setting.words.out, setting.dirs, id, created));
  const std::string text = PYBOX_TRY(plan_to_json(plan));
  PYBOX_TRY(sys::replace_file(folder / "plan.json", text));
  PYBOX_TRY_CONTEXT(reports::sign_plan(folder, setting.key), "signing the plan");
  PYBOX_TRY(keep_texts(setting, plan, folder));
  Event started;
  started.kind = EventKind::Started;
  started.id = id;
  started.plan_sha256 = sha256_hex(text);
  started.previous = PYBOX_TRY(link_previous(setting, folder));
  started.environment = environment_facts(redactor);
  started.tools = PYBOX_TRY(tool_digests(programs));
  Journal journal = PYBOX_TRY(Journal::create(folder));
  PYBOX_TRY(journal.append(started));
  if (!setting.words.out)
    PYBOX_TRY(append_to_chain(setting.dirs, {.event = "started",
                                             .id = id,
                                             .folder = folder.filename(),
                                             .plan_sha256 = started.plan_sha256,
                                             .manifest_sha256 = {},
                                             .verdict = {}}));
  return Begun{folder, std::move(plan), std::move(journal)};
}

Result<Begun> go_on(const Setting& setting, const fs::path& programs) {
  const fs::path folder = PYBOX_TRY(folder_to_resume(setting.words.out, setting.dirs));
  const std::string text = PYBOX_TRY(sys::read_file(folder / "plan.json", 64_MiB));
  Plan plan = PYBOX_TRY(plan_from_json(text));
  Journal journal = PYBOX_TRY(Journal::resume(folder));
  const Event& started = journal.before().front();
  if (started.plan_sha256 != sha256_hex(text))
    return Error(ErrorKind::Evidence, "plan.json is not the one the campaign began with");
  if (started.tools != PYBOX_TRY(tool_digests(programs)))
    return Error(ErrorKind::Refused, "PyBox has changed since the campaign began")
        .hint("a campaign is about one build; start a new one");
  for (const PlannedCheck& planned : plan.checks) {
    if (planned.texts.at("program") == sha256_hex(text_of(setting.sources, planned.check, false)))
      continue;
    return Error(ErrorKind::Refused, "the program of `" + planned.check.id + "` is another one now")
        .hint("a campaign is about one set of checks; start a new one");
  }
  const Event& last = journal.before().back();
  sweep_temporaries(folder);
  if (last.kind == EventKind::Ended && last.complete) {
    if (is_written(folder))
      return Error(ErrorKind::Refused, "the campaign in `" + folder.string() + "` is complete");
    return Begun{folder, std::move(plan), std::move(journal), true};
  }
  Event resumed;
  resumed.kind = EventKind::Resumed;
  resumed.torn_bytes = journal.torn_bytes();
  PYBOX_TRY(journal.append(resumed));
  if (resumed.torn_bytes > 0)
    cli::say("a torn last line of " + std::to_string(resumed.torn_bytes) +
             " bytes was cut off events.jsonl\n");
  return Begun{folder, std::move(plan), std::move(journal)};
}

Result<Evidence> carry_out(const Setting& setting, Begun& begun, RunSettings& settings) {
  const WorldSettings world{
      .programs = settings.programs, .dirs = setting.dirs, .cancel_fd = settings.cancel_fd};
  cli::say("writing evidence to " + begun.folder.string() + "\n");
  if (!begun.all_recorded) {
    PYBOX_TRY(cli::with_progress(cli::ProgressMode::Auto, [&](Progress& progress) {
      settings.open_world = [&](EngineKind engine, WorldBoxd boxd) {
        return open_world(engine, boxd, world, progress);
      };
      return run_plan(begun.plan, setting.sources, settings, begun.journal, progress,
                      [&](const CheckResult& result) {
                        if (result.verdict != Verdict::Held) progress.note(verdict_line(result));
                      });
    }));
  }
  const Evidence evidence = PYBOX_TRY(write_evidence(begun.folder, setting.key));
  if (begun.folder.parent_path() == evidence_home(setting.dirs)) {
    const std::string manifest = PYBOX_TRY(sys::read_file(begun.folder / "manifest.sha256"));
    PYBOX_TRY(append_to_chain(setting.dirs, {.event = "finished",
                                             .id = evidence.id,
                                             .folder = begun.folder.filename(),
                                             .plan_sha256 = evidence.plan_sha256,
                                             .manifest_sha256 = sha256_hex(manifest),
                                             .verdict = evidence.verdict}));
  }
  return evidence;
}

Result<int> run(const cli::Words& words, const cli::Surroundings& around) {
  Setting setting = PYBOX_TRY(prepare(words));
  const fs::path programs = PYBOX_TRY(engine::find_boxd()).parent_path();
  const cli::CancelSignals cancel = PYBOX_TRY(cli::CancelSignals::watch());
  const fs::path source = source_beside(programs);
  const Redactor redactor(secrets_of_this_host({setting.dirs.home, programs, source}));
  Begun begun = PYBOX_TRY(setting.words.resume ? go_on(setting, programs)
                                               : begin(setting, programs, redactor));
  RunSettings settings{.folder = begun.folder,
                       .programs = programs,
                       .source = source,
                       .dirs = setting.dirs,
                       .host = probe_host(setting.dirs),
                       .open_world = {},
                       .redactor = redactor,
                       .cancel_fd = cancel.fd()};
  const Evidence evidence = PYBOX_TRY(carry_out(setting, begun, settings));
  cli::say(summary_text(evidence, around.terminal.colour));
  PYBOX_TRY(cli::print((begun.folder / "report.html").string() + "\n"));
  if (!evidence.complete) {
    cli::say("interrupted; `campaign run --resume` continues it\n");
    return cli::exit_code::kInterrupted;
  }
  return evidence.verdict == name_of(Verdict::Held) ? cli::exit_code::kOk : kNotGreen;
}

}  // namespace

const cli::Command kRun{
    .name = "run",
    .summary = "Run checks, judge them and write the evidence",
    .synopsis = "--all | --area A | CHECK… [OPTIONS]",
    .positionals = kPositionals,
    .options = kOptions,
    .details = kDetails,
    .program_option = {},
    .run = run,
    .program = kProgram,
};

}  // namespace pybox::campaign
