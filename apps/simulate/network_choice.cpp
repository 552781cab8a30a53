#include "apps/simulate/network_choice.hpp"

#include <unistd.h>

#include <memory>
#include <sstream>

#include "apps/system/line_process.hpp"
#include "apps/system/ns3_program.hpp"
#include "apps/system/program_path.hpp"

namespace shingle {
namespace {

Result<LineProcess::Options> program_of(const std::string& wanted) {
  if (wanted == "ns3") {
    auto program = ns3_program();
    if (!program) return usage_error(program.error());
    return LineProcess::Options{.program = std::move(*program)};
  }
  std::istringstream words(wanted);
  LineProcess::Options options;
  words >> options.program;
  for (std::string word; words >> word;) options.arguments.push_back(word);
  const std::string name = options.program;
  if (!name.empty() && name.find('/') == std::string::npos) options.program = program_in_path(name);
  if (options.program.empty() || ::access(options.program.c_str(), X_OK) != 0)
    return usage_error("there is no network simulator '" + name +
                       "': name 'fluid', 'ns3', or a program with its arguments");
  return options;
}

}  // namespace

Result<sim::StartSimulator> network_simulator(const std::string& wanted,
                                              std::chrono::milliseconds patience) {
  if (wanted == "fluid") return sim::StartSimulator{};
  auto options = program_of(wanted);
  if (!options) return options.failure();
  options->patience = patience;
  options->longest_line = sim::longest_line;
  return sim::StartSimulator([options = *options]() -> Result<sim::Exchange> {
    auto started = LineProcess::start(options);
    if (!started) return started.failure();
    auto process = std::make_shared<LineProcess>(std::move(*started));
    return sim::Exchange([process](const std::string& line) { return process->exchange(line); });
  });
}

}  // namespace shingle
