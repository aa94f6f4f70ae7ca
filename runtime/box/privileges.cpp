#include "box/privileges.hpp"

#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace pybox::box {

bool become(uid_t id, Groups groups) {
  // Raw calls: glibc's wrappers synchronise threads, which a freshly cloned process has none of.
  if (groups == Groups::Drop && ::syscall(SYS_setgroups, 0, nullptr) != 0) return false;
  return ::syscall(SYS_setresgid, id, id, id) == 0 && ::syscall(SYS_setresuid, id, id, id) == 0;
}

bool drop_every_capability() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  return ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0 &&
         ::syscall(SYS_capset, &header, none) == 0;
}

bool keep_over_change_of_ids() {
  return ::prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0) == 0;
}

bool make_inheritable() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct held[2] = {};
  if (::syscall(SYS_capget, &header, held) != 0) return false;
  for (__user_cap_data_struct& half : held) half.inheritable = half.permitted;
  return ::syscall(SYS_capset, &header, held) == 0;
}

bool make_ambient() {
  for (unsigned long capability = 0; capability < 64; ++capability) {
    // EPERM: boxd itself does not have it. EINVAL: the kernel does not know it.
    if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) == 0 || errno == EPERM)
      continue;
    if (errno != EINVAL || capability == 0) return false;
    break;
  }
  return ::prctl(PR_SET_SECUREBITS, 0, 0, 0, 0) == 0;
}

bool empty_bounding_set() {
  // The kernel says EINVAL for the first number it does not know (man 2 prctl).
  for (unsigned long capability = 0; capability < 64; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0)
      return errno == EINVAL && capability > 0;
  }
  return true;
}

}  // namespace pybox::box
