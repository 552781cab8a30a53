// `shingle node` is a program of its own, shingle-node, which lies beside this one: a worker then
// loads neither OpenCV nor what decodes pictures (docs/decisions/0043-the-node-is-a-program.md).
#pragma once

namespace shingle {

// Replaces this process by shingle-node with the same arguments. Returns an Exit code where that
// is not possible. REQUIRES: argv[1] is "node".
int become_node(int argc, char** argv);

}  // namespace shingle
