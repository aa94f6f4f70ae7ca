/// boxd: makes boxes and watches them. In the guest it is the first process; on a host an engine
/// starts it for a run:  boxd --link FD --state PYBOX_HOME. It is started with an
/// empty environment, so that nothing of its caller can be found in a box.

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/text.hpp"
#include "box/cgroup.hpp"
#include "boxd/guest_init.hpp"
#include "boxd/server.hpp"
#include "link/control.hpp"
#include "link/frame.hpp"
#include "sys/file.hpp"

namespace pybox {
namespace {

Result<boxd::ServerPlan> plan_from(int argc, char** argv) {
  boxd::ServerPlan plan;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--link" && i + 1 < argc) {
      plan.link = sys::Fd(std::atoi(argv[++i]));
    } else if (word == "--state" && i + 1 < argc) {
      plan.pending.emplace();
      plan.pending->home = argv[++i];
    } else {
      return Error(ErrorKind::Usage,
                   "boxd is started by pybox; unknown word `" + visible(word) + "`");
    }
  }
  if (!plan.link.is_open() || !plan.pending) {
    return Error(ErrorKind::Usage, "boxd is started by pybox with --link FD --state DIR");
  }
  plan.empty = plan.pending->home / "empty";
  PYBOX_TRY(sys::ensure_private_dir(plan.empty));
  return plan;
}

/// The engine reads why no box can be made from the link, as a Failed frame of run 0.
Error tell_engine(const sys::Fd& link, Error error) {
  const bool refused = error.kind() == ErrorKind::HostCannot;
  const std::string head = link::failed_head({error.message(), error.hint(), refused});
  (void)sys::write_all(link.get(), link::encode({link::FrameType::Failed, 0, head, {}}))
      .has_value();
  return error;
}

Result<sys::CgroupHost> place_for_boxes() {
  sys::CgroupHost host = PYBOX_TRY(sys::probe_cgroup_host());
  PYBOX_TRY(box::make_room(host));
  return host;
}

Result<void> run_on_host(int argc, char** argv) {
  boxd::ServerPlan plan = PYBOX_TRY(plan_from(argc, argv));
  Result<sys::CgroupHost> cgroup = place_for_boxes();
  if (!cgroup) return tell_engine(plan.link, std::move(cgroup).error());
  plan.cgroup = std::move(cgroup).value();
  return boxd::serve(std::move(plan));
}

Result<void> run_in_guest() {
  guest::GuestLink guest = PYBOX_TRY(guest::init());
  boxd::ServerPlan plan;
  plan.link = std::move(guest.link);
  plan.images = std::move(guest.images);
  plan.empty = "/run/empty";
  PYBOX_TRY(sys::ensure_private_dir(plan.empty));
  plan.cgroup = PYBOX_TRY(place_for_boxes());
  return boxd::serve(std::move(plan));
}

}  // namespace
}  // namespace pybox

int main(int argc, char** argv) {
  // A peer that went away is an error of write(2), not a signal.
  ::signal(SIGPIPE, SIG_IGN);
  const bool guest = ::getpid() == 1;
  const pybox::Result<void> served = guest ? pybox::run_in_guest() : pybox::run_on_host(argc, argv);
  if (!served) {
    std::fprintf(stderr, "boxd: %s\n", served.error().message().c_str());
    if (!served.error().hint().empty())
      std::fprintf(stderr, "hint: %s\n", served.error().hint().c_str());
  }
  if (guest) pybox::guest::power_off();
  return served ? 0 : 1;
}
