#pragma once
/// The only error path in PyBox: a value or an Error. [[nodiscard]] sits on the class, so a dropped
/// error does not compile. Names follow std::expected.

#include <cstdlib>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.hpp"

namespace pybox {

template <class T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose: `return value;` and `return Error(...);` are the two ways out.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  /// Precondition: has_value(); anything else is a programmer's error and aborts.
  T& value() & { return require_value(), *std::get_if<0>(&state_); }
  const T& value() const& { return require_value(), *std::get_if<0>(&state_); }
  T&& value() && { return require_value(), std::move(*std::get_if<0>(&state_)); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }

  /// Precondition: !has_value().
  const Error& error() const& { return require_error(), *std::get_if<1>(&state_); }
  Error&& error() && { return require_error(), std::move(*std::get_if<1>(&state_)); }

 private:
  void require_value() const {
    if (!has_value()) std::abort();
  }
  void require_error() const {
    if (has_value()) std::abort();
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  void value() const {
    if (error_) std::abort();
  }
  const Error& error() const& {
    if (!error_) std::abort();
    return *error_;
  }
  Error&& error() && {
    if (!error_) std::abort();
    return std::move(*error_);
  }

 private:
  std::optional<Error> error_;
};

}  // namespace pybox

/// Propagates an error to the caller, else yields the value. One per statement, never nested
/// (nesting trips -Wshadow, which is what we want).
#define PYBOX_TRY(expression)                     \
  __extension__({                                 \
    auto pybox_try_result = (expression);         \
    if (!pybox_try_result) [[unlikely]]           \
      return std::move(pybox_try_result).error(); \
    std::move(pybox_try_result).value();          \
  })

/// As PYBOX_TRY, adding what the caller knows: PYBOX_TRY_CONTEXT(open(x), "reading the lock").
#define PYBOX_TRY_CONTEXT(expression, text)                     \
  __extension__({                                               \
    auto pybox_try_result = (expression);                       \
    if (!pybox_try_result) [[unlikely]]                         \
      return std::move(pybox_try_result).error().context(text); \
    std::move(pybox_try_result).value();                        \
  })
