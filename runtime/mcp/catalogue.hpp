#pragma once
/// The texts that a client gets before any call: made once at the start, the same for every client
/// of the same operator, byte for byte. Each is the members of a result object, without braces.

#include <string>
#include <string_view>

#include "mcp/message.hpp"
#include "mcp/operator.hpp"

namespace pybox::mcp {

class Catalogue {
 public:
  explicit Catalogue(const Operator& allowed);

  std::string initialize(std::string_view version) const;
  const std::string& discover() const { return discover_; }
  const std::string& tools(Era era) const { return era == Era::Modern ? modern_tools_ : tools_; }

 private:
  std::string server_;  ///< name and version, an object
  std::string instructions_;
  std::string tools_;
  std::string modern_tools_;
  std::string discover_;
};

/// The members of a result as its era wants them: since 2026-07-28 a result says that it is
/// complete and who made it.
std::string result_of(Era era, std::string_view members);

}  // namespace pybox::mcp
