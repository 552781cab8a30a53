// The sentence of the last call that failed, for each thread.
#pragma once

#include <shingle/shingle.h>

#include <exception>
#include <new>
#include <string>

#include "partition/base/result.hpp"

namespace shingle {

// Keeps the sentence for shingle_error() and returns the code.
shingle_code failed(shingle_code code, const std::string& sentence) noexcept;
shingle_code failed(const Error& error) noexcept;
const char* last_error() noexcept;  // "" before the first

shingle_code code_of(ErrorKind kind);

// What a function of the library does: no exception leaves it.
template <class Body>
shingle_code guarded(const Body& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return failed(SHINGLE_NO_MEMORY, "this process has no memory left");
  } catch (const std::exception& error) {
    return failed(SHINGLE_RUNTIME, error.what());
  }
}

}  // namespace shingle
