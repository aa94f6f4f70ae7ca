#pragma once
/// Which names may travel between a host and a box: paths of plain, visible components. The same
/// rule both ways, so that a receipt shows every name exactly as it stands on disk.

#include <cstddef>
#include <string>
#include <string_view>

namespace pybox::files {

constexpr std::size_t kLongestComponent = 255;  ///< NAME_MAX of Linux
constexpr std::size_t kLongestPath = 1024;  ///< leaves room for the caller's own folder before it
constexpr std::size_t kDeepestPath = 32;    ///< components

/// Why a component cannot be taken over, as the end of a sentence ("its name …"); empty when it
/// can: 1 to 255 bytes of UTF-8 without '/', control, bidirectional and invisible characters, and
/// not "." or "..".
std::string_view fault_of_component(std::string_view component);

/// The same for a relative path of such components.
std::string_view fault_of_path(std::string_view path);

/// A name of the program's making for a list that people and models read: escaped, and at most 200
/// characters, so that a crafted name cannot crowd out its neighbours.
std::string shown(std::string_view name);

}  // namespace pybox::files
