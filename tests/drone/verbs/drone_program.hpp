// The real program shingle-drone, and how it refuses.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/apps/program.hpp"
#include "tests/places.hpp"

namespace shingle {

inline Program drone_program(std::vector<std::string> arguments) {
  return Program(std::move(arguments), {}, drone_program());
}

// One sentence on stderr, nothing on stdout.
inline void check_refusal(std::vector<std::string> arguments, const std::string& exit,
                          const std::string& part) {
  Program program = drone_program(std::move(arguments));
  CHECK(program.end() == exit);
  CHECK(program.out() == "");
  CHECK(program.err_lines() == 1);
  CHECK_MESSAGE(program.err().find(part) != std::string::npos, program.err());
}

}  // namespace shingle
