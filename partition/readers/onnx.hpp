// ONNX bytes in, Model out (format: onnx.proto3, IR version 3 and up, opset 6 to 17). Opens no
// file; every size is bounded; weights are views into `bytes` and into what lies beside them, which
// must outlive the model. Throws nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "partition/model/model.hpp"

namespace shingle {

struct OnnxLimits {
  int64_t max_nodes = 100'000;
  int64_t max_elements = int64_t{1} << 30;  // of one tensor
  int64_t max_dimension = 1 << 20;
  // Of constants that the file computes, beyond four times what it and the files beside it hold.
  int64_t max_constant_bytes = int64_t{256} << 20;
};

// A file beside the model's in which tensors lie.
struct OnnxExternal {
  std::string location;  // as the model's file writes it
  std::span<const std::byte> bytes;
};

// What is to be said beside the file.
struct OnnxRequest {
  InputShapes shapes{};  // of the first inputs; of others what the file and equal symbols say
  std::span<const OnnxExternal> external{};
  std::optional<ModelHash> name{};  // onnx_hash() where it is known, or these are not all the bytes
};

// Errors are one sentence that names node and operator, e.g.
//   "node 'lstm_1' uses operator LSTM, which shingle does not support; ..."
// Where the file leaves sizes open the model is taken by those of the request (take_sizes).
Result<Model> read_onnx(std::span<const std::byte> bytes, const OnnxLimits& limits = {},
                        const OnnxRequest& request = {});

// The files in which tensors lie, in the order in which the model's file names them; each lies
// below the model's folder as far as its name goes. No more than 4096; none of bytes that are
// broken, which read_onnx() refuses.
Result<std::vector<std::string>> onnx_external_files(std::span<const std::byte> bytes);

// The name of the model that a file makes, with those beside it in that order: it changes with any
// byte of any of them.
ModelHash onnx_hash(const Hash& file, std::span<const Hash> external);

// What a file says of the inputs that a frame gives.
struct OnnxDimension {
  int64_t size = 0;    // 0: the file leaves it open
  std::string symbol;  // what it calls it then, if anything
};
struct OnnxInput {
  std::string name;
  std::vector<OnnxDimension> dims;
};
Result<std::vector<OnnxInput>> read_onnx_inputs(std::span<const std::byte> bytes,
                                                const OnnxLimits& limits = {});

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
