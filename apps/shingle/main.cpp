// The program `shingle`.
#include <string_view>

#include "apps/shingle/node_program.hpp"
#include "apps/shingle/verb_list.hpp"

int main(int argc, char** argv) {
  if (argc >= 2 && std::string_view(argv[1]) == "node") return shingle::become_node(argc, argv);
  return shingle::run_verbs(argc, argv);
}
