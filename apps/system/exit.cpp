#include "apps/system/exit.hpp"

#include <cstdio>

namespace shingle {

void note(const std::string& sentence) { std::fprintf(stderr, "shingle: %s\n", sentence.c_str()); }

int fail(Exit code, const std::string& sentence) {
  note(sentence);
  return static_cast<int>(code);
}

int fail(const Error& error) {
  switch (error.kind) {
    case ErrorKind::usage:
      return fail(Exit::usage, error.sentence);
    case ErrorKind::bad_input:
      return fail(Exit::bad_input, error.sentence);
    case ErrorKind::runtime:
      break;
  }
  return fail(Exit::runtime, error.sentence);
}

}  // namespace shingle
