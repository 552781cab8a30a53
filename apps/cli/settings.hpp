// Settings: values of a verb's options that do not stand on its command line, but in a settings
// file or in the environment. The order is: command line, environment, file, default; what stands
// further left wins.
//
//   SHINGLE_MAX_CONSTANTS=256MiB     the option --max-constants
//   max-constants = "256MiB"         likewise, in the file
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "partition/base/result.hpp"

namespace CLI {
class App;
}

namespace shingle {

inline constexpr const char* command_line_origin = "command line";

struct Setting {
  std::string option;               // its long name without dashes
  std::vector<std::string> values;  // of a flag "true" or "false"
  std::string origin;  // "/etc/shingle/node.toml:7", "SHINGLE_MEMORY", command_line_origin
};

// A verb whose options may be settings.
struct ConfiguredVerb {
  std::string name;  // "node", for the command line
  std::function<void(CLI::App&)>
      describe;  // gives a verb its options; their variables may be written at any time
  std::vector<std::string> command_line_only;  // long names of options that are no settings at all
  std::vector<std::string> not_by_environment;
};

using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();

// The file's settings, each of which the option itself accepts. The sentence names file and line.
Result<std::vector<Setting>> settings_in_file(const ConfiguredVerb& verb, const std::string& path);
// The same of SHINGLE_... variables; those that are no option's name are left alone.
Result<std::vector<Setting>> settings_in_environment(const ConfiguredVerb& verb,
                                                     const Environment& environment);

// The value of --config in a command line; empty: there is none. `no_config`: neither file nor
// variables.
inline constexpr const char* no_config = "none";
std::string config_among(const std::vector<std::string>& words);

// Those of `lower` that `higher` leaves open, behind `higher`. A setting that excludes one of a
// higher layer, as --slow excludes --pace, is left out as well.
std::vector<Setting> layered(const ConfiguredVerb& verb, std::vector<Setting> higher,
                             const std::vector<Setting>& lower);

// What a command line of the verb (behind its name) states. Values are not checked, as the verb
// does that itself.
std::vector<Setting> settings_in_arguments(const ConfiguredVerb& verb,
                                           const std::vector<std::string>& arguments);
// As words of a command line.
std::vector<std::string> arguments_of(const ConfiguredVerb& verb,
                                      const std::vector<Setting>& settings);

}  // namespace shingle
