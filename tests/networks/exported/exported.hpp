// The networks that people bring now, as ONNX files with the nodes that exporters write, at any
// opset from 13 on that has their operators. Weights are random and variance-scaled; the seed
// determines everything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "partition/base/result.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::networks {

struct Exported {
  std::string file;
  // What an engine holds that runs node by node: most bytes of values alive at once, without the
  // graph's inputs and outputs; element-wise nodes write where an operand lay that nobody reads
  // later.
  int64_t layer_wise_bytes = 0;
  // Number of outputs that ExportOptions::selection adds behind the network's own, without the one
  // for the scores.
  size_t keys = 0;
};

struct ExportedName {
  std::string name;
  int32_t usual_size, small_size;  // input height and width, or its width
  std::vector<int64_t> opsets;     // at which the network can be written
};
const std::vector<ExportedName>& exported_names();

struct ExportOptions {
  int64_t opset = 18;
  int32_t size = 0;  // 0: the usual one. A multiple of the small one
  uint64_t seed = 1;
  // If the network selects its rows by scores: also puts out, as floats, the keys that tell rows
  // apart, an output each, and then the scores. So rows can be compared that two engines put out in
  // another order.
  bool selection = false;
};
Result<Exported> exported(std::string_view name, const ExportOptions& options = {});

}  // namespace shingle::networks
