#include "vm/plugged.hpp"

#include <algorithm>
#include <utility>

#include "link/control.hpp"

namespace pybox::vm {
namespace {

using link::Frame;
using link::FrameType;

/// QEMU answers within a millisecond; the guest's other clients wait meanwhile.
constexpr Nanos kPlugPatience = std::chrono::seconds(5);

}  // namespace

PluggedImages::PluggedImages(const Config& config, Machine& machine,
                             std::vector<std::string> mounted)
    : config_(config), machine_(machine), mounted_(mounted.begin(), mounted.end()) {}

std::vector<std::string> PluggedImages::images() const {
  return {mounted_.begin(), mounted_.end()};
}

Result<void> PluggedImages::need(std::uint64_t run, const std::string& image_id,
                                 std::uint64_t question) {
  if (mounted_.contains(image_id)) return {};
  for (auto& [number, waiting] : waiting_) {
    if (waiting.image_id != image_id) continue;
    waiting.runs.push_back(run);
    return {};
  }
  if (!config_.find_disk)
    return Error(ErrorKind::Refused, "the VM does not have the image " + image_id);
  Disk disk = PYBOX_TRY(config_.find_disk(image_id));
  const std::string serial = serial_of(image_id);
  PYBOX_TRY(plug_in(disk, serial));
  disks_.push_back(std::move(disk));
  waiting_[question] = {image_id, {run}, {}};
  machine_.send({FrameType::AttachImage, question, link::attach_head({image_id, serial}), {}});
  return {};
}

Result<void> PluggedImages::plug_in(const Disk& disk, const std::string& serial) {
  const std::string node = "image-" + serial;
  PYBOX_TRY(machine_.execute("blockdev-add",
                             {{"driver", std::string("file")},
                              {"node-name", node},
                              {"read-only", true},
                              {"filename", disk.file.string()}},
                             -1, kPlugPatience));
  PYBOX_TRY(machine_.execute("device_add",
                             {{"driver", std::string("scsi-hd")},
                              {"id", "disk-" + serial},
                              {"bus", std::string("scsi.0")},
                              {"drive", node},
                              {"serial", serial}},
                             -1, kPlugPatience));
  return {};
}

bool PluggedImages::hold(std::uint64_t run, const Frame& frame) {
  for (auto& [number, waiting] : waiting_) {
    if (std::find(waiting.runs.begin(), waiting.runs.end(), run) == waiting.runs.end()) continue;
    waiting.frames.push_back(frame);
    return true;
  }
  return false;
}

std::optional<PluggedImages::Answered> PluggedImages::answer(const Frame& frame) {
  if (frame.type != FrameType::ImageReady && frame.type != FrameType::Failed) return std::nullopt;
  const auto at = waiting_.find(frame.run);
  if (at == waiting_.end()) return std::nullopt;
  Waiting waiting = std::move(at->second);
  waiting_.erase(at);
  if (frame.type == FrameType::ImageReady) {
    mounted_.insert(waiting.image_id);
    return Answered{std::move(waiting.frames), {}, {}};
  }
  const auto failed = link::failed_from(frame.head);
  return Answered{
      {}, std::move(waiting.runs), failed ? failed->message : "the guest cannot mount it"};
}

}  // namespace pybox::vm
