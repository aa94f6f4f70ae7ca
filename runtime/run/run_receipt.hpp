#pragma once
/// The steps between a begun receipt and a finished one that exec and mcp share.

#include <memory>
#include <optional>

#include "base/error.hpp"
#include "engine/engine.hpp"
#include "receipt/receipt.hpp"
#include "store/registry.hpp"

namespace pybox::run {

/// The engine of a kind that `choose_engine` lets through.
std::unique_ptr<engine::Engine> make_engine(EngineKind kind);

/// What the engine gets: the request, under the id, time and digest that its receipt names, in
/// `image`.
link::RunOrder order_for(const Receipt& receipt, Request request, const store::Image& image);

/// Enters the answer into the receipt and adds hints. Gives what kept PyBox from doing its job: no
/// box was made, the box was lost, its removal is not confirmed.
std::optional<Error> enter_answer(Receipt& receipt, engine::RunAnswer answer,
                                  const HintWords& words = {});

}  // namespace pybox::run
