#include "vm/warm_up.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "link/order.hpp"

namespace pybox::vm {
namespace {

constexpr Nanos kPatience = std::chrono::seconds(5);
constexpr std::string_view kProgram = "pass\n";

}  // namespace

link::Frame warm_up_order(std::uint64_t run, std::string_view image_id, std::uint32_t cpus) {
  link::RunOrder order;
  order.receipt_id = "warm-up";
  order.created_at = rfc3339(wall_now());
  order.image_id = image_id;
  order.code_sha256 = "sha256:" + sha256_hex(kProgram);
  order.request.program = kProgram;
  order.request.timeout = kPatience;
  order.request.limits = limits_for_image(order.request.image);
  order.request.limits.cpu = MilliCores{1000 * cpus};
  return {link::FrameType::Run, run, link::order_head(order), link::order_body(order)};
}

void WarmUp::begin(std::uint64_t run, Nanos now) {
  run_ = run;
  number_ = run;
  until_ = now + kPatience;
}

bool WarmUp::hold(std::uint64_t session, link::Frame& frame) {
  // Behind a frame that waits, everything waits: the order within a run is kept.
  if (!run_ && held_.empty()) return false;
  held_.push_back({session, std::move(frame)});
  return true;
}

bool WarmUp::answer(const link::Frame& frame) {
  if (number_ == 0 || frame.run != number_) return false;
  if (frame.type == link::FrameType::Report || frame.type == link::FrameType::Failed) run_.reset();
  return true;
}

void WarmUp::look(Nanos now) {
  if (run_ && now >= until_) run_.reset();
}

std::optional<Nanos> WarmUp::patience(Nanos now) const {
  if (!run_) return std::nullopt;
  return std::max(Nanos{0}, until_ - now);
}

std::vector<HeldFrame> WarmUp::release() {
  if (run_) return {};
  return std::exchange(held_, {});
}

}  // namespace pybox::vm
