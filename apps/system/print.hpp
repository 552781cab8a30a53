// Prints results on stdout and checks for every error: a full disk behind a redirection, a reader
// that has closed the pipe.
#pragma once

#include <string>

#include "partition/base/result.hpp"

namespace shingle {

Status print_result(const std::string& text);  // written and flushed

int print(const std::string& text);  // returns the exit code; prints a failure on stderr

}  // namespace shingle
