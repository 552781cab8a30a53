// `shingle simulate`: its options, their description to the command line, and the verb itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/experiment/experiment.hpp"

namespace CLI {
class App;
}

namespace shingle {

struct SimulateOptions {
  std::string file;
  std::optional<uint32_t> seeds;
  std::optional<uint64_t> seed;
  std::optional<uint32_t> threads;       // none: the cores of this machine
  std::string network = "fluid", audit;  // as network_simulator() has them; audit: may be empty
  std::string page, trace, frames;       // files; empty: none
  bool json = false, relay = false;
  double message_latency_us = 200.0, handover_us = 0.0, frame_gap_us = 0.0;

  sim::Surroundings surroundings() const;
};
void describe(CLI::App& verb, SimulateOptions& options);
int run_verb(const SimulateOptions& options);

}  // namespace shingle
