#pragma once
/// The images a running guest has, and the plugging in of one that was built after it started: a
/// SCSI disk added over QMP, then mounted by boxd. Frames of runs that need it wait meanwhile. What
/// fails on the way is taken out again, so that the next run that needs the image may try anew.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "link/frame.hpp"
#include "vm/config.hpp"
#include "vm/machine.hpp"

namespace pybox::vm {

class PluggedImages {
 public:
  PluggedImages(const Config& config, Machine& machine, std::vector<std::string> mounted);

  std::vector<std::string> images() const;

  /// The run needs this image: at once when the guest has it; else begins to plug it in, and the
  /// run's frames are held until the guest answers `question`. Error kind Refused: no such image.
  Result<void> need(std::uint64_t run, const std::string& image_id, std::uint64_t question);

  /// Keeps the frame if its run waits for an image. True: kept.
  bool hold(std::uint64_t run, const link::Frame& frame);

  /// Takes the guest's ImageReady or Failed for a question of ours. The frames that may go on now,
  /// or the runs that failed and why.
  struct Answered {
    std::vector<link::Frame> frames;
    std::vector<std::uint64_t> failed;
    std::string why;
  };
  std::optional<Answered> answer(const link::Frame& frame);

 private:
  /// A disk in the machine. Its names there are never used again: QEMU lets go of them a while
  /// after it has answered.
  struct Plugged {
    std::string node;
    std::string device;
    Disk disk;
  };
  struct Waiting {
    std::string image_id;
    Plugged plugged;
    std::vector<std::uint64_t> runs;
    std::vector<link::Frame> frames;
  };
  Result<Plugged> plug_in(Disk disk, const std::string& serial);
  void unplug(Plugged plugged);
  void remove_left();

  const Config& config_;
  Machine& machine_;
  std::set<std::string> mounted_;
  std::map<std::uint64_t, Waiting> waiting_;  ///< by question
  std::vector<Plugged> plugged_;              ///< held as long as the machine lives
  std::vector<Plugged> left_;                 ///< out of the guest, not yet out of QEMU
  std::uint64_t names_ = 0;
};

}  // namespace pybox::vm
