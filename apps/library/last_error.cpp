#include "apps/library/last_error.hpp"

namespace shingle {
namespace {

thread_local std::string last_sentence;
thread_local bool had_no_room = false;  // for the sentence

}  // namespace

shingle_code failed(shingle_code code, const std::string& sentence) noexcept {
  try {
    last_sentence = sentence;
    had_no_room = false;
  } catch (const std::bad_alloc&) {
    had_no_room = true;
  }
  return code;
}

shingle_code failed(const Error& error) noexcept {
  return failed(code_of(error.kind), error.sentence);
}

const char* last_error() noexcept {
  return had_no_room ? "this process has no memory left" : last_sentence.c_str();
}

shingle_code code_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::runtime:
      return SHINGLE_RUNTIME;
    case ErrorKind::usage:
      return SHINGLE_USAGE;
    case ErrorKind::bad_input:
      return SHINGLE_BAD_INPUT;
  }
  return SHINGLE_RUNTIME;
}

}  // namespace shingle
