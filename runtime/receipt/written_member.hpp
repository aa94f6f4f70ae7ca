#pragma once
/// A member of a JSON object that is written ahead of the rest of it (receipt/canonical_json.hpp).

#include <string>

namespace pybox {

struct WrittenMember {
  std::string key;
  std::string canonical;
  std::string readable;
};

}  // namespace pybox
