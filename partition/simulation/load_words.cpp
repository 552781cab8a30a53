// The memory of a node as text.
#include "partition/simulation/timeline.hpp"

namespace shingle {

std::string memory_words(int64_t bytes) {
  const int64_t tenths = (bytes * 10 + (1 << 20) - 1) >> 20;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MiB";
}

std::string parts(const NodeLoad& load) {
  std::string text = "weights " + memory_words(load.weight_bytes);
  if (load.other_bytes == 0) {
    return text + ", maps and buffers " + memory_words(load.peak_bytes - load.weight_bytes);
  }
  return text + ", buffers " + memory_words(load.buffer_bytes) + ", maps " +
         memory_words(load.peak_bytes - load.weight_bytes - load.buffer_bytes - load.other_bytes) +
         ", the rest " + memory_words(load.other_bytes);
}

}  // namespace shingle
