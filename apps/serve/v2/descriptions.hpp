// What the server says of itself and its models, as JSON of the protocol v2. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/serve/v2/tensors.hpp"

namespace shingle::serve {

std::string json_text(std::string_view text);  // in quotes; what is no UTF-8 is replaced
std::string json_shape(const std::vector<int64_t>& shape);

std::string describe_server(std::string_view version);
struct ModelInfo {
  std::string name;
  std::vector<TensorInfo> inputs, outputs;
};
std::string describe_model(const ModelInfo& model);
std::string describe_error(std::string_view sentence);

}  // namespace shingle::serve
