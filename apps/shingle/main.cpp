// The program `shingle`.
#include "apps/node/node_program.hpp"
#include "apps/shingle/verb_list.hpp"

int main(int argc, char** argv) {
  if (argc >= 2 && shingle::is_verb_of_node(argv[1])) return shingle::become_node(argc, argv);
  return shingle::run_verbs(argc, argv);
}
