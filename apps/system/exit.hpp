// How the program ends: one exit code and, when something is wrong, one sentence on stderr.
#pragma once

#include <string>

#include "partition/base/result.hpp"

namespace shingle {

enum class Exit : int { ok = 0, runtime = 1, usage = 2, bad_input = 3 };

// Prints "shingle: <sentence>" on stderr and returns the exit code for main().
int fail(Exit code, const std::string& sentence);

// Prints the same for something that does not end the program.
void note(const std::string& sentence);

// The exit code follows from the error's kind.
int fail(const Error& error);

}  // namespace shingle
