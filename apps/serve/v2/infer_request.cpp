#include "apps/serve/v2/infer_request.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "apps/serve/v2/infer_draft.hpp"
#include "partition/base/text.hpp"

namespace shingle::serve {
namespace {

Error wrong(const InputDraft& input, const std::string& why) {
  return bad_input("input " + in_quotes(input.name) + ": " + why);
}

// The form of an input, once it is known that its elements can be counted.
Result<TensorInfo> info_of(const InputDraft& input) {
  if (input.name.empty()) return bad_input("an input has no name");
  const auto type = data_type(input.datatype);
  if (!type)
    return wrong(input, input.datatype.empty() ? "it has no datatype"
                                               : "datatype " + in_quotes(input.datatype) +
                                                     " is not supported; it may be FP32 or UINT8");
  if (!elements_of(input.shape)) return wrong(input, "its shape has more elements than exist");
  return TensorInfo{input.name, *type, input.shape};
}

Result<std::vector<std::byte>> bytes_of_numbers(const InputDraft& input, DataType type) {
  std::vector<std::byte> bytes(input.data.size() * bytes_of(type));
  if (type == DataType::fp32) {
    if (!bytes.empty()) std::memcpy(bytes.data(), input.data.data(), bytes.size());
    return bytes;
  }
  const bool fits = !input.has_fractions && std::ranges::all_of(input.data, [](float value) {
    return value >= 0.0F && value <= 255.0F;
  });
  if (!fits) return wrong(input, "its data are not whole numbers from 0 to 255, as UINT8 needs");
  std::ranges::transform(input.data, bytes.begin(), [](float value) {
    return static_cast<std::byte>(static_cast<uint8_t>(value));
  });
  return bytes;
}

// Takes the bytes of one input; `binary` loses those that were its own.
Result<TensorValue> value_of(const InputDraft& input, std::span<const std::byte>& binary) {
  auto info = info_of(input);
  if (!info) return info.failure();
  const uint64_t elements = elements_of(info->shape).value();
  if (input.binary_bytes && input.has_data)
    return wrong(input, "it has both data and binary_data_size");
  if (!input.binary_bytes) {
    if (!input.has_data) return wrong(input, "it has neither data nor binary_data_size");
    if (input.data.size() != elements)
      return wrong(input, "its shape has " + std::to_string(elements) + " elements, and its data " +
                              std::to_string(input.data.size()));
    auto bytes = bytes_of_numbers(input, info->type);
    if (!bytes) return bytes.failure();
    return TensorValue{std::move(*info), std::move(*bytes)};
  }
  const uint64_t bytes = *input.binary_bytes;
  if (bytes / bytes_of(info->type) != elements || bytes % bytes_of(info->type) != 0)
    return wrong(input, "its shape has " + std::to_string(elements) + " elements of " +
                            std::to_string(bytes_of(info->type)) +
                            " bytes, and binary_data_size is " + std::to_string(bytes));
  if (bytes > binary.size())
    return wrong(input, "binary_data_size is " + std::to_string(bytes) + ", and the body has " +
                            std::to_string(binary.size()) + " bytes left");
  const auto own = binary.first(bytes);
  binary = binary.subspan(bytes);
  return TensorValue{std::move(*info), {own.begin(), own.end()}};
}

}  // namespace

Result<size_t> read_json_length(std::string_view text, size_t body_bytes) {
  size_t length = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, length);
  if (parsed.ec != std::errc() || parsed.ptr != end)
    return bad_input("Inference-Header-Content-Length is " + in_quotes(text) +
                     ", which is no number of bytes");
  if (length > body_bytes)
    return bad_input("Inference-Header-Content-Length is " + std::to_string(length) +
                     ", and the body has " + std::to_string(body_bytes) + " bytes");
  return length;
}

Result<InferRequest> read_infer(std::span<const std::byte> body, std::optional<size_t> json_bytes) {
  assert(!json_bytes || *json_bytes <= body.size());
  const auto json = body.first(json_bytes.value_or(body.size()));
  auto binary = body.subspan(json.size());
  auto draft = read_draft({reinterpret_cast<const char*>(json.data()), json.size()});
  if (!draft) return draft.failure();
  InferRequest request{.id = std::move(draft->id),
                       .inputs = {},
                       .outputs = std::move(draft->outputs),
                       .binary_outputs = draft->binary_outputs};
  if (draft->inputs.empty()) return bad_input("the request has no inputs");
  for (InputDraft& input : draft->inputs) {
    auto value = value_of(input, binary);
    if (!value) return value.failure();
    input.data = {};  // it would be there twice
    request.inputs.push_back(std::move(*value));
  }
  if (!binary.empty())
    return bad_input(std::to_string(binary.size()) +
                     " bytes behind the JSON belong to no input: binary_data_size says whose they "
                     "are");
  for (const WantedOutput& output : request.outputs)
    if (output.name.empty()) return bad_input("an output has no name");
  return request;
}

}  // namespace shingle::serve
