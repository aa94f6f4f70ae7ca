#pragma once
/// Unix sockets whose paths may be longer than an address holds (108 bytes, man 7 unix).

#include <filesystem>

#include "base/result.hpp"
#include "sys/fd.hpp"

namespace pybox::vm {

/// Binds and listens; the socket file gets mode 0600. Non-blocking.
Result<sys::Fd> listen_socket(const std::filesystem::path& path);
/// Connects; the errno is kept in the error (ENOENT, ECONNREFUSED: nobody is there).
Result<sys::Fd> connect_socket(const std::filesystem::path& path);
/// Takes a waiting connection, non-blocking; an unopened Fd when there is none or when its user is
/// neither this process's nor root.
sys::Fd accept_socket(const sys::Fd& listener);

}  // namespace pybox::vm
