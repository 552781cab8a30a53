#include "partition/readers/onnx/element_types.hpp"

#include <cassert>
#include <cstring>

#include "partition/base/half.hpp"

namespace shingle::onnx {

namespace {

// By number, from 0.
constexpr const char* names[] = {
    "undefined",      "float",    "uint8",        "int8",           "uint16",
    "int16",          "int32",    "int64",        "string",         "bool",
    "float16",        "double",   "uint32",       "uint64",         "complex64",
    "complex128",     "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
    "float8e5m2fnuz", "uint4",    "int4",         "float4e2m1",     "float8e8m0",
    "uint2",          "int2"};

// `count` elements of the type Stored, as floats.
template <class Stored, class Convert>
std::vector<float> from_bytes(std::string_view raw, size_t count, Convert convert) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) {
    Stored stored;
    std::memcpy(&stored, raw.data() + i * sizeof stored, sizeof stored);
    values[i] = convert(stored);
  }
  return values;
}

// A field of a tensor; none if it holds another number of elements.
template <class Field, class Convert>
std::optional<std::vector<float>> from_field(const std::vector<Field>& field, size_t count,
                                             Convert convert) {
  if (field.size() != count) return std::nullopt;
  std::vector<float> values;
  values.reserve(count);
  for (const Field element : field) values.push_back(convert(element));
  return values;
}

// In a field, a 16-bit float is an integer whose lower 16 bits are its bits.
template <class Convert>
auto of_low_bits(Convert convert) {
  return [=](int64_t element) { return convert(static_cast<uint16_t>(element)); };
}

}  // namespace

bool holds_floats(DataType type) {
  return type == DataType::f32 || type == DataType::f16 || type == DataType::bf16 ||
         type == DataType::f64;
}

std::string type_name(int32_t type) {
  const bool known = type >= 0 && static_cast<size_t>(type) < std::size(names);
  return known ? names[type] : "number " + std::to_string(type);
}

std::optional<Activation> rounding_to(DataType type) {
  if (type == DataType::f16) return Activation{.kind = Activation::Kind::to_half};
  if (type == DataType::bf16) return Activation{.kind = Activation::Kind::to_bfloat16};
  return std::nullopt;
}

float nearest(DataType type, float value) {
  if (type == DataType::f16) return rounded_to_half(value);
  return type == DataType::bf16 ? rounded_to_bfloat16(value) : value;
}

std::optional<std::vector<float>> floats_of(const TensorProto& tensor,
                                            std::optional<std::string_view> raw, size_t count) {
  const auto same = [](float value) { return value; };
  const auto rounded = [](double value) { return static_cast<float>(value); };
  switch (static_cast<DataType>(tensor.data_type)) {
    case DataType::f32:
      if (raw) return from_bytes<float>(*raw, count, same);
      return from_field(tensor.floats, count, same);
    case DataType::f64:
      if (raw) return from_bytes<double>(*raw, count, rounded);
      return from_field(tensor.doubles, count, rounded);
    case DataType::f16:
      if (raw) return from_bytes<uint16_t>(*raw, count, widened_half);
      return from_field(tensor.integers, count, of_low_bits(widened_half));
    case DataType::bf16:
      if (raw) return from_bytes<uint16_t>(*raw, count, widened_bfloat16);
      return from_field(tensor.integers, count, of_low_bits(widened_bfloat16));
    case DataType::u8:
    case DataType::i8:
    case DataType::i32:
    case DataType::i64:
    case DataType::boolean:
      break;
  }
  assert(false);
  return std::nullopt;
}

}  // namespace shingle::onnx
