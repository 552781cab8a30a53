// An ONNX file as plain structs: the fields of onnx.proto3 that the reader needs, not yet checked.
// Names and raw data are views into the file's bytes. The memory used is at most a constant times
// the size of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "partition/readers/onnx.hpp"

namespace shingle::onnx {

// The element types that are read; element_types.hpp says how.
enum class DataType : int32_t {
  f32 = 1,
  u8 = 2,
  i8 = 3,
  i32 = 6,
  i64 = 7,
  boolean = 9,
  f16 = 10,
  f64 = 11,
  bf16 = 16
};

// A tensor's bytes in another file, not yet checked.
struct ExternalData {
  std::string_view location, offset, length;  // offset and length are decimal numbers, or left out
};

struct TensorProto {
  std::string_view name;
  int32_t data_type = 0;
  std::vector<int64_t> dims;
  std::optional<ExternalData> external;  // data_location or external_data: in another file
  std::optional<std::string_view> raw;   // little-endian elements
  std::vector<float> floats;             // float_data
  std::vector<int64_t> integers;         // int32_data (of 16-bit floats: their bits), int64_data
  std::vector<double> doubles;           // double_data
};

struct Graph;

struct Attribute {
  std::string_view name;
  std::string_view reference;  // ref_attr_name: the caller's attribute, in a function's body
  float f = 0.0F;
  int64_t i = 0;
  std::string_view s;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string_view> strings;
  std::shared_ptr<const TensorProto> tensor;
  std::shared_ptr<const Graph> graph;  // a branch of an If, the body of a Loop
};

struct NodeProto {
  std::string_view name, op, domain, overload;
  std::vector<std::string_view> inputs, outputs;  // an empty input is an optional one left out
  std::vector<Attribute> attributes;
  int64_t opset = 0;  // of the function that it comes from; 0: the file's
};

inline const Attribute* attribute_named(const std::vector<Attribute>& attributes,
                                        std::string_view name) {
  for (const Attribute& attribute : attributes)
    if (attribute.name == name) return &attribute;
  return nullptr;
}

struct Dimension {
  std::optional<int64_t> value;  // none: a symbol, or unknown
  std::string_view symbol;
};

struct ValueInfo {
  std::string_view name;
  int32_t element_type = 0;
  std::vector<Dimension> dims;
};

struct Graph {
  std::vector<NodeProto> nodes;
  std::vector<TensorProto> initializers;
  std::vector<ValueInfo> inputs, outputs;
};

// An operator that the file itself composes of others (ModelProto.functions).
struct Function {
  std::string_view name, domain, overload;
  std::vector<std::string_view> inputs, outputs;
  std::vector<Attribute> defaults;  // of attributes that a caller may leave out
  std::vector<NodeProto> nodes;
  int64_t opset = 0;  // as in File
};

struct File {
  int64_t ir_version = 0;
  int64_t opset = 0;  // of the domain "" or "ai.onnx"; 0: not given
  std::string_view producer;
  Graph graph;
  std::vector<Function> functions;
  std::deque<std::string> names;  // that inlining made; views of them stay valid
};

// Reads the file's metadata_props but not its graph. Throws protozero's exceptions if the bytes are
// not a protocol buffer.
void decode_metadata(std::span<const std::byte> bytes, OnnxMetadata& metadata);

// Throws Refusal, or protozero's exceptions if the bytes are not a protocol buffer.
File decode(std::span<const std::byte> bytes, const OnnxLimits& limits);

}  // namespace shingle::onnx
