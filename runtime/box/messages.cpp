#include "box/messages.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace pybox::box {

bool send_message(int socket, const Message& message, std::span<const int> descriptors) {
  if (descriptors.size() > kMostDescriptors) return false;
  iovec data{const_cast<Message*>(&message), sizeof(message)};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostDescriptors)> control{};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  }
  ssize_t n = 0;
  do {
    n = ::sendmsg(socket, &header, MSG_NOSIGNAL);
  } while (n < 0 && errno == EINTR);
  return n == static_cast<ssize_t>(sizeof(message));
}

bool receive_message(int socket, Message& message, int type, std::span<std::byte> along,
                     std::size_t& came) {
  came = 0;
  iovec data{&message, sizeof(message)};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostDescriptors)> control{};
  msghdr header{};
  header.msg_iov = &data;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t n = 0;
  do {
    n = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (n < 0 && errno == EINTR);
  for (cmsghdr* at = CMSG_FIRSTHDR(&header); n >= 0 && at != nullptr;
       at = CMSG_NXTHDR(&header, at)) {
    if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != type) continue;
    came = std::min(at->cmsg_len - CMSG_LEN(0), along.size());
    std::memcpy(along.data(), CMSG_DATA(at), came);
  }
  return n == static_cast<ssize_t>(sizeof(message));
}

bool receive_message(int socket, Message& message) {
  // Not by the other one: recv(2) lets nothing in that came along unasked.
  ssize_t n = 0;
  do {
    n = ::recv(socket, &message, sizeof(message), 0);
  } while (n < 0 && errno == EINTR);
  return n == static_cast<ssize_t>(sizeof(message));
}

Message failure(int code, std::string_view doing) {
  Message message{Say::Failed, code, 0, {}};
  const std::size_t size = std::min(doing.size(), message.text.size() - 1);
  std::copy_n(doing.data(), size, message.text.data());
  return message;
}

}  // namespace pybox::box
