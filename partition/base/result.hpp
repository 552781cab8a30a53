// Result<T>: a value, or one full sentence that says what is wrong and what to do.
// (GCC 12 has no <expected>; this is the small part of it that the project needs.)
#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace shingle {

// Who can fix the error: whoever typed the command (usage), whoever made the file (bad_input), or
// nobody in advance (runtime). A program's exit code depends on it. Readers of models, plans,
// clusters, profiles and compiled files return bad_input.
enum class ErrorKind : uint8_t { runtime, usage, bad_input };

struct Error {
  std::string sentence;  // names the file, line, node or operator; ends without a newline
  ErrorKind kind = ErrorKind::runtime;
};
inline Error usage_error(std::string sentence) { return {std::move(sentence), ErrorKind::usage}; }
inline Error bad_input(std::string sentence) { return {std::move(sentence), ErrorKind::bad_input}; }

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok().
  T& value() & { return assert(ok()), *std::get_if<0>(&state_); }
  const T& value() const& { return assert(ok()), *std::get_if<0>(&state_); }
  T&& value() && { return assert(ok()), std::move(*std::get_if<0>(&state_)); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }

  // REQUIRES: !ok().
  const std::string& error() const { return failure().sentence; }
  const Error& failure() const { return assert(!ok()), *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

// For readers of files: an error that no part of the reader has given a kind is the file's.
template <class T>
Result<T> as_bad_input(Result<T> read) {
  if (!read && read.failure().kind == ErrorKind::runtime) return bad_input(read.error());
  return read;
}

struct Success {};
using Status =
    Result<Success>;  // an outcome without a value: `return success();` or `return Error{...}`
inline Status success() { return Success{}; }

}  // namespace shingle
