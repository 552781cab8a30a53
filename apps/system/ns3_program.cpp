#include "apps/system/ns3_program.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "apps/system/child_process.hpp"
#include "apps/system/program_path.hpp"

namespace shingle {
namespace {

constexpr std::string_view name = "shingle-ns3";

}  // namespace

Result<std::string> ns3_program() {
  if (const char* given = std::getenv("SHINGLE_NS3")) return std::string(given);
  const std::string beside = (std::filesystem::path(own_program()).parent_path() / name).string();
  if (::access(beside.c_str(), X_OK) == 0) return beside;
  if (std::string found = program_in_path(name); !found.empty()) return found;
  return Error{
      "shingle-ns3 is not here: run tools/deps --ns3, build again, or name the program in "
      "$SHINGLE_NS3"};
}

}  // namespace shingle
