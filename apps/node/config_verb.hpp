// `shingle config`: what a node's settings file says, and where each value comes from.
#pragma once

#include <string>

#include "apps/node/node_config.hpp"

namespace CLI {
class App;
}

namespace shingle {

inline constexpr const char* config_summary =
    "check a node's settings file, and say where values come from";

struct ConfigOptions {
  enum class Action : uint8_t { show, check };
  Action action = Action::show;
  std::string file = usual_node_config;
  bool origin = false, json = false;
};
void describe(CLI::App& verb, ConfigOptions& options);
int run_verb(const ConfigOptions& options);

}  // namespace shingle
