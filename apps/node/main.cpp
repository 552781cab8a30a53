// The program `shingle-node`: `shingle node`, `config` and `keys` without the libraries that only
// other verbs need. Its first argument may be `node`, as `shingle` passes it on, or be left out.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/command_line.hpp"
#include "apps/node/config_verb.hpp"
#include "apps/node/keys_verb.hpp"
#include "apps/node/node_config.hpp"
#include "apps/node/node_program.hpp"
#include "apps/system/exit.hpp"

namespace {

bool is_about_program(std::string_view word) {
  return word == "--version" || word == "--manual-page" || word == "--bash-completion";
}

bool is_verb(std::string_view word) { return shingle::is_verb_of_node(word) || word == "keys"; }

bool is_option(std::string_view word) { return word.starts_with("-"); }

bool asks_for_help(const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), "--help") != words.end() ||
         std::find(words.begin(), words.end(), "-h") != words.end();
}

// A board may have this program without `shingle`, which has the other verbs.
int fail_at_verb(const std::string& word) {
  return shingle::fail(shingle::Exit::usage,
                       "shingle-node has no verb '" + word +
                           "', only node, config and keys; the others are verbs of the program "
                           "'shingle', which the package shingle installs");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc >= 2 && !is_verb(argv[1]) && !is_option(argv[1])) return fail_at_verb(argv[1]);
  std::vector<std::string> arguments(argv, argv + argc);
  if (argc < 2 || (!is_verb(argv[1]) && !is_about_program(argv[1])))
    arguments.insert(arguments.begin() + (argc > 0 ? 1 : 0), "node");
  CLI::App program("Computes tiles as a worker of a cluster.", "shingle");
  shingle::NodeOptions node;
  shingle::ConfigOptions config;
  shingle::KeysOptions keys;
  shingle::set_up(program);
  CLI::App& node_verb = *program.add_subcommand("node", "compute tiles as a worker of a cluster");
  CLI::App& config_verb = *program.add_subcommand("config", shingle::config_summary);
  CLI::App& keys_verb = *program.add_subcommand("keys", shingle::keys_summary);
  shingle::describe(keys_verb, keys);
  shingle::describe(node_verb, node);
  shingle::describe(config_verb, config);
  if (arguments[1] == "node" && !asks_for_help(arguments)) {
    node.words.assign(arguments.begin() + 2, arguments.end());
    auto words = shingle::configured_words(node.words, shingle::process_environment());
    if (!words) return shingle::fail(words.failure());
    arguments.resize(2);
    arguments.insert(arguments.end(), words->begin(), words->end());
  }
  std::vector<char*> pointers;
  for (std::string& word : arguments) pointers.push_back(word.data());
  return shingle::run_command_line(
      program, static_cast<int>(pointers.size()), pointers.data(), [&](const CLI::App& chosen) {
        if (chosen.got_subcommand(&config_verb)) return run_verb(config);
        return chosen.got_subcommand(&keys_verb) ? run_verb(keys) : run_verb(node);
      });
}
