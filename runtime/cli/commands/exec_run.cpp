#include "cli/commands/exec_run.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <utility>

#include "base/crashpoint.hpp"
#include "base/text.hpp"
#include "cli/commands/receipt_file.hpp"
#include "cli/commands/script_needs.hpp"
#include "cli/terminal/exit_code.hpp"
#include "cli/terminal/output_sink.hpp"
#include "cli/terminal/process_setup.hpp"
#include "cli/terminal/summary.hpp"
#include "files/arrival.hpp"
#include "files/delivery.hpp"
#include "files/read_inputs.hpp"
#include "request/settings.hpp"
#include "run/choose_engine.hpp"
#include "sys/file.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::cli {
namespace {

Result<sys::Fd> open_stdin(const StdinSource& source) {
  if (source.kind == StdinSource::Kind::Empty) return sys::Fd();
  if (source.kind == StdinSource::Kind::Caller || source.path == "/dev/stdin") {
    // A duplicate, because opening /dev/stdin again fails when it is a socket.
    sys::Fd fd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    if (!fd.is_open()) return Error::from_errno(errno, "reading stdin").as(ErrorKind::Usage);
    return fd;
  }
  auto fd = sys::open_path(source.path, O_RDONLY | O_NOCTTY);
  std::error_code ignored;
  if (fd && std::filesystem::is_directory(source.path, ignored)) {
    return Error(ErrorKind::Usage, "`" + visible(source.path) + "` is a folder, not a file")
        .context("`--stdin`");
  }
  if (!fd) return std::move(fd).error().as(ErrorKind::Usage).context("`--stdin`");
  return fd;
}

class Exec {
 public:
  Exec(const ExecOptions& options, const ExecParts& parts) : options_(options), parts_(parts) {}

  Result<int> run() {
    PYBOX_CRASHPOINT("start");
    PYBOX_TRY(read_words());
    if (!refusal_) refuse_on_error(choose_image());
    run::Conductor conductor(parts_.run, std::move(request_), std::move(engine_));
    if (!program_is_known_) conductor.receipt().code_sha256.clear();
    if (refusal_) {
      trouble_ = conductor.refuse(*std::move(refusal_));
    } else {
      carry_out(conductor);
      hand_over_files(conductor.receipt());
      PYBOX_CRASHPOINT("files-handed-over");
    }
    return deliver(conductor);
  }

 private:
  /// What is wrong with the words themselves. A program that is too large or named badly is
  /// refused, which the receipt records, so it is only remembered here.
  Result<void> read_words() {
    Settings settings;
    auto dirs = sys::state_dirs();
    if (dirs) {
      settings = PYBOX_TRY(load_settings(dirs->config));
    } else {
      refusal_ = std::move(dirs).error();
    }
    request_.engine = PYBOX_TRY(run::choose_engine(options_.engine, settings));
    engine_ = parts_.run.make_engine(request_.engine);
    if (!options_.with_deps) engine_->get_ready();  // building an image may take minutes
    request_.image = options_.image;
    if (options_.python) request_.python = *options_.python;
    request_.args = options_.args;
    request_.cold = options_.cold;
    request_.limits = limits_for_image(options_.image);
    PYBOX_TRY(remember_refusal(check_time(settings.max_timeout)));
    stdin_ = PYBOX_TRY(open_stdin(options_.stdin_source));
    PYBOX_TRY(remember_refusal(take_program()));
    PYBOX_TRY(remember_refusal(take_files()));
    return {};
  }

  Result<void> check_time(Nanos ceiling) {
    request_.timeout = std::min(ceiling::kDefaultTimeout, ceiling);
    if (!options_.timeout_s) return {};
    auto timeout = check_timeout(*options_.timeout_s, ceiling);
    if (timeout) {
      request_.timeout = *timeout;
      return {};
    }
    // A refused time stands in the receipt as it was asked for, where it can be written at all.
    const double asked = *options_.timeout_s;
    request_.timeout = asked > 0 && asked <= 1e6 ? from_seconds(asked) : Nanos(0);
    return std::move(timeout).error();
  }

  Result<void> take_program() {
    Program program = PYBOX_TRY(read_program(options_.program));
    request_.program_name = std::move(program.name);
    request_.program = std::move(program.text);
    program_is_known_ = true;
    return {};
  }

  Result<void> take_files() {
    request_.return_files = options_.output.has_value();
    request_.inputs = PYBOX_TRY(files::read_inputs(options_.inputs));
    if (options_.output) output_ = PYBOX_TRY(files::OutputFolder::prepare(*options_.output));
    return {};
  }

  Result<void> remember_refusal(Result<void> checked) {
    if (!checked && checked.error().kind() == ErrorKind::Usage) return checked;
    refuse_on_error(std::move(checked));
    return {};
  }

  void refuse_on_error(Result<void> checked) {
    if (!checked && !refusal_) refusal_ = std::move(checked).error();
  }

  /// With --with-deps: the image and Python that the script's block asks for, built if they are not
  /// there. Before anything may take minutes: can the receipt be written where it is wanted?
  Result<void> choose_image() {
    if (options_.receipt_file) PYBOX_TRY(check_receipt_file(*options_.receipt_file));
    if (!options_.with_deps) return {};
    const builder::ScriptNeeds needs = PYBOX_TRY(
        script_needs(options_.program, request_.program_name, request_.program, options_.python));
    if (needs.script.line == 0 && !options_.quiet && !options_.json) {
      say("note: " + needs.name + " has no `# /// script` block; nothing is installed for it\n");
    }
    const sys::StateDirs dirs = PYBOX_TRY(sys::state_dirs());
    const builder::ScriptImage chosen = PYBOX_TRY(parts_.image_for_script(dirs, needs));
    request_.image = chosen.name;
    request_.python = chosen.python;
    request_.limits = limits_for_image(chosen.name);
    return {};
  }

  void carry_out(run::Conductor& conductor) {
    auto signals = CancelSignals::watch();
    if (!signals) {
      trouble_ = conductor.refuse(std::move(signals).error());
      return;
    }
    OutputSink sink(parts_.terminal, signals->fd());
    engine::Console console;
    console.stdin_fd = stdin_.is_open() ? stdin_.get() : -1;
    console.cancel_fd = signals->fd();
    if (!options_.json) {
      console.output = [&](int stream, std::string_view bytes) { sink.write(stream, bytes); };
    }
    trouble_ = conductor.carry_out(console);
    sink.finish();
    if (sink.line_is_open()) say("\n");
    if (trouble_ && !started(conductor.receipt()) && signals->came())
      trouble_ = std::move(*trouble_).as(ErrorKind::Interrupted);
  }

  static bool started(const Receipt& receipt) {
    return receipt.report.outcome.observation != Observation::NotStarted;
  }

  /// The output folder is there before the receipt that speaks of it.
  void hand_over_files(Receipt& receipt) {
    Files& files = receipt.report.files;
    if (!output_ || files.status != Files::Status::Received) return;
    auto delivered = output_->deliver(files, receipt.receipt_id);
    if (delivered) return;
    files::leave_behind(files, "it could not be written on this host");
    files.status = Files::Status::NotReceived;
    undelivered_ = std::move(delivered)
                       .error()
                       .context("the files for `" + visible(output_->shown_path()) + "`")
                       .hint("the program ran; only its files are missing");
  }

  /// Signs, keeps, writes and shows the receipt, then picks the exit code.
  Result<int> deliver(run::Conductor& conductor) {
    const std::string text = conductor.signed_receipt();
    PYBOX_CRASHPOINT("receipt-signed");
    std::optional<Error> unkept = keep(conductor, text);
    if (options_.json) {
      auto printed = print(text);
      if (!printed && !unkept) unkept = std::move(printed).error();
    }
    const Receipt& receipt = conductor.receipt();
    if (started(receipt) && !options_.quiet && !options_.json) {
      say(summary_text(receipt, parts_.terminal.colour, options_.output.value_or("")));
    }
    for (const auto& error : {trouble_, undelivered_, unkept}) {
      if (error) say(error_text(*error, parts_.terminal.colour));
    }
    if (!started(receipt) && trouble_) return exit_code_for(trouble_->kind());
    return unkept || undelivered_ ? exit_code::kCannot : exit_code_for(receipt.report);
  }

  /// In PyBox's own folder and where `--receipt` says. What ended the run is not reported twice.
  std::optional<Error> keep(run::Conductor& conductor, const std::string& text) {
    std::optional<Error> first;
    const auto note = [&](Result<void> done) {
      const bool is_known = done || (trouble_ && done.error().message() == trouble_->message());
      if (!is_known && !first) first = std::move(done).error();
    };
    note(conductor.keep(text));
    if (options_.receipt_file) note(write_receipt_file(*options_.receipt_file, text));
    return first;
  }

  const ExecOptions& options_;
  const ExecParts& parts_;
  Request request_;
  std::unique_ptr<engine::Engine> engine_;
  bool program_is_known_ = false;
  sys::Fd stdin_;
  std::optional<files::OutputFolder> output_;
  std::optional<Error> refusal_;
  std::optional<Error> trouble_;
  std::optional<Error> undelivered_;
};

}  // namespace

Result<int> run_exec(const ExecOptions& options, const ExecParts& parts) {
  return Exec(options, parts).run();
}

}  // namespace pybox::cli
