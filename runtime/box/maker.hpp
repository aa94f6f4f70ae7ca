#pragma once
/// Who clones the keeper: boxd itself. Only in boxd-campaign, and only for a control arm that
/// leaves ns.mnt out, a stand-in for it.
///
/// Theory of operation of the stand-in. boxd never clones a keeper into its own mount namespace:
/// the box would pivot the root of boxd and of everybody who shares that namespace. So boxd clones
/// a process that gets the user and mount namespaces a keeper would have got, and that one clones
/// the keeper without CLONE_NEWNS, as boxd's child. The stand-in has boxd's pid namespace and
/// cgroups: it is outside the box and shares the box's mount table; the box's making takes its root
/// along. It does nothing but wait for the end of its socket, which boxd holds.
///   boxd ── socket ── stand-in       Cloned, Failed, then the end

#include "box/inside.hpp"
#include "sys/process.hpp"
#include "sys/syscalls.hpp"

namespace pybox::box {

#ifdef PYBOX_CAMPAIGN
class Maker {
 public:
  /// Clones the keeper, which never returns from here. As sys::clone3: -1 and errno.
  pid_t clone_keeper(const InsideWork& work, clone_args& args);
  /// The process with which the box shares its mount namespace; -1: nobody.
  pid_t stand_in() const { return stand_in_.is_running() ? stand_in_.pid() : -1; }
  /// Ends the stand-in and reaps it.
  void end() { stand_in_ = {}; }

 private:
  pid_t clone_by_stand_in(const InsideWork& work, clone_args& args);
  sys::Child stand_in_;
  sys::Fd socket_;
};
#else
class Maker {
 public:
  static pid_t clone_keeper(const InsideWork& work, clone_args& args) {
    const pid_t pid = sys::clone3(args);
    if (pid == 0) keeper_main(work);
    return pid;
  }
  static constexpr pid_t stand_in() { return -1; }
  static void end() {}
};
#endif

}  // namespace pybox::box
