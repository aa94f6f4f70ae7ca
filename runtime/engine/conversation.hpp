#pragma once
/// The client's half of a run over a link, the same for every engine that speaks to a boxd: send
/// the order, feed stdin within the window, pass output on, watch the host's own clock, take the
/// report.

#include "engine/engine.hpp"

namespace pybox::engine {

/// Runs `order` as run 1 over `fd` (a stream socket; made non-blocking). Error: boxd refused before
/// a box was made. A link that ends before the report is an answer: BoxLost, cleanup Unconfirmed.
Result<RunReport> converse(int fd, const link::RunOrder& order, const Console& console);

}  // namespace pybox::engine
