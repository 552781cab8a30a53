// The networks that people bring now, as ONNX files with the nodes that exporters write, at any
// opset from 13 on. Tests and the bench look at three. Weights are random and variance-scaled; the
// seed determines everything.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "partition/base/result.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::networks {

inline constexpr std::array<int64_t, 3> exported_opsets{13, 18, 22};

struct Exported {
  std::string file;
  // What an engine holds that runs node by node: most bytes of values alive at once, without the
  // graph's inputs and outputs; element-wise nodes write where an operand lay that nobody reads
  // later.
  int64_t layer_wise_bytes = 0;
};

struct ExportedName {
  std::string name;
  int32_t usual_size, small_size;  // input height and width
};
const std::vector<ExportedName>& exported_names();

struct ExportOptions {
  int64_t opset = 18;
  int32_t size = 0;  // 0: the usual one. A multiple of the small one
  uint64_t seed = 1;
};
Result<Exported> exported(std::string_view name, const ExportOptions& options = {});

}  // namespace shingle::networks
