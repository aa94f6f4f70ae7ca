#pragma once
/// The one way from a request to a kept receipt: image → key → order → engine → receipt → kept.
/// `pybox exec`, MCP and whoever else runs a program are words in front of it:
///
///   Conductor conductor(parts_of_this_host(), std::move(request));
///   auto trouble = conductor.carry_out(console);     // or refuse(why)
///   …                                                // hand over what came, and say so in
///   receipt() auto kept = conductor.keep(conductor.signed_receipt());
///
/// One object is one run, in one thread. Whatever happens there is a receipt.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "engine/engine.hpp"
#include "receipt/receipt.hpp"
#include "request/request.hpp"
#include "store/registry.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::run {

/// The rooms below; unit tests bring their own.
struct Parts {
  /// Image `name` of a Python, checked. Error kind Refused: there is none, or it may not be used.
  std::function<Result<store::Image>(const sys::StateDirs&, std::string_view name,
                                     std::string_view python)>
      find_image;
  /// An engine for one run. Precondition: `choose_engine` lets its kind through.
  std::function<std::unique_ptr<engine::Engine>(EngineKind)> make_engine;
};
Parts parts_of_this_host();

class Conductor {
 public:
  /// Begins the receipt; touches nothing. `ready`: an engine of the request's kind that was told to
  /// get ready, else one is made when it is needed.
  Conductor(Parts parts, Request request, std::unique_ptr<engine::Engine> ready = nullptr);

  /// Runs the program and enters what came into the receipt. `words` are for its hints. Gives what
  /// kept PyBox from doing its job: no box was made (the receipt says NOT_STARTED), the box was
  /// lost, its removal is not confirmed. To be called once.
  std::optional<Error> carry_out(const engine::Console& console, const HintWords& words = {});

  /// Makes the receipt that of a run which never reached a box. Gives `why` back.
  Error refuse(Error why);

  /// Complete but for the signature. What a caller does with output and files it says in here.
  Receipt& receipt() { return receipt_; }

  /// Nullptr when none can be read or made.
  const SigningKey* key();
  /// As readable JSON; with `signature` null when there is no key.
  std::string signed_receipt();
  /// Keeps a receipt's text under its id. Error kind HostCannot: it could not be written.
  Result<void> keep(std::string_view text);

 private:
  Result<engine::RunAnswer> run(const engine::Console& console);
  std::optional<Error> enter(engine::RunAnswer answer, const HintWords& words);
  Result<void> prepare_keeping();

  Parts parts_;
  Request request_;
  std::unique_ptr<engine::Engine> engine_;
  Receipt receipt_;
  Result<sys::StateDirs> dirs_;
  std::optional<SigningKey> key_;
  bool can_keep_ = false;
};

}  // namespace pybox::run
