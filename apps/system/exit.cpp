#include "apps/system/exit.hpp"

#include <cstdio>

namespace shingle {

void note(const std::string& sentence) { std::fprintf(stderr, "shingle: %s\n", sentence.c_str()); }

int fail(Exit code, const std::string& sentence) {
  note(sentence);
  return static_cast<int>(code);
}

int fail(const Failure& failure) { return fail(failure.code, failure.sentence); }

}  // namespace shingle
