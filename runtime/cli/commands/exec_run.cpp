#include "cli/commands/exec_run.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
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
#include "receipt/keys.hpp"
#include "receipt/receipt.hpp"
#include "receipt/store.hpp"
#include "request/settings.hpp"
#include "run/choose_engine.hpp"
#include "run/run_receipt.hpp"
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
    auto answer = run_if_permitted();
    if (answer) {
      trouble_ = run::enter_answer(receipt_, std::move(*answer));
      PYBOX_CRASHPOINT("report-entered");
      hand_over_files();
      PYBOX_CRASHPOINT("files-handed-over");
    } else {
      trouble_ = std::move(answer).error();
      mark_not_started(receipt_, *trouble_);
    }
    return deliver();
  }

 private:
  /// What is wrong with the words themselves. A program that is too large or named badly is
  /// refused, which the receipt records, so it is only remembered here.
  Result<void> read_words() {
    auto dirs = sys::state_dirs();
    if (dirs) {
      dirs_ = std::move(*dirs);
      settings_ = PYBOX_TRY(load_settings(dirs_->config));
    } else {
      refusal_ = std::move(dirs).error();
    }
    request_.engine = PYBOX_TRY(run::choose_engine(options_.engine, settings_));
    engine_ = &parts_.engine_for(request_.engine);
    if (!options_.with_deps) engine_->get_ready();  // building an image may take minutes
    request_.image = options_.image;
    request_.python = options_.python.value_or("3.13");
    request_.args = options_.args;
    request_.cold = options_.cold;
    request_.limits = limits_for_image(options_.image);
    PYBOX_TRY(remember_refusal(check_time()));
    stdin_ = PYBOX_TRY(open_stdin(options_.stdin_source));
    PYBOX_TRY(remember_refusal(take_program()));
    PYBOX_TRY(remember_refusal(take_files()));
    receipt_ = begin_receipt(request_);
    if (!program_is_known_) receipt_.code_sha256.clear();
    return {};
  }

  Result<void> check_time() {
    request_.timeout = std::min(ceiling::kDefaultTimeout, settings_.max_timeout);
    if (!options_.timeout_s) return {};
    auto timeout = check_timeout(*options_.timeout_s, settings_.max_timeout);
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
    if (checked) return {};
    if (checked.error().kind() == ErrorKind::Usage) return checked;
    if (!refusal_) refusal_ = std::move(checked).error();
    return {};
  }

  Result<engine::RunAnswer> run_if_permitted() {
    if (refusal_) return *std::move(refusal_);
    if (options_.with_deps) PYBOX_TRY(choose_image());
    const store::Image image =
        PYBOX_TRY(parts_.find_image(*dirs_, request_.image, request_.python));
    receipt_.image_id = image.id;
    if (options_.receipt_file) PYBOX_TRY(check_receipt_file(*options_.receipt_file));
    PYBOX_TRY(prepare_receipts(*dirs_));
    receipts_are_prepared_ = true;
    key_ = PYBOX_TRY(load_or_make_key(*dirs_));
    PYBOX_CRASHPOINT("key-loaded");
    return run_engine(image);
  }

  /// The image and Python that the script's block asks for, built if they are not there.
  Result<void> choose_image() {
    const builder::ScriptNeeds needs = PYBOX_TRY(
        script_needs(options_.program, request_.program_name, request_.program, options_.python));
    if (needs.script.line == 0 && !options_.quiet && !options_.json) {
      say("note: " + needs.name + " has no `# /// script` block; nothing is installed for it\n");
    }
    const builder::ScriptImage chosen = PYBOX_TRY(parts_.image_for_script(*dirs_, needs));
    request_.image = chosen.name;
    request_.python = chosen.python;
    request_.limits = limits_for_image(chosen.name);
    receipt_.request.image = request_.image;
    receipt_.request.python = request_.python;
    receipt_.request.limits = request_.limits;
    return {};
  }

  Result<engine::RunAnswer> run_engine(const store::Image& image) {
    link::RunOrder order = run::order_for(receipt_, std::move(request_), image);
    order.stream_output = !options_.json;
    order.has_stdin = stdin_.is_open();

    const CancelSignals signals = PYBOX_TRY(CancelSignals::watch());
    OutputSink sink(parts_.terminal, signals.fd());
    engine::Console console;
    console.stdin_fd = stdin_.get();
    console.cancel_fd = signals.fd();
    console.while_running = [&](const Seal& seal) {
      receipt_file_ = take_receipt_file(*dirs_, receipt_.receipt_id);
      written_seal_ = write_seal(seal);
    };
    if (order.stream_output) {
      console.output = [&](int stream, std::string_view bytes) { sink.write(stream, bytes); };
    }
    auto answer = engine_->run(order, console);
    sink.finish();
    if (sink.line_is_open()) say("\n");
    if (!answer && signals.came()) {
      return std::move(answer).error().as(ErrorKind::Interrupted);
    }
    return answer;
  }

  /// The output folder is there before the receipt that speaks of it.
  void hand_over_files() {
    Files& files = receipt_.report.files;
    if (!output_ || files.status != Files::Status::Received) return;
    auto delivered = output_->deliver(files, receipt_.receipt_id);
    if (delivered) return;
    files::leave_behind(files, "it could not be written on this host");
    files.status = Files::Status::NotReceived;
    undelivered_ = std::move(delivered)
                       .error()
                       .context("the files for `" + visible(output_->shown_path()) + "`")
                       .hint("the program ran; only its files are missing");
  }

  /// Signs, keeps, writes and shows the receipt, then picks the exit code.
  Result<int> deliver() {
    const Result<std::string> text = receipt_text();
    PYBOX_CRASHPOINT("receipt-signed");
    Result<void> kept = text ? keep(*text) : Result<void>(text.error());
    if (text && options_.json) {
      auto printed = print(*text);
      if (kept && !printed) kept = std::move(printed);
    }
    PYBOX_CRASHPOINT("receipt-kept");
    const bool started = receipt_.report.outcome.observation != Observation::NotStarted;
    if (started && !options_.quiet && !options_.json) {
      say(summary_text(receipt_, parts_.terminal.colour, options_.output.value_or("")));
    }
    if (trouble_) say(error_text(*trouble_, parts_.terminal.colour));
    if (undelivered_) say(error_text(*undelivered_, parts_.terminal.colour));
    if (!kept) say(error_text(kept.error(), parts_.terminal.colour));
    if (!started && trouble_) return exit_code_for(trouble_->kind());
    return kept && !undelivered_ ? exit_code_for(receipt_.report) : exit_code::kCannot;
  }

  Result<std::string> receipt_text() {
    if (!key_ && dirs_) {
      auto key = load_or_make_key(*dirs_);
      if (key) key_ = std::move(*key);
    }
    if (key_) return sign_receipt(receipt_, *key_, std::move(written_seal_));
    return unsigned_receipt(receipt_);
  }

  Result<void> keep(const std::string& text) {
    Result<void> kept;
    if (dirs_) {
      if (!receipts_are_prepared_) kept = prepare_receipts(*dirs_);
      if (kept) kept = keep_receipt(*dirs_, receipt_.receipt_id, text, receipt_file_);
      // The same trouble that ended the run is not reported twice.
      if (!kept && trouble_ && kept.error().message() == trouble_->message()) kept = {};
    }
    if (!options_.receipt_file) return kept;
    auto written = write_receipt_file(*options_.receipt_file, text);
    if (!written && trouble_ && written.error().message() == trouble_->message()) return kept;
    return kept ? written : kept;
  }

  const ExecOptions& options_;
  const ExecParts& parts_;
  std::optional<sys::StateDirs> dirs_;
  Settings settings_;
  Request request_;
  engine::Engine* engine_ = nullptr;
  bool program_is_known_ = false;
  sys::Fd stdin_;
  std::optional<files::OutputFolder> output_;
  std::optional<SigningKey> key_;
  bool receipts_are_prepared_ = false;
  sys::Fd receipt_file_;
  std::optional<WrittenSeal> written_seal_;
  Receipt receipt_;
  std::optional<Error> refusal_;
  std::optional<Error> trouble_;
  std::optional<Error> undelivered_;
};

}  // namespace

Result<int> run_exec(const ExecOptions& options, const ExecParts& parts) {
  return Exec(options, parts).run();
}

}  // namespace pybox::cli
