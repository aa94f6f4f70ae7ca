#pragma once
/// What both kinds of world share: the order of an arm's run, and its conversation with a boxd.

#include "campaign/world/world.hpp"
#include "link/order.hpp"
#include "store/registry.hpp"

namespace pybox::campaign {

/// `rootfs` only where boxd runs on this host.
link::RunOrder order_for(const ArmOrder& arm, const store::Image& image, EngineKind engine);

/// Sends the order over `link` and waits for the end. A boxd that refuses is an answer.
Result<RunReport> run_over(int link, const link::RunOrder& order, int cancel_fd);

/// 32 hex digits.
std::string fresh_canary();

}  // namespace pybox::campaign
