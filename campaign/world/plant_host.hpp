#pragma once
/// campaign-plant on a host: once as the process that plants and stays, and for each arm as the one
/// that starts boxd inside.

namespace pybox::campaign {

/// `campaign-plant host CANARY FOLDER`, 3 a socket to the world. As root in mount, network, IPC and
/// host name namespaces of its own, FOLDER covered there, so that nothing of it outlives it; an
/// ordinary user's things stand on the host itself and are removed at the end. Says "planted JSON",
/// then "noticed KIND COUNT" lines; ends when the socket does.
int plant_on_host(const char* canary, const char* folder);

/// `campaign-plant enter PID FOLDER BOXD WORD…`: into the namespaces of PID (as root), opens the
/// descriptor and becomes BOXD with our environment.
int enter_and_start(int argc, char** argv);

}  // namespace pybox::campaign
