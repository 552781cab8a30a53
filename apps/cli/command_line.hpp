// The command line that the programs share: verbs, help with examples, and the nearest word for a
// mistyped one.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace shingle {

// The formatter, the version and the logger on stderr that every program has.
void set_up(CLI::App& program);

// What main() does once the verbs are described: parses, and calls `run_chosen`. Results on stdout,
// everything else on stderr; returns an Exit code.
int run_command_line(CLI::App& program, int argc, char** argv,
                     const std::function<int(const CLI::App&)>& run_chosen);

}  // namespace shingle
