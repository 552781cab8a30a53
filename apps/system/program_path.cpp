#include "apps/system/program_path.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace shingle {

std::string program_in_path(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "" : path;
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folders.size(), folder.size() + 1));
    const std::string program = std::string(folder) + "/" + std::string(name);
    if (!folder.empty() && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

}  // namespace shingle
