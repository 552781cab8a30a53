// The index of a compiled file: its text, and back with every number checked.
#pragma once

#include "devices/weights/compiled_file.hpp"

namespace shingle {

// Where a section lies in the file, and word_sum of it.
struct IndexedBytes {
  uint64_t at = 0, bytes = 0, sum = 0;
};

// `places`: plan, memory plan, then what is kept, then what is packed. As long for any numbers.
std::string print_index(const CompiledContents& contents, const std::vector<IndexedBytes>& places);

// Spans are parts of `file`. All sums but those of packed weights are checked. The sentence says
// what is wrong.
Result<CompiledContents> read_index(std::string_view index, std::span<const std::byte> file);

}  // namespace shingle
