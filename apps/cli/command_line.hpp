// What the programs' command lines share: verbs, help with examples, and a suggestion for a
// mistyped word.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace shingle {

inline constexpr const char* program_version = "shingle 0.1.0";

// Sets the help's format, the version and the log on stderr, the same for every program.
void set_up(CLI::App& program);

// For main(), after the verbs are described: parses the arguments and calls `run_chosen`. Results
// go to stdout, everything else to stderr. Returns an Exit code. Instead of a verb, --manual-page
// and --bash-completion print what packages install.
int run_command_line(CLI::App& program, int argc, char** argv,
                     const std::function<int(const CLI::App&)>& run_chosen);

}  // namespace shingle
