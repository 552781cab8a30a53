#include "apps/node/node_config.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace shingle {
ConfiguredVerb configured_node(NodeOptions& options) {
  return {.name = "node",
          .describe = [&options](CLI::App& verb) { describe(verb, options); },
          .command_line_only = {"config"},
          // A variable that somebody left in a shell must not open a cluster. SHINGLE_KEYS is the
          // usual folder of keys, also beside --insecure.
          .not_by_environment = {"insecure", "keys"}};
}

Result<std::vector<Setting>> settings_of_node(const std::vector<std::string>& words,
                                              const Environment& environment) {
  NodeOptions scratch;
  const ConfiguredVerb verb = configured_node(scratch);
  std::vector<Setting> stated = settings_in_arguments(verb, words);
  const std::string file = config_among(words);
  if (file == no_config) return stated;
  const auto variables = settings_in_environment(verb, environment);
  if (!variables) return variables.failure();
  stated = layered(verb, std::move(stated), *variables);
  if (file.empty()) return stated;
  const auto lines = settings_in_file(verb, file);
  if (!lines) return lines.failure();
  return layered(verb, std::move(stated), *lines);
}

Result<std::vector<std::string>> configured_words(const std::vector<std::string>& words,
                                                  const Environment& environment) {
  auto settings = settings_of_node(words, environment);
  if (!settings) return settings.failure();
  std::erase_if(*settings, [](const Setting& each) { return each.origin == command_line_origin; });
  NodeOptions scratch;
  std::vector<std::string> all = words;
  for (std::string& word : arguments_of(configured_node(scratch), *settings))
    all.push_back(std::move(word));
  return all;
}

Result<NodeOptions> read_node_options(const std::vector<std::string>& words,
                                      const Environment& environment) {
  auto all = configured_words(words, environment);
  if (!all) return all.failure();
  NodeOptions options;
  CLI::App app("", "node");
  describe(app, options);
  std::reverse(all->begin(), all->end());  // CLI11 takes them from the end
  try {
    app.parse(*all);
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what());
  }
  options.words = words;
  return options;
}

}  // namespace shingle
