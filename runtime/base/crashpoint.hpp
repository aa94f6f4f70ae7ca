#pragma once
/// Crash points: named places at which a PyBox that was built for it kills itself with SIGKILL, so
/// that what is left of it can be looked at. One at every durable step. They exist only where
/// PYBOX_CRASHPOINTS is defined (`bin/crash/`, never installed): in every other build the macro is
/// empty, so what users get has no code for it.
///
/// PYBOX_CRASHPOINT=NAME[:N] in the environment of that pybox names the point and how often it is
/// passed before it strikes. A name begins with who is to die: `client.`, `boxd.` (the keeper and
/// the program's process are boxd's clones) or `supervisor.`. boxd and supervisor learn it from the
/// order, where it stands among the protections to leave out, which a released boxd refuses.
/// The point that struck is written into HOME/crashpoint, in a guest to its console.

#ifdef PYBOX_CRASHPOINTS

#include <string>
#include <vector>

#define PYBOX_CRASHPOINT(name) ::pybox::crash::reach(name)
#define PYBOX_CRASHPOINT_ROLE(role) ::pybox::crash::act_as(role)
#define PYBOX_CRASHPOINT_ARM(order, home) \
  if (order) ::pybox::crash::arm_from_order((order)->leave_out, home)

namespace pybox::crash {

/// Who this process is from now on: "client" until told otherwise. A string literal.
void act_as(const char* role);
/// Dies when this is the named point. Safe between clone and exec.
void reach(const char* name);

/// The environment's point as a word of an order's `leave_out`; none: empty.
std::string word_for_order();
/// Arms by such a word. `home` empty: a guest, which has none.
void arm_from_order(const std::vector<std::string>& leave_out, const std::string& home);
void take_words_out(std::vector<std::string>& leave_out);
/// In a guest: says on the console that a keeper or a program died at its point, once.
void tell();
/// Every point, one a line; the campaign hits each.
void list();

}  // namespace pybox::crash

#else
#define PYBOX_CRASHPOINT(name) static_cast<void>(0)
#define PYBOX_CRASHPOINT_ARM(order, home) static_cast<void>(0)
#define PYBOX_CRASHPOINT_ROLE(role) static_cast<void>(0)
#endif
