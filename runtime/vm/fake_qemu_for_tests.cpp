#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/clock.hpp"
#include "base/line_cutter.hpp"
#include "link/control.hpp"
#include "link/frame.hpp"
#include "sys/syscalls.hpp"
#include "vm/fake_qemu_for_tests.hpp"

namespace pybox::vm {
namespace {

using link::Frame;
using link::FrameType;

std::string value_of(const std::string& line, const std::string& key) {
  const std::string begin = "\"" + key + "\":\"";
  const std::size_t at = line.find(begin);
  if (at == std::string::npos) return "";
  const std::size_t from = at + begin.size();
  return line.substr(from, line.find('"', from) - from);
}

/// The child.
class Peer {
 public:
  Peer(const FakeQemu& fake, sys::Fd console, sys::Fd qmp, sys::Fd link, sys::Fd words)
      : fake_(fake),
        console_(std::move(console)),
        qmp_(std::move(qmp)),
        link_(std::move(link)),
        words_(std::move(words)) {}

  [[noreturn]] void live() {
    if (!fake_.words.empty()) {
      say(words_, fake_.words + "\n");
      ::_exit(1);
    }
    const timespec slow = to_timespec(fake_.slow);
    ::ppoll(nullptr, 0, &slow, nullptr);
    before();
    say(qmp_, "{\"QMP\": {}}\n");
    after();
    for (;;) {
      std::array<pollfd, 2> watched = {pollfd{qmp_.get(), POLLIN, 0},
                                       pollfd{link_.get(), POLLIN, 0}};
      ::poll(watched.data(), watched.size(), -1);
      if (watched[0].revents != 0) read_qmp();
      if (watched[1].revents != 0) read_link();
    }
  }

 private:
  void say(const sys::Fd& fd, const std::string& text) {
    if (!sys::write_all(fd.get(), text)) ::_exit(1);
  }
  void step() {
    if (fake_.killed_at == moment_++) ::raise(SIGKILL);
  }
  void before() { step(); }
  void after() { step(); }

  void read_qmp() {
    std::array<char, 4096> chunk;
    iovec part{chunk.data(), chunk.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t n = ::recvmsg(qmp_.get(), &message, MSG_CMSG_CLOEXEC);
    if (n <= 0) ::_exit(0);
    if (const cmsghdr* header = CMSG_FIRSTHDR(&message)) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
      passed_ = sys::Fd(fd);
    }
    lines_.feed({chunk.data(), static_cast<std::size_t>(n)});
    while (const auto line = lines_.next()) {
      before();
      answer(*line);
      after();
    }
  }

  void answer(const std::string& line) {
    const std::string command = value_of(line, "execute");
    const std::string id = line.substr(line.rfind("\"id\":") + 5);
    const std::string ending = ", \"id\": " + id.substr(0, id.find_first_of(",}")) + "}\n";
    const auto refusal = [&]() -> std::string {
      if (fake_.refuses.erase(command) != 0) return "it was told to refuse";
      if (command == "blockdev-add")
        return nodes_.insert(value_of(line, "node-name")).second ? "" : "Duplicate nodes";
      if (command == "blockdev-del")
        return nodes_.erase(value_of(line, "node-name")) != 0 ? "" : "Failed to find node";
      if (command == "device_add")
        return devices_.insert(value_of(line, "id")).second ? "" : "Duplicate device ID";
      if (command == "device_del")
        return devices_.erase(value_of(line, "id")) != 0 ? "" : "Device not found";
      return "";
    }();
    if (!refusal.empty()) {
      return say(qmp_, "{\"error\": {\"class\": \"GenericError\", \"desc\": \"" + refusal + "\"}" +
                           ending);
    }
    if (command == "quit") ::_exit(0);
    if (command == "stop") say(qmp_, "{\"event\": \"STOP\"}\n");
    if (command == "cont") say(qmp_, "{\"event\": \"RESUME\"}\n");
    if (command == "migrate") say(passed_, "the guest as it is");
    std::string value = "{}";
    if (command == "query-migrate") value = "{\"status\": \"completed\"}";
    if (command == "query-status") value = "{\"status\": \"internal-error\"}";
    say(qmp_, "{\"return\": " + value + ending);
    if (command != "qmp_capabilities") return;
    if (fake_.internal_error) say(qmp_, "{\"event\": \"STOP\"}\n");
    if (fake_.console.empty()) return;
    say(console_, fake_.console);
    if (fake_.lost_after_console) ::raise(SIGKILL);
    ::_exit(0);
  }

  void read_link() {
    std::array<char, 65536> chunk;
    const ssize_t n = ::read(link_.get(), chunk.data(), chunk.size());
    if (n <= 0) ::_exit(0);
    frames_.feed({chunk.data(), static_cast<std::size_t>(n)});
    while (const auto frame = frames_.next()) {
      if (fake_.silent || fake_.internal_error) continue;
      before();
      answer(*frame);
      after();
    }
  }

  void answer(const Frame& frame) {
    const auto reply = [&](FrameType type, std::string head) {
      say(link_, link::encode({type, frame.run, std::move(head), {}}));
    };
    if (frame.type == FrameType::Hello)
      reply(FrameType::Ready, link::ready_head({"1", "6.12", "v2", {"sha256:base"}}));
    if (frame.type == FrameType::Run) reply(FrameType::Report, "{}");
    if (frame.type == FrameType::AttachImage && fake_.broken_mounts-- > 0)
      return reply(FrameType::Failed, link::failed_head({"it does not mount", "", false}));
    if (frame.type == FrameType::AttachImage)
      reply(FrameType::ImageReady, link::image_ready_head("sha256:new"));
  }

  FakeQemu fake_;
  sys::Fd console_, qmp_, link_, words_, passed_;
  LineCutter lines_{65536};
  link::FrameReader frames_;
  std::set<std::string> nodes_, devices_;
  int moment_ = 0;
};

}  // namespace

Result<QemuProcess> start_fake(const FakeQemu& fake) {
  auto console = PYBOX_TRY(sys::make_socket_pair());
  auto qmp = PYBOX_TRY(sys::make_socket_pair());
  auto link = PYBOX_TRY(sys::make_socket_pair());
  auto words = PYBOX_TRY(sys::make_socket_pair());
  for (const sys::Fd* ours : {&console.first, &qmp.first, &link.first, &words.first})
    PYBOX_TRY(sys::set_nonblocking(*ours));
  const pid_t pid = ::fork();
  if (pid < 0) return Error::from_errno(errno, "starting a fake QEMU");
  if (pid == 0) {
    for (sys::Fd* ours : {&console.first, &qmp.first, &link.first, &words.first}) ours->reset();
    Peer(fake, std::move(console.second), std::move(qmp.second), std::move(link.second),
         std::move(words.second))
        .live();
  }
  return QemuProcess{sys::Child(pid, sys::Fd(sys::pidfd_open(pid))), std::move(console.first),
                     std::move(qmp.first), std::move(link.first), std::move(words.first)};
}

}  // namespace pybox::vm
