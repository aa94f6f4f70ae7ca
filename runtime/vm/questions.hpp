#pragma once
/// Clients that wait for the guest's part of a status, and until when. Pure.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/units.hpp"

namespace pybox::vm {

struct Question {
  std::uint64_t session = 0;
  std::uint64_t client_run = 0;  ///< the number the client gave its question
  Nanos deadline{};
};

class Questions {
 public:
  /// `number`: under which the guest was asked.
  void ask(std::uint64_t number, Question question) { open_[number] = question; }
  /// The guest answered; nullopt when nobody waits for that any more.
  std::optional<Question> take(std::uint64_t number);
  /// Those whose time is up, taken out.
  std::vector<Question> take_expired(Nanos now);
  std::optional<Nanos> next_deadline() const;

 private:
  std::map<std::uint64_t, Question> open_;
};

}  // namespace pybox::vm
