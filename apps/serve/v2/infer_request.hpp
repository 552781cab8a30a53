// The body of POST .../infer, with the extension binary_tensor_data:
//
//   { "id": "7",
//     "inputs":  [ {"name": "images", "datatype": "FP32", "shape": [1,3,2,2], "data": [0.5, ...]}
//     ], "outputs": [ {"name": "boxes", "parameters": {"binary_data": true}} ] }
//
// An input with the parameter binary_data_size has its bytes behind the JSON, in the order of the
// inputs. The header Inference-Header-Content-Length says where the JSON ends.
//
// Pure: values in, values out. Memory is a small multiple of the body's bytes, whatever it says.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/serve/v2/tensors.hpp"
#include "partition/base/result.hpp"

namespace shingle::serve {

struct WantedOutput {
  std::string name;
  std::optional<bool> binary{};  // none: as the whole request says
};

struct InferRequest {
  std::string id;                     // empty: none was given
  std::vector<TensorValue> inputs;    // bytes fit the shape
  std::vector<WantedOutput> outputs;  // empty: all
  bool binary_outputs = false;
};

struct InferLimits {
  static constexpr size_t tensors = 64;      // of inputs, and of outputs
  static constexpr size_t text_bytes = 256;  // of a name or an id
  static constexpr size_t rank = 8;
  static constexpr size_t depth = 32;  // of the JSON
};

// `json_bytes`: what the header said; none: the whole body is JSON. The sentence says what is wrong
// with which tensor.
Result<InferRequest> read_infer(std::span<const std::byte> body, std::optional<size_t> json_bytes);

// The value of Inference-Header-Content-Length.
Result<size_t> read_json_length(std::string_view text, size_t body_bytes);

}  // namespace shingle::serve
