// `shingle trace ACTION`: its options, their description to the command line, and the verb itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/run/model_options.hpp"

namespace shingle {

struct TraceVerbOptions {
  enum class Action : uint8_t { merge, diff, replay };
  Action action = Action::merge;
  std::vector<std::string> files;            // merge
  std::string out;                           // merge, replay: a trace; empty: none, or stdout
  std::string real, simulated;               // diff, replay
  std::string cluster, was, model, weights;  // replay
  ReadingOptions reading;                    // replay
  bool predicted = false;                    // replay
  bool json = false;
};
void describe(CLI::App& verb, TraceVerbOptions& options);
int run_verb(const TraceVerbOptions& options);

// The actions that have a file of their own.
void describe_replay(CLI::App& verb, TraceVerbOptions& options);
int replay_trace(const TraceVerbOptions& options);

}  // namespace shingle
