// The options of `shingle run`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/node/admission.hpp"
#include "apps/node/broker_options.hpp"
#include "apps/run/model_options.hpp"
#include "apps/run/paced_input.hpp"

namespace shingle {

struct RunOptions {
  ModelChoice model;
  std::vector<std::string> further_models;  // "NAME=FILE:EVERY"
  std::vector<std::string> input;           // several: video files that are one recording
  double reconnect_seconds = 60.0;          // that a lost stream is waited for
  std::vector<std::string> inputs;          // "NAME=FILE": those of the model that take no picture
  // A cluster file. Empty: the nodes that announced themselves at the broker, or without a broker
  // local workers.
  std::string cluster;
  BrokerOptions broker;
  std::optional<uint32_t> id;
  uint32_t workers = 4;
  uint32_t threads = 1;
  std::string out, raw_out, plan;
  ReadingOptions reading;
  std::optional<float> min_score;
  float max_overlap = 0.45F;
  std::optional<uint64_t> frames;
  uint32_t open_frames = 4;
  std::optional<double> deadline_seconds;  // of a frame
  std::string audit;                       // share of the tiles, as "2%"; empty: none
  std::string goal = "latency";
  std::optional<double> patience_seconds;  // a node that says nothing for so long is lost
  bool json = false, verify = false, compute = false, keep_plan = false;
  std::string slow_file;            // holds how many times longer this node takes
  std::vector<std::string> models;  // of other owners, whose tiles are computed here
  Admission admission;
  std::vector<std::string> slow_workers;  // "I:F"
  std::string executor = "native";
  std::string packed, memory;
  std::string trace;  // file; empty: none
  PaceOptions pace{};
};
void describe(CLI::App& verb, RunOptions& options);
int run_verb(const RunOptions& options);

}  // namespace shingle
