#include "vm/warm_up.hpp"

#include <catch2/catch_test_macros.hpp>

#include "link/order.hpp"

namespace pybox::vm {
namespace {

using link::Frame;
using link::FrameType;

constexpr Nanos kStart = std::chrono::seconds(100);

Frame frame_of(FrameType type, std::uint64_t run) { return {type, run, "{}", {}}; }

TEST_CASE("the warm-up's order is one that boxd takes") {
  const Frame frame = warm_up_order(1, "sha256:" + std::string(64, '0'), 2);
  const auto order = link::order_from(frame.head, frame.body);
  REQUIRE(order);
  CHECK(order->request.program == "pass\n");
  CHECK(order->request.limits.cpu.count == 2000);
}

TEST_CASE("frames wait for the warm-up and come out in order") {
  WarmUp warm;
  warm.begin(7, kStart);
  Frame first = frame_of(FrameType::Run, 8);
  Frame second = frame_of(FrameType::Stdin, 8);
  CHECK(warm.hold(3, first));
  CHECK(warm.hold(3, second));
  CHECK(warm.release().empty());
  CHECK(warm.answer(frame_of(FrameType::Started, 7)));
  CHECK_FALSE(warm.answer(frame_of(FrameType::Report, 8)));
  CHECK(warm.is_under_way());
  CHECK(warm.answer(frame_of(FrameType::Report, 7)));
  const std::vector<HeldFrame> released = warm.release();
  REQUIRE(released.size() == 2);
  CHECK(released[0].session == 3);
  CHECK(released[0].frame.type == FrameType::Run);
  CHECK(released[1].frame.type == FrameType::Stdin);
  Frame later = frame_of(FrameType::Run, 9);
  CHECK_FALSE(warm.hold(3, later));
}

TEST_CASE("a frame between the end and the release keeps its place") {
  WarmUp warm;
  warm.begin(7, kStart);
  Frame first = frame_of(FrameType::Run, 8);
  CHECK(warm.hold(3, first));
  CHECK(warm.answer(frame_of(FrameType::Failed, 7)));
  Frame second = frame_of(FrameType::Stop, 8);
  CHECK(warm.hold(3, second));
  CHECK(warm.release().size() == 2);
}

TEST_CASE("a warm-up that hangs holds nobody for long, and its late report goes nowhere") {
  WarmUp warm;
  warm.begin(7, kStart);
  CHECK(warm.patience(kStart) == std::chrono::seconds(5));
  warm.look(kStart + std::chrono::seconds(4));
  CHECK(warm.is_under_way());
  warm.look(kStart + std::chrono::seconds(5));
  CHECK_FALSE(warm.is_under_way());
  CHECK_FALSE(warm.patience(kStart));
  CHECK(warm.answer(frame_of(FrameType::Report, 7)));
}

TEST_CASE("a warm-up that begins again keeps what is held, and believes only its own report") {
  WarmUp warm;
  warm.begin(7, kStart);
  Frame frame = frame_of(FrameType::Run, 1);
  CHECK(warm.hold(3, frame));
  warm.begin(8, kStart + std::chrono::seconds(4));
  CHECK_FALSE(warm.answer(frame_of(FrameType::Report, 7)));
  warm.look(kStart + std::chrono::seconds(8));
  CHECK(warm.is_under_way());
  CHECK(warm.release().empty());
  CHECK(warm.answer(frame_of(FrameType::Report, 8)));
  CHECK(warm.release().size() == 1);
}

TEST_CASE("without a warm-up nothing is held") {
  WarmUp none;
  Frame frame = frame_of(FrameType::Run, 1);
  CHECK_FALSE(none.hold(3, frame));
  CHECK_FALSE(none.answer(frame_of(FrameType::Report, 0)));
}

}  // namespace
}  // namespace pybox::vm
