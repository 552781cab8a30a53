// Reads a model's constants and makes sure that nobody wrote to the model's files meanwhile.
#pragma once

#include "partition/model/model.hpp"

namespace shingle {

// One version for all mapped files that hold the model's constants. A result that was computed from
// the constants is valid if this number is the same before and after (MappedFile::version).
Result<uint64_t> files_version(const Model& model);

// The first of these files that was written to since it was opened; empty: none.
std::string written_file(const Model& model);

// Returns the Result of `make`, a function without arguments. If a file was touched meanwhile but
// its bytes are the same, the result is dropped and make() is called again. The error is that of
// make(), or names a file that has changed.
template <class Make>
auto read_steadily(const Model& model, const Make& make) -> decltype(make()) {
  constexpr int attempts = 3;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const Result<uint64_t> before = files_version(model);
    if (!before) return before.failure();
    auto made = make();
    const Result<uint64_t> after = files_version(model);
    if (!after) return after.failure();
    if (*after == *before) return made;
  }
  return Error{"the model's file '" + written_file(model) +
               "' was written to again and again while it was read; stop the program that writes "
               "it"};
}

}  // namespace shingle
