#include "apps/library/node_program.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "apps/system/program_path.hpp"

namespace shingle {
namespace {

namespace fs = std::filesystem;

constexpr const char* name = "shingle-node";

bool can_run(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

// The folder of the file that holds this code: the shared library, or a program.
fs::path own_folder() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0) return {};
  std::error_code ignored;
  return fs::canonical(info.dli_fname, ignored).parent_path();
}

// PREFIX/lib/libshingle.so.0 and PREFIX/lib/x86_64-linux-gnu/libshingle.so.0 belong to PREFIX/bin.
std::string beside_library() {
  const fs::path folder = own_folder();
  for (const fs::path& each : {folder, folder / "../bin", folder / "../../bin"}) {
    const std::string program = (each / name).lexically_normal().string();
    if (!folder.empty() && can_run(program)) return program;
  }
  return {};
}

}  // namespace

Result<std::string> node_program(const std::string& wanted) {
  const char* variable = std::getenv("SHINGLE_NODE");
  const std::string said = variable == nullptr ? "" : variable;
  for (const std::string& each : {wanted, said}) {
    if (each.empty()) continue;
    if (can_run(each)) return each;
    return usage_error("the program of local workers, '" + each + "', cannot be run");
  }
  std::string found = beside_library();
  if (found.empty()) found = program_in_path(name);
  if (found.empty())
    return usage_error(std::string("there is no program ") + name +
                       " for local workers: install it, or name it with the option "
                       "'node-program' or in $SHINGLE_NODE");
  return found;
}

}  // namespace shingle
