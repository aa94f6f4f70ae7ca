#include "vm/machine.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "sys/fd.hpp"

namespace pybox::vm {
namespace {

constexpr Nanos kGreetingPatience = std::chrono::seconds(20);
/// Answers nobody waits for are kept no longer than this many.
constexpr std::size_t kKeptAnswers = 64;
constexpr std::size_t kKeptWords = 4096;

}  // namespace

Machine::Machine(QemuProcess process, ConsoleLog& console)
    : process_(std::move(process)),
      pid_(process_.child.pid()),
      console_(console),
      heard_(monotonic_now()) {}

Result<void> Machine::agree() {
  const Nanos deadline = monotonic_now() + kGreetingPatience;
  while (!greeted_ && !broken_) {
    const Nanos left = deadline - monotonic_now();
    if (left <= Nanos{0}) return Error(ErrorKind::HostCannot, "QEMU does not answer");
    pump(left);
  }
  if (broken_) return Error(ErrorKind::HostCannot, *broken_);
  (void)PYBOX_TRY(execute("qmp_capabilities"));
  return {};
}

Result<void> Machine::write_command(std::string_view line, int fd) {
  iovec part{const_cast<char*>(line.data()), line.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  if (fd >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  // Commands are far smaller than a socket's buffer: one that does not fit whole means that QEMU
  // has stopped reading.
  const ssize_t n = ::sendmsg(process_.qmp.get(), &message, MSG_NOSIGNAL);
  if (n < 0) return Error::from_errno(errno, "sending a command to QEMU");
  if (static_cast<std::size_t>(n) != line.size()) {
    return Error(ErrorKind::Io, "QEMU does not take commands");
  }
  return {};
}

Result<std::string> Machine::execute(std::string_view command, const QmpArguments& arguments,
                                     int fd, Nanos patience) {
  const std::uint64_t id = ++commands_;
  PYBOX_TRY(write_command(qmp_command(command, id, arguments), fd));
  const Nanos deadline = monotonic_now() + patience;
  for (;;) {
    const auto found = std::find_if(answers_.begin(), answers_.end(),
                                    [id](const QmpMessage& each) { return each.id == id; });
    if (found != answers_.end()) {
      const QmpMessage answer = *found;
      answers_.erase(found);
      if (answer.kind == QmpKind::Return) return answer.text;
      return Error(ErrorKind::HostCannot,
                   "QEMU refused `" + std::string(command) + "`: " + visible(answer.text));
    }
    if (broken_) return Error(ErrorKind::HostCannot, *broken_);
    const Nanos left = deadline - monotonic_now();
    if (left <= Nanos{0}) {
      return Error(ErrorKind::HostCannot, "QEMU did not answer `" + std::string(command) + "`");
    }
    pump(left);
  }
}

void Machine::send(const link::Frame& frame) {
  outgoing_ += link::encode(frame);
  write_link();
}

std::optional<link::Frame> Machine::next_frame() { return frames_.next(); }

void Machine::watch(std::vector<pollfd>& into) const {
  into.push_back({process_.console.get(), POLLIN, 0});
  into.push_back({process_.words.get(), POLLIN, 0});
  into.push_back({process_.qmp.get(), POLLIN, 0});
  const short link_events = static_cast<short>(POLLIN | (outgoing_.empty() ? 0 : POLLOUT));
  into.push_back({process_.link.get(), link_events, 0});
  into.push_back({process_.child.pidfd(), POLLIN, 0});
}

void Machine::handle(std::span<const pollfd> watched) {
  std::array<char, 16384> chunk;
  if (watched[0].revents != 0) (void)read_console(process_.console, chunk);
  if (watched[1].revents != 0) read_words();
  if (watched[2].revents != 0) read_qmp();
  if ((watched[3].revents & POLLOUT) != 0) write_link();
  if ((watched[3].revents & (POLLIN | POLLHUP | POLLERR)) != 0) read_link();
  if (watched[4].revents != 0) take_end();
}

void Machine::pump(Nanos timeout) {
  std::vector<pollfd> watched;
  watch(watched);
  const timespec wait = to_timespec(timeout);
  if (::ppoll(watched.data(), watched.size(), &wait, nullptr) > 0) handle(watched);
}

std::string_view Machine::read_console(sys::Fd& fd, std::span<char> chunk) {
  const ssize_t n = ::read(fd.get(), chunk.data(), chunk.size());
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) fd.reset();
  if (n <= 0) return {};
  heard_ = monotonic_now();
  const std::string_view bytes(chunk.data(), static_cast<std::size_t>(n));
  console_.append(bytes);
  return bytes;
}

void Machine::read_words() {
  std::array<char, 16384> chunk;
  words_ += read_console(process_.words, chunk);
  if (words_.size() > kKeptWords) words_.erase(0, words_.size() - kKeptWords);
}

void Machine::read_qmp() {
  std::array<char, 16384> chunk;
  const ssize_t n = ::read(process_.qmp.get(), chunk.data(), chunk.size());
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) return process_.qmp.reset();
  qmp_.feed({chunk.data(), static_cast<std::size_t>(n)});
  for (;;) {
    auto message = qmp_.next();
    if (!message) return break_down(message.error().message());
    if (!message->has_value()) return;
    switch ((*message)->kind) {
      case QmpKind::Greeting: greeted_ = true; break;
      case QmpKind::Event: take_event(**message); break;
      case QmpKind::Return:
      case QmpKind::Failure:
        if ((*message)->id == stop_question_ && stop_question_ != 0)
          return take_stop_reason(**message);
        answers_.push_back(std::move(**message));
        if (answers_.size() > kKeptAnswers) answers_.pop_front();
        break;
    }
  }
}

void Machine::take_event(const QmpMessage& event) {
  if (event.name != "STOP" || stop_expected_ || stop_question_ != 0) return;
  stop_question_ = ++commands_;
  if (!write_command(qmp_command("query-status", stop_question_, {}), -1))
    break_down("the virtual processors stopped");
}

void Machine::take_stop_reason(const QmpMessage& answer) {
  const std::string why = qmp_text(answer.text, "status").value_or("");
  internal_error_ = why == "internal-error";
  if (internal_error_) return break_down("the virtual processors stopped in an internal error");
  if (why == "io-error") return break_down("the host's disk did not take what the guest wrote");
  break_down("the virtual processors stopped");
}

Blame Machine::blame() const {
  if (internal_error_) return Blame::Kvm;
  // Whoever kills QEMU says nothing about KVM; an abort is QEMU's own word.
  if (!ended_ || (ended_->by_signal && ended_->code != SIGABRT)) return Blame::Nobody;
  std::string words = words_;
  for (char& c : words) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return words.find("kvm") == std::string::npos ? Blame::Nobody : Blame::Kvm;
}

void Machine::read_link() {
  std::array<char, 262144> chunk;
  const ssize_t n = ::read(process_.link.get(), chunk.data(), chunk.size());
  if (n > 0) frames_.feed({chunk.data(), static_cast<std::size_t>(n)});
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) process_.link.reset();
}

void Machine::write_link() {
  // A link that broke is noticed where it is read.
  if (process_.link.is_open())
    (void)sys::write_available(process_.link.get(), outgoing_).has_value();
}

void Machine::take_end() {
  // Last words first: they say why.
  const auto waits = [](const sys::Fd& fd) {
    pollfd ready{fd.get(), POLLIN, 0};
    return fd.is_open() && ::poll(&ready, 1, 0) > 0;
  };
  std::array<char, 16384> chunk;
  while (waits(process_.words)) read_words();
  while (waits(process_.console)) (void)read_console(process_.console, chunk);
  auto status = process_.child.wait(Nanos{0});
  if (!status || !status->has_value()) return;
  ended_ = **status;
  break_down((*status)->by_signal ? "QEMU was killed by signal " + std::to_string((*status)->code)
                                  : "QEMU ended with code " + std::to_string((*status)->code));
}

void Machine::break_down(std::string why) {
  if (!broken_) broken_ = std::move(why);
}

void Machine::end(Nanos patience) {
  if (process_.child.is_running() && write_command(qmp_command("quit", ++commands_, {}), -1)) {
    (void)process_.child.wait(patience).has_value();
  }
  if (process_.child.is_running()) {
    (void)process_.child.signal(SIGKILL).has_value();
    (void)process_.child.wait(std::chrono::seconds(10)).has_value();
  }
  break_down("the VM was ended");
}

}  // namespace pybox::vm
