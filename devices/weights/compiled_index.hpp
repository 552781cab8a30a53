// The index of a compiled file: printed as text, and read back with every number checked.
#pragma once

#include "devices/weights/compiled_file.hpp"

namespace shingle {

// Where a section lies in the file, and its word_sum.
struct IndexedBytes {
  uint64_t at = 0, bytes = 0, sum = 0;
};

// `places`: of the plan, the memory plan, the kept parts, the packed weights. The text's length
// does not depend on the numbers.
std::string print_index(const CompiledContents& contents, const std::vector<IndexedBytes>& places);

// The spans of the result point into `file`. All sums are checked except those of packed weights.
// The error says what is wrong.
Result<CompiledContents> read_index(std::string_view index, std::span<const std::byte> file);

}  // namespace shingle
