#include "box/messages.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace pybox::box {

bool send_message(int socket, const Message& message) {
  ssize_t n = 0;
  do {
    n = ::send(socket, &message, sizeof(message), MSG_NOSIGNAL);
  } while (n < 0 && errno == EINTR);
  return n == static_cast<ssize_t>(sizeof(message));
}

bool receive_message(int socket, Message& message) {
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
