// How the program ends: one exit code and, when something is wrong, one sentence on stderr.
#pragma once

#include <string>

#include "partition/base/result.hpp"

namespace shingle {

enum class Exit : int { ok = 0, runtime = 1, usage = 2, bad_input = 3 };

// Prints "shingle: <sentence>" on stderr and returns the exit code as main() wants it.
int fail(Exit code, const std::string& sentence);

// The same sentence for what did not keep the program from its work.
void note(const std::string& sentence);

// The exit code that follows from who can mend it.
int fail(const Error& error);

}  // namespace shingle
