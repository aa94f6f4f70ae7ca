#pragma once
/// What comes back from a box's /tmp/output: the folder is held by descriptor from before the
/// program's first instruction, and read once every process of the box is dead. Whatever the
/// program does to names, nothing is ever looked up by path. (`files` in the receipt;
/// files/collect.hpp says what is taken.)

#include <optional>
#include <vector>

#include "box/box.hpp"
#include "files/collect.hpp"
#include "receipt/report.hpp"
#include "sys/fd.hpp"

namespace pybox::boxd {

class Transfer {
 public:
  /// Takes hold of the sealed box's output folder. Never fails: what went wrong shows in the
  /// checks.
  explicit Transfer(const box::Box& box);

  /// sup.filecap, sup.collect, sup.escape: what is in force, for the seal.
  std::vector<SealCheck> checks(const box::Box& box) const;

  /// The program is about to be ended. Only a control arm that leaves out sup.collect does its work
  /// here.
  void before_end(const box::Box& box);
  /// Every process of the box is dead.
  Files collect() const;

 private:
  files::CollectLimits limits_;
  files::Reach reach_;
  sys::Fd folder_;
  std::optional<Files> collected_alive_;
};

}  // namespace pybox::boxd
