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
  const std::string serial = serial_of(image_id);
  Disk disk = PYBOX_TRY(config_.find_disk(image_id));
  Plugged plugged = PYBOX_TRY(plug_in(std::move(disk), serial));
  waiting_[question] = {image_id, std::move(plugged), {run}, {}};
  machine_.send({FrameType::AttachImage, question, link::attach_head({image_id, serial}), {}});
  return {};
}

Result<PluggedImages::Plugged> PluggedImages::plug_in(Disk disk, const std::string& serial) {
  remove_left();
  const std::string number = std::to_string(++names_);
  Plugged plugged{"image-" + number, "disk-" + number, std::move(disk)};
  PYBOX_TRY(machine_.execute("blockdev-add",
                             {{"driver", std::string("file")},
                              {"node-name", plugged.node},
                              {"read-only", true},
                              {"filename", plugged.disk.file.string()}},
                             -1, kPlugPatience));
  const auto added = machine_.execute("device_add",
                                      {{"driver", std::string("scsi-hd")},
                                       {"id", plugged.device},
                                       {"bus", std::string("scsi.0")},
                                       {"drive", plugged.node},
                                       {"serial", serial}},
                                      -1, kPlugPatience);
  if (added) return plugged;
  unplug(std::move(plugged));
  return added.error();
}

/// Best effort: a device that was never added is refused, which does not matter.
void PluggedImages::unplug(Plugged plugged) {
  (void)machine_.execute("device_del", {{"id", plugged.device}}, -1, kPlugPatience).has_value();
  left_.push_back(std::move(plugged));
  remove_left();
}

/// What QEMU still uses stays for the next time.
void PluggedImages::remove_left() {
  std::erase_if(left_, [this](const Plugged& left) {
    return machine_.execute("blockdev-del", {{"node-name", left.node}}, -1, kPlugPatience)
        .has_value();
  });
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
    plugged_.push_back(std::move(waiting.plugged));
    return Answered{std::move(waiting.frames), {}, {}};
  }
  unplug(std::move(waiting.plugged));
  const auto failed = link::failed_from(frame.head);
  return Answered{
      {}, std::move(waiting.runs), failed ? failed->message : "the guest cannot mount it"};
}

}  // namespace pybox::vm
