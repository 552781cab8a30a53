// The first frames of Frigate's ZMQ detector, and the first frames of answers. Pure.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle::serve {

struct ModelAsked {  // {"model_request": true, "model_name": N}
  std::string name;
};
struct ModelSent {  // {"model_data": true, "model_name": N}
  std::string name;
};
struct TensorSent {  // {"shape": [1, 320, 320, 3], "dtype": "uint8", "model_type": "yolo-generic"}
  std::vector<int64_t> shape;
  std::string dtype;
};
using FrigateHeader = std::variant<ModelAsked, ModelSent, TensorSent>;

Result<FrigateHeader> read_frigate_header(std::string_view text);

struct ModelAnswer {
  bool is_available = false;  // or saved
  bool is_loaded = false;
  std::string error{};
};
std::string answer_to_request(const ModelAnswer& answer);
std::string answer_to_data(const ModelAnswer& answer);
std::string header_of_rows(const std::string& error);  // empty: none

}  // namespace shingle::serve
