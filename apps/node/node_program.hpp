// The verbs `node` and `config` are a program of their own, shingle-node, which lies beside this
// one: a worker then loads neither OpenCV nor what decodes pictures
// (docs/decisions/0043-the-node-is-a-program.md).
#pragma once

#include <string_view>

namespace shingle {

bool is_verb_of_node(std::string_view word);

// Replaces this process by shingle-node with the same arguments. Returns an Exit code where that
// is not possible. REQUIRES: is_verb_of_node(argv[1]).
int become_node(int argc, char** argv);

}  // namespace shingle
