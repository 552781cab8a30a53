// The program shingle-drone: its verbs.
#pragma once

namespace shingle::drone {

// Parses the arguments and runs the verb. Returns an Exit code.
int run_verbs(int argc, char** argv);

}  // namespace shingle::drone
