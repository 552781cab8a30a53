#include "apps/system/print.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "apps/system/exit.hpp"

namespace shingle {

Status print_result(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return success();
  return Error{std::string("cannot write the results to stdout: ") + std::strerror(errno)};
}

int print(const std::string& text) {
  const Status status = print_result(text);
  return status ? static_cast<int>(Exit::ok) : fail(Exit::runtime, status.error());
}

}  // namespace shingle
