// The program `shingle-node`: `shingle node` without the libraries that only other verbs need. Its
// first argument may be `node`, as `shingle` passes it on, or be left out.
#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

#include "apps/cli/command_line.hpp"
#include "apps/node/node_verb.hpp"

int main(int argc, char** argv) {
  static char verb[] = "node";
  std::vector<char*> arguments(argv, argv + argc);
  if (argc < 2 || (std::string_view(argv[1]) != verb && std::string_view(argv[1]) != "--version"))
    arguments.insert(arguments.begin() + (argc > 0 ? 1 : 0), verb);
  CLI::App program("Computes tiles as a worker of a cluster.", "shingle");
  shingle::NodeOptions options;
  shingle::set_up(program);
  shingle::describe(*program.add_subcommand("node", "compute tiles as a worker of a cluster"),
                    options);
  return shingle::run_command_line(program, static_cast<int>(arguments.size()), arguments.data(),
                                   [&](const CLI::App&) { return run_verb(options); });
}
