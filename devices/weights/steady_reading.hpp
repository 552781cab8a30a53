// Whatever is made of a model's constants, made while nobody wrote to the model's file.
#pragma once

#include "partition/model/model.hpp"

namespace shingle {

// Of the mapped files that the model's constants lie in, all together: what was made of them counts
// if this says one number before and after (MappedFile::version).
Result<uint64_t> files_version(const Model& model);

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
  return Error{"somebody writes to the model's file again and again while it is read"};
}

}  // namespace shingle
