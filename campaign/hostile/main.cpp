/// campaign-hostile: the first process of a guest that obeys nobody but the program it was sent. It
/// takes the place of boxd in a throwaway VM, as if a box had broken out and become root there, and
/// says to the host what the program's lines tell it to. Never installed, and of no use on a host.
///
///   frame TYPE HEAD BODY TIMES    a frame of the run; HEAD and BODY in base64
///   raw BYTES TIMES               bytes, in base64
///   console BYTES TIMES           the same to the serial console
///   end                           the guest powers off
///
/// Then it waits for the next order.

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "boxd/guest_init.hpp"
#include "link/control.hpp"
#include "link/frame.hpp"
#include "link/order.hpp"
#include "sys/fd.hpp"

namespace pybox::campaign {
namespace {

using link::Frame;
using link::FrameType;

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  while (!line.empty()) words.emplace_back(take_until(line, ' '));
  return words;
}

std::uint64_t number_in(const std::string& word) {
  std::uint64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  return number;
}

/// "-" stands for nothing.
std::string bytes_in(const std::string& word) {
  std::string bytes;
  if (word != "-" && !base64_decode(word, bytes)) bytes.clear();
  return bytes;
}

void repeat(int fd, const std::string& bytes, std::uint64_t times) {
  for (; times > 0; --times) {
    if (!sys::write_all(fd, bytes)) return;
  }
}

class Hostile {
 public:
  explicit Hostile(guest::GuestLink guest) : guest_(std::move(guest)) {}

  [[noreturn]] void serve() {
    std::array<char, 65536> chunk{};
    for (;;) {
      const ssize_t n = ::read(guest_.link.get(), chunk.data(), chunk.size());
      if (n <= 0) {
        ::poll(nullptr, 0, 10);  // no host on the other side
        continue;
      }
      reader_.feed({chunk.data(), static_cast<std::size_t>(n)});
      while (const auto frame = reader_.next()) answer(*frame);
    }
  }

 private:
  void send(FrameType type, std::uint64_t run, std::string head, std::string body = {}) {
    (void)sys::write_all(guest_.link.get(),
                         link::encode({type, run, std::move(head), std::move(body)}))
        .has_value();
  }

  void answer(const Frame& frame) {
    if (frame.type == FrameType::Hello) {
      link::ReadyHead ready{"hostile", "hostile", "v2", {}};
      for (const auto& [id, root] : guest_.images) ready.images.push_back(id);
      return send(FrameType::Ready, frame.run, link::ready_head(ready));
    }
    if (frame.type == FrameType::Shutdown) guest::power_off();
    if (frame.type != FrameType::Run) return;
    const auto order = link::order_from(frame.head, frame.body);
    if (!order || !order->request.program.starts_with("#hostile\n"))
      return send(FrameType::Failed, frame.run, link::failed_head({"no", "", false}));
    for (std::string_view lines = order->request.program; !lines.empty();)
      obey(words_of(take_until(lines, '\n')), frame.run);
  }

  void obey(const std::vector<std::string>& words, std::uint64_t run) {
    if (words.size() == 1 && words[0] == "end") guest::power_off();
    if (words.size() == 3 && words[0] == "raw")
      repeat(guest_.link.get(), bytes_in(words[1]), number_in(words[2]));
    if (words.size() == 3 && words[0] == "console")
      repeat(STDOUT_FILENO, bytes_in(words[1]), number_in(words[2]));
    if (words.size() != 5 || words[0] != "frame") return;
    const auto type = static_cast<FrameType>(number_in(words[1]));
    repeat(guest_.link.get(), link::encode({type, run, bytes_in(words[2]), bytes_in(words[3])}),
           number_in(words[4]));
  }

  guest::GuestLink guest_;
  link::FrameReader reader_;
};

}  // namespace
}  // namespace pybox::campaign

int main() {
  ::signal(SIGPIPE, SIG_IGN);
  if (::getpid() != 1) {
    ::dprintf(STDERR_FILENO, "campaign-hostile: this is the first process of a guest\n");
    return 2;
  }
  auto guest = pybox::guest::init();
  if (!guest) {
    ::dprintf(STDERR_FILENO, "hostile: %s\n", guest.error().message().c_str());
    pybox::guest::power_off();
  }
  pybox::campaign::Hostile(std::move(guest).value()).serve();
}
