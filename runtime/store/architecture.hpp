#pragma once
/// What Debian calls this machine's architecture and where it puts the loader and the libraries.
/// Source: the multiarch tuples of Debian policy, the loader paths of the psABI of each
/// architecture.

#include <string_view>

namespace pybox::store {

#if defined(__x86_64__)
constexpr std::string_view kDebianArchitecture = "amd64";
constexpr std::string_view kLoader = "usr/lib64/ld-linux-x86-64.so.2";
constexpr std::string_view kLibraryFolder = "usr/lib/x86_64-linux-gnu";
#elif defined(__aarch64__)
constexpr std::string_view kDebianArchitecture = "arm64";
constexpr std::string_view kLoader = "usr/lib/ld-linux-aarch64.so.1";
constexpr std::string_view kLibraryFolder = "usr/lib/aarch64-linux-gnu";
#else
#error "PyBox knows x86-64 and arm64"
#endif

}  // namespace pybox::store
