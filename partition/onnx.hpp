// ONNX bytes in, Model out (format: onnx.proto3, IR version 3 and up, opset 6 to 17). Opens no
// file; every size is bounded; weights are views into `bytes`, which must outlive the model. Throws
// nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "partition/model.hpp"

namespace shingle {

struct OnnxLimits {
  int64_t max_nodes = 100'000;
  int64_t max_elements = int64_t{1} << 30;  // of one tensor
  int64_t max_dimension = 1 << 20;
};

// Errors are one sentence that names node and operator, e.g.
//   "node 'lstm_1' uses operator LSTM, which shingle does not support; ..."
// `name`: the model's hash where these bytes are not all of its file's; none: that of the bytes.
Result<Model> read_onnx(std::span<const std::byte> bytes, const OnnxLimits& limits = {},
                        const std::optional<ModelHash>& name = std::nullopt);

// What the exporter wrote beside the graph (metadata_props): names of classes, the task. Anything
// may stand there, in any encoding.
struct MetadataEntry {
  std::string key, value;
  friend bool operator==(const MetadataEntry&, const MetadataEntry&) = default;
};
using OnnxMetadata = std::vector<MetadataEntry>;

// In the file's order, at most 1000 entries and a MiB of text; what is beyond is left out, and so
// is what follows the place where the bytes are broken.
OnnxMetadata read_onnx_metadata(std::span<const std::byte> bytes);

}  // namespace shingle
