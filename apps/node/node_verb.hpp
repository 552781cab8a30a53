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
  std::string cluster;  // empty: members are those with a key, and a broker says where they are
  BrokerOptions broker;
  uint32_t id = 0;
  std::vector<std::string> models;         // files and folders
  std::optional<uint32_t> threads;         // 1, or one for each of `cores`
  std::string cores;                       // the profile's
  double slow = 1.0;                       // computes so many times slower than it could
  std::optional<double> pace;              // GFLOP/s: computes no faster
  std::string slow_file;                   // holds how many times longer it takes; may change
  std::string profile;                     // refined from what tiles take
  std::optional<double> patience_seconds;  // a peer that says nothing for so long is lost
  Admission admission;
  std::string executor = "native";
  std::string packed;         // folder of packed weights; empty: none are kept
  std::string memory;         // cap; empty: the cluster file's
  std::string trace;          // file; empty: none
  std::string max_constants;  // of ONNX files; empty: half of the memory
};
void describe(CLI::App& verb, NodeOptions& options);
int run_verb(const NodeOptions& options);

}  // namespace shingle
