// Whatever is made of a model's constants, made while nobody wrote to the model's file.
#pragma once

#include "partition/model/model.hpp"

namespace shingle {

// Of the mapped files that the model's constants lie in, all together: what was made of them counts
// if this says one number before and after (MappedFile::version).
Result<uint64_t> files_version(const Model& model);

// The first of these files that somebody wrote to since it was opened; empty: none.
std::string written_file(const Model& model);

// What `make`, a function without arguments, returns: a Result. It is called again where somebody
// was at the file meanwhile and its bytes are the same again; what it made before is dropped. The
// sentence is its own, or names a file that is not what it was.
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
