#include "apps/serve/v2/descriptions.hpp"

#include <nlohmann/json.hpp>

namespace shingle::serve {
namespace {

using Json = nlohmann::ordered_json;

std::string written(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json described(const std::vector<TensorInfo>& tensors) {
  Json all = Json::array();
  for (const TensorInfo& each : tensors)
    all.push_back({{"name", each.name},
                   {"datatype", std::string(name_of(each.type))},
                   {"shape", each.shape}});
  return all;
}

}  // namespace

std::string json_text(std::string_view text) { return written(Json(std::string(text))); }

std::string json_shape(const std::vector<int64_t>& shape) { return written(Json(shape)); }

std::string describe_server(std::string_view version) {
  return written({{"name", "shingle"},
                  {"version", std::string(version)},
                  {"extensions", Json::array({"binary_tensor_data"})}});
}

std::string describe_model(const ModelInfo& model) {
  return written({{"name", model.name},
                  {"versions", Json::array({"1"})},
                  {"platform", "shingle"},
                  {"inputs", described(model.inputs)},
                  {"outputs", described(model.outputs)}});
}

std::string describe_error(std::string_view sentence) {
  return written({{"error", std::string(sentence)}});
}

}  // namespace shingle::serve
