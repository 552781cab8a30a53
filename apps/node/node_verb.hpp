// `shingle node`: its options, their description to the command line, and the verb itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/node/admission.hpp"
#include "apps/node/broker_options.hpp"

namespace shingle {

struct NodeOptions {
  std::string cluster;  // empty: the members are those with a key; a broker says where
  BrokerOptions broker;
  uint32_t id = 0;
  std::vector<std::string> models;         // files and folders
  std::optional<uint32_t> threads;         // none: 1, or one for each of `cores`
  std::string cores;                       // empty: from the profile
  double slow = 1.0;                       // computes this many times slower
  std::optional<double> pace;              // GFLOP/s: computes no faster
  std::string slow_file;                   // read for each tile: how many times longer it takes
  std::string profile;                     // refined by the times of tiles
  std::optional<double> patience_seconds;  // a peer silent for this long is lost
  Admission admission;
  std::string executor = "native";
  std::string packed;                // folder of packed weights; empty: none are kept
  std::string memory;                // cap; empty: from the cluster file
  std::string trace;                 // file; empty: none
  std::optional<double> credit_kib;  // payload in flight on each connection
  std::string max_constants;         // for ONNX files; empty: half of the memory
  std::string config;                // settings file; see node_config.hpp
  std::string log_level = "warning";
  std::vector<std::string>
      words;  // the command line itself, which SIGHUP reads again with its settings
};
void describe(CLI::App& verb, NodeOptions& options);
int run_verb(const NodeOptions& options);

}  // namespace shingle
