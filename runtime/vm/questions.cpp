#include "vm/questions.hpp"

#include <algorithm>

namespace pybox::vm {

std::optional<Question> Questions::take(std::uint64_t number) {
  const auto at = open_.find(number);
  if (at == open_.end()) return std::nullopt;
  const Question question = at->second;
  open_.erase(at);
  return question;
}

std::vector<Question> Questions::take_expired(Nanos now) {
  std::vector<Question> expired;
  std::erase_if(open_, [&](const auto& each) {
    if (each.second.deadline > now) return false;
    expired.push_back(each.second);
    return true;
  });
  return expired;
}

std::optional<Nanos> Questions::next_deadline() const {
  std::optional<Nanos> next;
  for (const auto& [number, question] : open_) {
    next = std::min(next.value_or(question.deadline), question.deadline);
  }
  return next;
}

}  // namespace pybox::vm
