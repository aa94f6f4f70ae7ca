#pragma once
/// The things that campaign-plant puts into the world around boxd, and the servers among them
/// (docs/evidence.md, "A probe"). Every one hands out the canary, a colon and its kind to whoever
/// reaches it; what notices a touch says so.

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/units.hpp"
#include "sys/fd.hpp"

namespace pybox::campaign {

/// Of the variable in boxd's environment.
constexpr const char* kOutsideVariable = "PYBOX_OUTSIDE";
/// The number of the descriptor left open in boxd.
constexpr int kLeakedFd = 9;
/// Below the planted folder: what the descriptor refers to, and a link to the terminal.
constexpr const char* kLeakedFile = "leaked";
constexpr const char* kTerminalLink = "terminal";
/// The number of the terminal in boxd, its controlling one. Natively only: the guest's boxd begins
/// a session of its own.
constexpr int kTerminalFd = 10;
/// A group that boxd belongs to.
constexpr unsigned kGroup = 54321;

/// What is planted, as the members of ASK["world"]; names and values are JSON already.
class AskWorld {
 public:
  void text(const char* name, const std::string& value);
  void number(const char* name, long value);
  /// [host, port]; a host that is a number stays one.
  void place(const char* name, const std::string& host_json, int port);
  std::string json() const;

 private:
  std::map<std::string, std::string> members_;
};

class Planted {
 public:
  /// `canary`: 32 hex digits. `folder`: where files go, as this process reaches it; `seen_as`: as
  /// boxd's mount namespace names it. The folder exists.
  Planted(std::string canary, std::filesystem::path folder, std::filesystem::path seen_as);
  /// Takes away what would outlive the process: segment, queue, key.
  ~Planted();
  Planted(const Planted&) = delete;
  Planted& operator=(const Planted&) = delete;

  /// Says where boxd's current folder is.
  void started_in(const std::string& folder) { ask_.text("cwd", folder); }
  Result<void> files();
  Result<void> servers();
  /// System V segment and queue, and the key. What the kernel lacks is left out.
  void kernel_objects();
  /// A process with the canary in its arguments and its memory; `program` is campaign-plant.
  Result<void> process(const std::filesystem::path& program);
  void hostname();
  /// A pseudo terminal for boxd; what is written to it goes nowhere.
  Result<void> terminal();
  /// From now on a file comes and goes with a mount below the folder, which is a mount of its own;
  /// each has another text.
  void come_and_go();
  /// From now on the roots of all processes are looked at for a file that a program wrote, and
  /// answered in it. The root of this process must not change any more.
  void watch_roots();

  const AskWorld& ask() const { return ask_; }
  /// Serves until `end` is readable or closed. `noticed` gets a kind and how often since the last
  /// call: never more often than every 20 ms.
  void serve(int end, const std::function<void(const std::string& kind, unsigned count)>& noticed);

 private:
  enum class Handing { Accept, Answer };
  struct Server {
    std::string kind;
    sys::Fd fd;
    Handing how;
  };
  std::string text_of(const std::string& kind) const { return canary_ + ":" + kind; }
  Result<void> write_file(const char* name, const std::string& text, unsigned mode);
  Result<void> serve_inet(const char* kind, int family, int type);
  /// At an address that the loopback interface gets for it.
  Result<void> serve_at(const char* kind, const char* alias, const char* address);
  Result<void> serve_unix();
  void serve_vsock();
  void hand_out(const Server& server);
  void look_at_victim();
  void look_at_hostname();
  void look_at_process();
  void look_at_terminal(short events);
  void toggle_mount();
  void look_at_roots();
  void tell(const std::function<void(const std::string&, unsigned)>& noticed);

  std::string canary_;
  std::filesystem::path folder_, seen_as_;
  AskWorld ask_;
  std::vector<Server> servers_;
  sys::Fd victim_watch_, hostname_watch_, process_fd_, terminal_, other_end_;
  std::string hostname_;
  sys::Fd proc_;
  std::pair<dev_t, ino_t> root_{};
  std::string pid_namespace_, knock_;
  int shm_ = -1, msg_ = -1;
  long key_ = -1;
  std::map<std::string, unsigned> noticed_;
  bool toggles_ = false;
  bool mounted_ = false;
  unsigned mounts_ = 0;
  Nanos toggled_{}, told_{}, looked_{};
};

/// The life of the planted process: waits for its parent's end.
[[noreturn]] void be_the_planted_process(const char* text);

/// Raises the loopback interface of this network namespace; true when it is up.
bool raise_loopback();

}  // namespace pybox::campaign
