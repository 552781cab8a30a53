// `shingle keys`: who may join a cluster. Makes key pairs, keeps the list of the members' public
// keys, takes members off it, and carries to a board what its node needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/node/node_config.hpp"

namespace CLI {
class App;
}

namespace shingle {

inline constexpr const char* keys_summary = "manage who may join a cluster";
inline constexpr const char* usual_settings_folder = "/etc/shingle";

struct KeysOptions {
  enum class Action : uint8_t { init, add, revoke, seal, list, pack, take };
  Action action = Action::list;
  std::string keys;  // empty: the usual folder
  std::string cluster;
  std::optional<uint32_t> node;
  std::string open;  // a public key made elsewhere
  std::string file;  // of a pack
  std::string settings = usual_settings_folder;
  bool json = false;
};
void describe(CLI::App& verb, KeysOptions& options);
int run_verb(const KeysOptions& options);

}  // namespace shingle
