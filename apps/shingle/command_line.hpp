// The command line: verbs, options, help with examples, and the nearest word for a mistyped one.
#pragma once

namespace shingle {

// What main() does. Results on stdout, everything else on stderr; returns an Exit code.
int run_command_line(int argc, char** argv);

}  // namespace shingle
