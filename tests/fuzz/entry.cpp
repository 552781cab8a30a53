// libFuzzer's way into one target. CMake builds a program for each, and says which by
// SHINGLE_FUZZ_TARGET; so each links, and counts the edges of, only what its target needs.
#include <cstdint>

#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  shingle::fuzz::SHINGLE_FUZZ_TARGET(std::as_bytes(std::span(data, size)));
  return 0;
}
