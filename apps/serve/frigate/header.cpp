#include "apps/serve/frigate/header.hpp"

#include <nlohmann/json.hpp>

#include "apps/serve/frigate/rows.hpp"

namespace shingle::serve {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t most_dimensions = 8, longest_text = 256;

bool is_true(const Json& header, const char* key) {
  const auto found = header.find(key);
  return found != header.end() && found->is_boolean() && found->get<bool>();
}

Result<std::string> text_in(const Json& header, const char* key) {
  const auto found = header.find(key);
  if (found == header.end() || !found->is_string())
    return bad_input(std::string("the header has no text \"") + key + "\"");
  auto text = found->get<std::string>();
  if (text.empty() || text.size() > longest_text)
    return bad_input(std::string("\"") + key + "\" of the header has not 1 to 256 bytes");
  return text;
}

Result<FrigateHeader> tensor_in(const Json& header) {
  const auto shape = header.find("shape");
  if (shape == header.end() || !shape->is_array())
    return bad_input(
        "the header is neither of a model (\"model_request\", \"model_data\") nor of a tensor "
        "(\"shape\", \"dtype\")");
  TensorSent tensor;
  if (shape->size() > most_dimensions) return bad_input("the shape has more than 8 dimensions");
  for (const Json& size : *shape) {
    if (!size.is_number_unsigned() || size.get<uint64_t>() > INT32_MAX)
      return bad_input("the shape holds something else than sizes");
    tensor.shape.push_back(size.get<int64_t>());
  }
  auto dtype = text_in(header, "dtype");
  if (!dtype) return dtype.failure();
  tensor.dtype = std::move(*dtype);
  return FrigateHeader(std::move(tensor));
}

std::string written(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json answer(const char* first, const ModelAnswer& said) {
  Json json{{first, said.is_available}, {"model_loaded", said.is_loaded}};
  if (!said.error.empty()) json["error"] = said.error;
  return json;
}

}  // namespace

Result<FrigateHeader> read_frigate_header(std::string_view text) {
  const Json header = Json::parse(text, nullptr, false);
  if (!header.is_object()) return bad_input("the header is no JSON object");
  const bool asks = is_true(header, "model_request"), sends = is_true(header, "model_data");
  if (!asks && !sends) return tensor_in(header);
  auto name = text_in(header, "model_name");
  if (!name) return name.failure();
  return asks ? FrigateHeader(ModelAsked{std::move(*name)})
              : FrigateHeader(ModelSent{std::move(*name)});
}

std::string answer_to_request(const ModelAnswer& said) {
  return written(answer("model_available", said));
}

std::string answer_to_data(const ModelAnswer& said) { return written(answer("model_saved", said)); }

std::string header_of_rows(const std::string& error) {
  Json json{{"shape", Json::array({FrigateRows::rows, FrigateRows::columns})},
            {"dtype", "float32"}};
  if (!error.empty()) json["error"] = error;
  return written(json);
}

}  // namespace shingle::serve
