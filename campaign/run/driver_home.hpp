#pragma once
/// Where drivers work, and benches: a PYBOX_HOME of their own, made of hard links to the images and
/// the guest kernel of the real one, so that killing and filling it hurts nobody. All of it lies
/// below $PYBOX_HOME/campaign and is removed at the end.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "campaign/model/sources.hpp"
#include "sys/fd.hpp"
#include "sys/process.hpp"
#include "sys/state_dirs.hpp"

namespace pybox::campaign {

class DriverHome {
 public:
  /// Lays out the drivers and the home. Removes what killed campaigns left.
  static Result<DriverHome> make(const sys::StateDirs& dirs, const std::filesystem::path& programs,
                                 const CheckSources& sources);
  ~DriverHome();
  DriverHome(DriverHome&& other) noexcept
      : root_(std::exchange(other.root_, {})),
        programs_(std::move(other.programs_)),
        lock_(std::move(other.lock_)),
        life_(std::move(other.life_)),
        guard_(std::move(other.guard_)) {}
  DriverHome& operator=(DriverHome&&) = delete;

  std::filesystem::path drivers() const { return root_ / "drivers"; }
  std::filesystem::path home() const { return root_ / "home"; }
  /// An empty folder for one arm; the one before is removed.
  Result<std::filesystem::path> fresh_scratch();
  /// The VM of the home runs when this returns; starting it again when it was killed is right.
  Result<void> start_vm();

 private:
  DriverHome(std::filesystem::path root, std::filesystem::path programs)
      : root_(std::move(root)), programs_(std::move(programs)) {}
  Result<void> pybox(std::vector<std::string> words) const;
  Result<void> guard_vm();

  std::filesystem::path root_;
  std::filesystem::path programs_;
  sys::Fd lock_;  ///< held while we live: whoever gets it finds the folder of a dead campaign
  /// A process that stops the VM when this end of its pipe closes: also when we are killed.
  sys::Fd life_;
  sys::Child guard_;
};

}  // namespace pybox::campaign
