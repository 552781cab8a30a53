#include "apps/cli/command_line.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>

#include "apps/cli/manual.hpp"
#include "apps/system/exit.hpp"
#include "apps/system/print.hpp"
#include "apps/system/suggest.hpp"

namespace shingle {
namespace {

// Shows "--workers N" without CLI11's types, ranges and dependencies; the descriptions say the
// rest.
class Help : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return "";
    std::string name = option->get_type_name();
    for (const char* check : {":INT", ":FLOAT", ":POSITIVE", ":{"})
      name = name.substr(0, name.find(check));
    return " " + name;
  }
};

std::vector<std::string> verbs_of(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return names;
}

std::vector<std::string> options_of(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::string did_you_mean(const std::string& typed, const std::vector<std::string>& known) {
  const auto word = nearest(typed, known);
  return word ? "; did you mean '" + *word + "'?" : "";
}

// The first word that looks like an option but is not one.
std::optional<std::string> unknown_option(const CLI::App& program) {
  for (const std::string& word : program.remaining(true))
    if (word.starts_with("-") && word != "--") return word.substr(0, word.find('='));
  return std::nullopt;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

// The sentence for an error of CLI11. A mistyped option goes first: the error that CLI11 reports is
// often only its consequence.
std::string explain(const CLI::App& program, const CLI::ParseError& error) {
  const auto chosen = program.get_subcommands();
  const CLI::App& verb = chosen.empty() ? program : *chosen.front();
  const std::string help = "; see '" + program.get_name() + " " +
                           (chosen.empty() ? "" : verb.get_name() + " ") + "--help'";
  if (const auto option = unknown_option(program)) {
    const std::string suggestion = did_you_mean(*option, options_of(verb));
    return "there is no option '" + *option + "'" + (suggestion.empty() ? help : suggestion);
  }
  const std::vector<std::string> unknown = program.remaining(true);
  const std::vector<std::string> actions = verbs_of(verb);
  if (!chosen.empty() && !actions.empty() && !unknown.empty())
    return "'" + verb.get_name() + "' has no action '" + unknown[0] + "'" +
           did_you_mean(unknown[0], actions) + help;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !unknown.empty())
    return "'" + unknown[0] + "' is one argument too many" + help;
  return one_line(error.what()) + help;
}

}  // namespace

void set_up(CLI::App& program) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe then shows as an error of write()
  spdlog::set_default_logger(spdlog::stderr_color_mt("shingle"));
  spdlog::set_pattern("shingle: %^%l%$: %v");
  spdlog::set_level(spdlog::level::warn);
  program.set_version_flag("--version", program_version);
  program.require_subcommand(1);
  program.formatter(std::make_shared<Help>());  // verbs inherit it
  program.fallthrough(false);
}

int run_command_line(CLI::App& program, int argc, char** argv,
                     const std::function<int(const CLI::App&)>& run_chosen) {
  if (argc < 2) {
    std::fputs(program.help().c_str(), stderr);
    return static_cast<int>(Exit::usage);
  }
  const std::string verb = argv[1];
  const std::string file = std::filesystem::path(argv[0]).filename().string();
  if (verb == "--manual-page") return print(manual_page(program, file));
  if (verb == "--bash-completion") return print(bash_completion(program, file));
  const std::vector<std::string> verbs = verbs_of(program);
  if (!verb.starts_with("-") && std::find(verbs.begin(), verbs.end(), verb) == verbs.end()) {
    const std::string suggestion = did_you_mean(verb, verbs);
    return fail(Exit::usage, "there is no verb '" + verb + "'" +
                                 (suggestion.empty() ? "; see '" + program.get_name() + " --help'"
                                                     : suggestion));
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    return program.exit(asked);
  } catch (const CLI::ParseError& error) {
    return fail(Exit::usage, explain(program, error));
  }
  return run_chosen(program);
}

}  // namespace shingle
