#pragma once
/// The one thing that begins before the words are checked: boxd starts while they are parsed, which
/// takes a tenth of a millisecond.

#include <memory>
#include <span>
#include <string>

#include "engine/engine.hpp"

namespace pybox::cli {

/// A guess from the words alone, where the parser has the last word: `exec` with the native engine,
/// and no image to be built first.
bool looks_native(std::span<const std::string> words);

/// The native engine, getting ready, when the words look like it; else nullptr. If nobody runs
/// anything with it, its boxd ends with it and has done nothing.
std::unique_ptr<engine::Engine> native_ahead(std::span<const std::string> words);

}  // namespace pybox::cli
