// The node's settings: --config FILE, SHINGLE_... variables, and what they mean together with its
// command line.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/settings.hpp"
#include "apps/node/node_verb.hpp"

namespace shingle {

inline constexpr const char* usual_node_config = "/etc/shingle/node.toml";

// Writes into `options`, which must outlive it.
ConfiguredVerb configured_node(NodeOptions& options);

// All that is stated for a command line of `node` (the words behind the verb): the command line
// itself, then the environment, then the file of --config. `--config none` leaves out the
// environment too.
Result<std::vector<Setting>> settings_of_node(const std::vector<std::string>& words,
                                              const Environment& environment);

// The command line of `node` with its settings written out.
Result<std::vector<std::string>> configured_words(const std::vector<std::string>& words,
                                                  const Environment& environment);
// The options that these words mean, settings included.
Result<NodeOptions> read_node_options(const std::vector<std::string>& words,
                                      const Environment& environment);

}  // namespace shingle
