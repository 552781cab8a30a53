#include "apps/node/node_program.hpp"

#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "apps/system/exit.hpp"

namespace shingle {

bool is_verb_of_node(std::string_view word) { return word == "node" || word == "config"; }

int become_node(int argc, char** argv) {
  assert(argc >= 2 && is_verb_of_node(argv[1]));
  std::error_code unknown;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::string program = (self.parent_path() / "shingle-node").string();
  std::vector<char*> arguments(argv, argv + argc);
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  return fail(Exit::runtime, "cannot start '" + program + "': " + std::strerror(errno) +
                                 "; it is installed beside this program");
}

}  // namespace shingle
