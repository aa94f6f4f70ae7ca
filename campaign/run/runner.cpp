#include "campaign/run/runner.hpp"

#include <poll.h>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "campaign/model/blobs.hpp"
#include "campaign/oracle/verdicts.hpp"
#include "campaign/run/driver.hpp"
#include "campaign/run/program.hpp"
#include "campaign/run/progress_so_far.hpp"

namespace pybox::campaign {
namespace {

/// What running an arm once gave.
struct Ran {
  std::optional<RunReport> report;
  std::string out, err;
  std::vector<std::string> witnesses;
  std::string trouble;
  bool cancelled = false;
};

std::string text_in(const std::map<std::string, std::string>& texts, const std::string& name) {
  const auto found = texts.find(name);
  return found == texts.end() ? std::string() : found->second;
}

std::string words_of(const Error& error) {
  return error.hint().empty() ? error.message() : error.message() + " (" + error.hint() + ")";
}

class Runner {
 public:
  Runner(const Plan& plan, const CheckSources& sources, const RunSettings& settings,
         Journal& journal, Progress& progress, const CheckEnded& check_ended)
      : plan_(plan),
        sources_(sources),
        settings_(settings),
        journal_(journal),
        progress_(progress),
        check_ended_(check_ended),
        blobs_(settings.folder / "raw"),
        worlds_([this](EngineKind engine, WorldBoxd boxd) {
          if (engine == EngineKind::Vm) area_.clear();  // its start is a stage of its own
          return settings_.open_world(engine, boxd);
        }) {}

  Result<bool> run() {
    done_ = PYBOX_TRY(done_so_far(plan_, journal_.before(), blobs_));
    for (const PlannedCheck& planned : plan_.checks) total_ += planned.arms.size() * plan_.passes;
    for (std::uint32_t pass = 1; pass <= plan_.passes && !is_cancelled(); ++pass) {
      steps_ = (pass - 1) * (total_ / plan_.passes);
      for (const PlannedCheck& planned : plan_.checks) {
        PYBOX_TRY(run_check(planned, pass));
        if (is_cancelled()) break;
      }
    }
    Event ended;
    ended.kind = EventKind::Ended;
    ended.complete = !is_cancelled();
    PYBOX_TRY(journal_.append(ended));
    return ended.complete;
  }

 private:
  bool is_cancelled() const {
    pollfd cancel{settings_.cancel_fd, POLLIN, 0};
    return ::poll(&cancel, 1, 0) > 0;
  }

  void show(const Check& check) {
    if (check.area != area_) progress_.stage(area_ = check.area);
    progress_.advance(arms_behind_, total_, Progress::Unit::Count);
  }

  Result<void> run_check(const PlannedCheck& planned, std::uint32_t pass) {
    const std::size_t first = steps_;
    steps_ += planned.arms.size();
    const std::string id = full_id(planned.check);
    if (done_.unmet.contains(id)) return {};
    const std::string missing = lacking(planned.check, settings_.host);
    if (!missing.empty()) return unmet(planned, missing);
    // Drivers run VMs of their own, and an engine's worlds are of no use to the other.
    if (planned.check.driver.empty()) {
      worlds_.keep_only(planned.check.engine);
    } else {
      worlds_.close();
    }
    for (std::size_t i = 0; i < planned.arms.size(); ++i) {
      arms_behind_ = first + i;
      show(planned.check);
      if (!PYBOX_TRY(run_arm(planned, planned.arms[i], pass))) return {};
    }
    if (pass == plan_.passes) check_ended_(judge_check(planned, done_.attempts[id]));
    return {};
  }

  /// Runs the arm until it has been run as often as this pass wants. False: the check ends here.
  Result<bool> run_arm(const PlannedCheck& planned, const Arm& arm, std::uint32_t pass) {
    ArmProgress& progress = done_.of(planned.check, arm);
    for (;;) {
      const bool repeats = progress.reached && arm.name == kProtected;
      if (progress.ended >= pass + (repeats ? kRepeats : 0)) return true;
      if (is_cancelled()) return false;
      if (!PYBOX_TRY(attempt(planned, arm, progress))) return false;
    }
  }

  /// One attempt, from `arm-started` to `arm-ended`. False: cancelled or unmet.
  Result<bool> attempt(const PlannedCheck& planned, const Arm& arm, ArmProgress& progress) {
    const Check& check = planned.check;
    World* world = nullptr;
    const WorldBoxd boxd = arm.removed.empty() ? WorldBoxd::Released : WorldBoxd::Campaign;
    if (check.driver.empty()) {
      auto got = worlds_.get(check.engine, boxd);
      if (!got && got.error().kind() == ErrorKind::Interrupted) return false;
      if (!got && got.error().kind() == ErrorKind::HostCannot) {
        PYBOX_TRY(unmet(planned, words_of(got.error())));
        return false;
      }
      if (!got) return note_trouble(check, arm, progress, words_of(got.error()));
      world = *got;
      show(check);
    }
    Event began = PYBOX_TRY(begin(check, arm, progress, world));
    const Nanos started = monotonic_now();
    Ran ran =
        world != nullptr ? run_probe(check, arm, began, *world) : run_driver_arm(check, arm, began);
    if (ran.cancelled) return false;
    if (world != nullptr && !ran.trouble.empty() && !ran.report) worlds_.drop(check.engine, boxd);
    return end(check, progress, began, ran, monotonic_now() - started);
  }

  Result<Event> begin(const Check& check, const Arm& arm, ArmProgress& progress,
                      const World* world) {
    Event began;
    began.kind = EventKind::ArmStarted;
    began.check = check.id;
    began.engine = check.engine;
    began.arm = arm.name;
    began.attempt = ++progress.started;
    began.removed = arm.removed;
    began.nonce = random_hex(16);
    began.canary = world != nullptr ? world->canary() : "";
    PYBOX_TRY(journal_.append(began));
    return began;
  }

  /// An arm whose world would not open.
  Result<bool> note_trouble(const Check& check, const Arm& arm, ArmProgress& progress,
                            std::string trouble) {
    const Event began = PYBOX_TRY(begin(check, arm, progress, nullptr));
    Ran ran;
    ran.trouble = std::move(trouble);
    return end(check, progress, began, ran, Nanos{});
  }

  Ran run_probe(const Check& check, const Arm& arm, const Event& began, World& world) {
    Ran ran;
    const bool benign = arm.name == kBenign;
    const auto ask = ask_json(began.nonce, check.ask, world.ask_world_json());
    if (!ask) {
      ran.trouble = words_of(ask.error());
      return ran;
    }
    const ArmOrder order{
        .check = check,
        .program = program_text(*ask, text_in(sources_.probes, "prelude.py"),
                                text_in(sources_.probes, benign ? check.benign : check.probe)),
        .removed = arm.removed,
        .cancel_fd = settings_.cancel_fd};
    auto report = world.run(order);
    ran.witnesses = world.take_witnesses();
    ran.cancelled = is_cancelled();
    if (!report) {
      ran.trouble = words_of(report.error());
      return ran;
    }
    ran.report = std::move(report).value();
    clean_report(*ran.report, settings_.redactor);
    const auto read_back = report_from_json(report_to_json(*ran.report));
    if (!read_back) {
      ran.report.reset();
      ran.trouble = "the report cannot be read back: " + words_of(read_back.error());
      return ran;
    }
    ran.out = ran.report->out.bytes;
    ran.err = ran.report->err.bytes;
    ran.trouble = trouble_in(check, *ran.report);
    return ran;
  }

  /// Why a report is no usable run. Whether the box is gone can be what is asked.
  static std::string trouble_in(const Check& check, const RunReport& report) {
    if (report.failure) return report.failure->message;
    if (report.outcome.observation == Observation::BoxLost) return "the box was lost";
    if (report.outcome.observation == Observation::NotStarted) return "the program was not started";
    if (report.cleanup.status == Cleanup::Status::Unconfirmed && check.oracle != "cleanup")
      return "the removal of the box is not confirmed: " + report.cleanup.detail;
    return {};
  }

  Ran run_driver_arm(const Check& check, const Arm& arm, const Event& began) {
    Ran ran;
    auto answer = drive(check, arm, began);
    if (!answer) {
      ran.trouble = words_of(answer.error());
      return ran;
    }
    ran.out = settings_.redactor.clean(answer->out);
    ran.err = settings_.redactor.clean(answer->err);
    ran.trouble = std::move(answer->trouble);
    ran.cancelled = answer->cancelled || is_cancelled();
    return ran;
  }

  Result<DriverRun> drive(const Check& check, const Arm& arm, const Event& began) {
    if (!driver_home_) {
      driver_home_.emplace(
          PYBOX_TRY(DriverHome::make(settings_.dirs, settings_.programs, sources_)));
    }
    if (check.engine == EngineKind::Vm) PYBOX_TRY(driver_home_->start_vm());
    DriverAsk ask{.nonce = began.nonce,
                  .args = check.ask,
                  .arm = arm.name,
                  .removed = arm.removed,
                  .engine = check.engine,
                  .programs = settings_.programs,
                  .home = driver_home_->home(),
                  .scratch = PYBOX_TRY(driver_home_->fresh_scratch()),
                  .source = settings_.source};
    return run_driver({.folder = driver_home_->drivers(),
                       .name = check.driver,
                       .ask = PYBOX_TRY(driver_json(ask)),
                       .home = ask.scratch,
                       .timeout = check.timeout,
                       .cancel_fd = settings_.cancel_fd});
  }

  Result<bool> end(const Check& check, ArmProgress& progress, const Event& began, const Ran& ran,
                   Nanos duration) {
    Event ended = began;
    ended.kind = EventKind::ArmEnded;
    if (ran.report) ended.report = PYBOX_TRY(blobs_.keep(report_to_json(*ran.report)));
    ended.out = PYBOX_TRY(blobs_.keep(ran.out));
    ended.err = PYBOX_TRY(blobs_.keep(ran.err));
    for (const std::string& each : ran.witnesses)
      ended.witnesses.push_back(settings_.redactor.clean(each));
    ended.duration = duration;
    ended.trouble = settings_.redactor.clean(ran.trouble);
    PYBOX_TRY(journal_.append(ended));
    ++progress.ended;
    Attempted made = PYBOX_TRY(
        attempted(began, ended, [&](const std::string& name) { return blobs_.read(name); }));
    progress.reached = progress.reached || signature_of(check, made.record) == kReached;
    done_.attempts[full_id(check)][began.arm].push_back(std::move(made));
    return true;
  }

  Result<void> unmet(const PlannedCheck& planned, const std::string& reason) {
    Event event;
    event.kind = EventKind::CheckUnmet;
    event.check = planned.check.id;
    event.engine = planned.check.engine;
    event.reason = settings_.redactor.clean(reason);
    PYBOX_TRY(journal_.append(event));
    done_.unmet.insert(full_id(planned.check));
    CheckResult result = judge_check(planned, {});
    result.verdict = Verdict::Unmet;
    result.why = event.reason;
    check_ended_(result);
    return {};
  }

  const Plan& plan_;
  const CheckSources& sources_;
  const RunSettings& settings_;
  Journal& journal_;
  Progress& progress_;
  const CheckEnded& check_ended_;
  Blobs blobs_;
  Worlds worlds_;
  std::optional<DriverHome> driver_home_;
  Done done_;
  std::size_t total_ = 0;
  std::size_t steps_ = 0;
  std::string area_;  ///< whose stage is shown
  std::size_t arms_behind_ = 0;
};

}  // namespace

Result<bool> run_plan(const Plan& plan, const CheckSources& sources, const RunSettings& settings,
                      Journal& journal, Progress& progress, const CheckEnded& check_ended) {
  return Runner(plan, sources, settings, journal, progress, check_ended).run();
}

}  // namespace pybox::campaign
