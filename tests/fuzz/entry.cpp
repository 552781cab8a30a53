// The entry point that libFuzzer calls, for one target. CMake builds a program for each target,
// with its name in SHINGLE_FUZZ_TARGET, so each program contains only the code of its target, and
// libFuzzer counts only the edges of that code.
#include <cstdint>

#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  shingle::fuzz::SHINGLE_FUZZ_TARGET(std::as_bytes(std::span(data, size)));
  return 0;
}
