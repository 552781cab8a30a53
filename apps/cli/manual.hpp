// What a program says about itself to others than its user: a manual page for man(1), and
// completions for bash. Both are made of the verbs and options that its command line has, so they
// cannot lag behind it.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace shingle {

// roff with the macros of man(7). `program`: its name on the disk, such as "shingle-node".
std::string manual_page(const CLI::App& app, const std::string& program);

// A script that bash reads: verbs, then the options of the verb; everywhere else names of files.
std::string bash_completion(const CLI::App& app, const std::string& program);

}  // namespace shingle
