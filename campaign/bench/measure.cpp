#include "campaign/bench/measure.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "campaign/bench/bare.hpp"
#include "campaign/bench/sealed.hpp"
#include "campaign/run/driver.hpp"
#include "request/limits.hpp"
#include "sys/file.hpp"

namespace pybox::campaign {
namespace {

constexpr Nanos kBarePatience = std::chrono::seconds(60);

/// The kernel's averages over 1, 5 and 15 minutes (man 5 proc).
std::string load_now() {
  const auto text = sys::read_file("/proc/loadavg", 4_KiB);
  if (!text) return "unknown";
  std::string_view rest = text.value();
  std::string load(take_word(rest));
  for (int i = 0; i < 2; ++i) load += " " + std::string(take_word(rest));
  return load;
}

/// Waits out the time, or until it is cancelled.
void think(Nanos time, int cancel_fd) {
  pollfd cancel{cancel_fd, POLLIN, 0};
  const timespec patience = to_timespec(time);
  // Interrupted by a signal nobody blocked, the pause is shorter: that is all.
  (void)::ppoll(&cancel, 1, &patience, nullptr);
}

bool is_readable(int fd) {
  pollfd watched{fd, POLLIN, 0};
  return fd >= 0 && ::poll(&watched, 1, 0) > 0;
}

/// One case: its pairs.
class CaseRun {
 public:
  CaseRun(const BenchPlan& plan, std::size_t index, const BenchSettings& settings,
          SealedRunner& sealed, BenchJournal& journal)
      : plan_(plan),
        each_(plan.cases[index]),
        index_(index),
        settings_(settings),
        sealed_(sealed),
        journal_(journal) {}

  Result<BenchEnd> run(Progress& progress) {
    PYBOX_TRY(tell(BenchEventKind::CaseStarted));
    const std::uint32_t total = plan_.warm_up + plan_.runs;
    BenchEnd end = BenchEnd::Complete;
    const Nanos began = monotonic_now();
    for (std::uint32_t i = 0; i < total && end == BenchEnd::Complete; ++i) {
      progress.advance(i, total, Progress::Unit::Count);
      if (i == plan_.warm_up && i > 0) foretell((monotonic_now() - began) / i, progress);
      end = is_readable(settings_.cancel_fd) ? BenchEnd::Cancelled : PYBOX_TRY(run_pair(i));
    }
    if (box_) PYBOX_TRY(tell(BenchEventKind::CaseEnded));
    return end;
  }

 private:
  /// Says how long the case will take when that is longer than people wait without wondering.
  void foretell(Nanos of_a_pair, Progress& progress) const {
    constexpr Nanos kWondering = std::chrono::seconds(60);
    const Nanos all = of_a_pair * plan_.runs;
    if (all < kWondering) return;
    progress.note(fmt::format("{}: {} pairs will take about {} min; Ctrl-C keeps what is measured",
                              each_.name, plan_.runs, all / std::chrono::minutes(1) + 1));
  }

  Result<void> tell(BenchEventKind kind) {
    BenchEvent event;
    event.kind = kind;
    event.name = each_.name;
    event.load = load_now();
    if (box_) event.box = *box_;
    return journal_.append(std::move(event));
  }

  Result<BenchEnd> fail(const char* who, const std::string& why) {
    BenchEvent event;
    event.kind = BenchEventKind::RunFailed;
    event.name = each_.name;
    event.why = settings_.redactor.clean(std::string(who) + ": " + why);
    PYBOX_TRY(journal_.append(std::move(event)));
    return BenchEnd::RunFailed;
  }

  Result<sys::ToolResult> run_bare() const {
    const BareProgram program{settings_.rootfs.at(each_.image), each_.text,
                              limits_for_image(each_.image).cpu};
    const auto start = [&](int out, int err) { return start_bare(program, out, err); };
    return sys::run_to_end(
        start,
        {.patience = kBarePatience, .kept = kTimedOutputKept, .cancel_fd = settings_.cancel_fd});
  }

  /// Empty: it is a sample.
  std::string trouble_of_bare(const sys::ToolResult& run) const {
    if (!run.ok()) return trouble_of(run);
    return run.out == each_.output ? "" : "it printed something else than it must";
  }

  /// Complete: the pair was kept.
  Result<BenchEnd> run_pair(std::uint32_t i) {
    BenchEvent event;
    event.kind = BenchEventKind::Pair;
    event.name = each_.name;
    event.pair.number = i + 1;
    event.pair.warm_up = i < plan_.warm_up;
    event.pair.first = first_of(plan_, index_, i);
    for (const bool second : {false, true}) {
      think(plan_.think, settings_.cancel_fd);
      const bool bare = (event.pair.first == First::Bare) != second;
      const BenchEnd end = PYBOX_TRY(bare ? take_bare(event.pair) : take_sealed(event.pair));
      if (end != BenchEnd::Complete) return end;
    }
    PYBOX_TRY(journal_.append(std::move(event)));
    return BenchEnd::Complete;
  }

  Result<BenchEnd> take_bare(PairSample& pair) {
    const sys::ToolResult run = PYBOX_TRY(run_bare());
    if (run.cancelled) return BenchEnd::Cancelled;
    const std::string trouble = trouble_of_bare(run);
    if (!trouble.empty()) return fail("the bare interpreter", trouble);
    pair.bare = run.took;
    return BenchEnd::Complete;
  }

  Result<BenchEnd> take_sealed(PairSample& pair) {
    SealedRun run = PYBOX_TRY(sealed_.run(each_));
    run.box.kernel = settings_.redactor.clean(run.box.kernel);
    if (run.timed.cancelled) return BenchEnd::Cancelled;
    if (!run.trouble.empty()) return fail("the sealed run", run.trouble);
    if (box_ && *box_ != run.box) return fail("the sealed run", "its box was of another kind");
    box_ = run.box;
    pair.sealed = run.timed.took;
    return BenchEnd::Complete;
  }

  const BenchPlan& plan_;
  const BenchCasePlan& each_;
  std::size_t index_;
  const BenchSettings& settings_;
  SealedRunner& sealed_;
  BenchJournal& journal_;
  std::optional<BoxFacts> box_;  ///< of the first sealed run
};

Result<BenchEnd> run_cases(const BenchPlan& plan, const BenchSettings& settings, DriverHome& home,
                           BenchJournal& journal, Progress& progress) {
  SealedRunner sealed(pybox_of(settings.programs), home.home(), settings.cancel_fd);
  bool vm_runs = false;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    if (plan.cases[i].engine == EngineKind::Vm && !vm_runs) {
      progress.stage("starting a VM");
      PYBOX_TRY_CONTEXT(home.start_vm(), "starting the bench's VM");
      vm_runs = true;
    }
    progress.stage(fmt::format("{} ({} of {})", plan.cases[i].name, i + 1, plan.cases.size()));
    const BenchEnd end = PYBOX_TRY(CaseRun(plan, i, settings, sealed, journal).run(progress));
    if (end != BenchEnd::Complete) return end;
  }
  return BenchEnd::Complete;
}

}  // namespace

Result<BenchJournal> BenchJournal::create(const std::filesystem::path& folder) {
  return BenchJournal(PYBOX_TRY(ChainedLines::create(folder / "events.jsonl")));
}

Result<void> BenchJournal::append(BenchEvent event) {
  const auto durability =
      event.kind == BenchEventKind::Pair ? sys::Durability::Unsynced : sys::Durability::Synced;
  return lines_.append(
      [&](const LineHead& head) {
        event.head = head;
        return bench_event_to_json(event);
      },
      durability);
}

Result<BenchEnd> run_bench(const BenchPlan& plan, const BenchSettings& settings, DriverHome& home,
                           BenchJournal& journal, Progress& progress) {
  const auto end = run_cases(plan, settings, home, journal, progress);
  BenchEvent ended;
  ended.kind = BenchEventKind::Ended;
  ended.complete = end && end.value() == BenchEnd::Complete;
  PYBOX_TRY(journal.append(std::move(ended)));
  return end;
}

}  // namespace pybox::campaign
