// The verbs of the program `shingle` as one command line.
#pragma once

namespace shingle {

// Returns an Exit code. REQUIRES: the verb is not `node` (apps/node/node_program.hpp).
int run_verbs(int argc, char** argv);

}  // namespace shingle
