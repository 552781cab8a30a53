// The ONNX reader: makes a Model of the bytes of a file (format: onnx.proto3, IR version 3 and up,
// opsets 6 to 26). It opens no file, bounds every size and throws nothing. Weights are views into
// `bytes` and into the files beside the model, which must outlive the model.
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
  // Limit for constants that the file computes, on top of four times the size of all files.
  int64_t max_constant_bytes = int64_t{256} << 20;
};

// A file beside the model's file that holds tensors.
struct OnnxExternal {
  std::string location;  // as the model's file writes it
  std::span<const std::byte> bytes;
};

// What the caller specifies in addition to the file.
struct OnnxRequest {
  InputShapes shapes{};  // of the first inputs; the file and equal symbols give those of the others
  std::span<const OnnxExternal> external{};
  std::optional<ModelHash> name{};  // onnx_hash() if it is known, or if these are not all the bytes
  int64_t opset = 0;  // the file's operators are read as of this opset; 0: the one that it names
};

// Errors are one sentence that names node and operator, e.g.
//   "node 'unique_1' uses operator Unique, which shingle does not support; ..."
// A file with several such operators is refused for all of them at once.
// If the file leaves sizes open, the model gets those of the request (take_sizes).
Result<Model> read_onnx(std::span<const std::byte> bytes, const OnnxLimits& limits = {},
                        const OnnxRequest& request = {});

// An operator that the reader does not know.
struct OnnxUnread {
  std::string op;     // with its domain, unless that is ONNX's own
  int64_t nodes = 0;  // that use it
  std::string first;  // the first one's name
  friend bool operator==(const OnnxUnread&, const OnnxUnread&) = default;
};

// All operators for which read_onnx() refuses the file, in the file's order. Empty if it does not,
// or refuses for another reason.
std::vector<OnnxUnread> onnx_unread(std::span<const std::byte> bytes, const OnnxLimits& limits = {},
                                    const OnnxRequest& request = {});

// The files that hold tensors, in the order in which the model's file names them. Each name lies
// below the model's folder. At most 4096. No files if the bytes are damaged; read_onnx() refuses
// such bytes.
Result<std::vector<std::string>> onnx_external_files(std::span<const std::byte> bytes);

// The name of the model that a file makes together with the files beside it, in that order. It
// changes with any byte of any of them.
ModelHash onnx_hash(const Hash& file, std::span<const Hash> external);

// The name of the same files read as of another opset than theirs, because that may make another
// model of them. `opset` 0: `name` itself.
ModelHash read_as(const ModelHash& name, int64_t opset);

// The opset for which read_as() makes `wanted` of `name`, 0 among them; none if no opset does.
std::optional<int64_t> opset_behind(const ModelHash& wanted, const ModelHash& name);

// What a file says about the inputs that each frame supplies.
struct OnnxDimension {
  int64_t size = 0;    // 0: the file leaves it open
  std::string symbol;  // the file's name for an open size, if any
};
struct OnnxInput {
  std::string name;
  std::vector<OnnxDimension> dims;
};
Result<std::vector<OnnxInput>> read_onnx_inputs(std::span<const std::byte> bytes,
                                                const OnnxLimits& limits = {});

// What a file says of its export, whether it is read or not.
struct OnnxExport {
  int64_t opset = 0;     // 0: not given
  std::string producer;  // "pytorch", "tf2onnx", ...
};
Result<OnnxExport> read_onnx_export(std::span<const std::byte> bytes,
                                    const OnnxLimits& limits = {});

// The opsets that are read.
struct OnnxOpsets {
  int64_t oldest, newest;
};
OnnxOpsets onnx_opsets();

// What the exporter wrote beside the graph (metadata_props): class names, the task. It may contain
// anything, in any encoding.
struct MetadataEntry {
  std::string key, value;
  friend bool operator==(const MetadataEntry&, const MetadataEntry&) = default;
};
using OnnxMetadata = std::vector<MetadataEntry>;

// In the file's order; at most 1000 entries and 1 MiB of text. Leaves out what is beyond, and what
// follows a damaged place in the bytes.
OnnxMetadata read_onnx_metadata(std::span<const std::byte> bytes);

}  // namespace shingle
