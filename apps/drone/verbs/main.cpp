// The program `shingle-drone`. Its local workers are `shingle-drone node`.
#include <string_view>

#include "apps/drone/verbs/verb_list.hpp"
#include "apps/node/node_program.hpp"

int main(int argc, char** argv) {
  if (argc >= 2 && std::string_view(argv[1]) == "node") return shingle::become_node(argc, argv);
  return shingle::drone::run_verbs(argc, argv);
}
