// Decodes onnx.proto3; the field numbers are those of its definition. Unknown fields and fields of
// an unexpected wire type are skipped, as protocol buffers require. Nodes, graphs and functions are
// decoded in graph.cpp.
#include "partition/readers/onnx/file.hpp"

#include "partition/base/text.hpp"
#include "partition/readers/onnx/decode.hpp"
#include "partition/readers/onnx/fields.hpp"
#include "partition/readers/onnx/refusal.hpp"

namespace shingle::onnx {

namespace {

constexpr size_t max_rank = 16;  // of a tensor in a file; the views need less
constexpr size_t max_functions = 10'000;
constexpr size_t max_metadata = 1000;
constexpr size_t max_metadata_bytes = 1 << 20;

// The place of a tensor's bytes: one entry names the file, others the position in it.
void decode_external(std::string_view entry, ExternalData& external) {
  std::string_view key, value;
  each_field(entry, [&](pbf_reader& reader) {
    if (reader.tag() == 1) return read(reader, key);
    return reader.tag() == 2 && read(reader, value);
  });
  if (key == "location") external.location = value;
  if (key == "offset") external.offset = value;
  if (key == "length") external.length = value;
}

}  // namespace

TensorProto decode_tensor(std::string_view message) {
  TensorProto tensor;
  each_field(message, [&](pbf_reader& reader) {
    switch (reader.tag()) {
      case 1:
        return append(reader, tensor.dims);
      case 2:
        return read(reader, tensor.data_type);
      case 4:
        return append(reader, tensor.floats);
      case 5:
      case 7:
        return append(reader, tensor.integers);
      case 8:
        return read(reader, tensor.name);
      case 9:
        return read(reader, tensor.raw.emplace());
      case 10:
        return append(reader, tensor.doubles);
      case 13: {
        std::string_view entry;
        if (!read(reader, entry)) return false;
        if (!tensor.external) tensor.external.emplace();
        decode_external(entry, *tensor.external);
        return true;
      }
      case 14: {
        int32_t location = 0;
        const bool taken = read(reader, location);
        if (location != 0 && !tensor.external) tensor.external.emplace();
        return taken;
      }
      default:
        return false;
    }
  });
  if (tensor.dims.size() > max_rank) {
    refuse("tensor " + in_quotes(tensor.name) + " has more than " + std::to_string(max_rank) +
           " dimensions");
  }
  return tensor;
}

namespace {

Dimension decode_dimension(std::string_view message) {
  Dimension dimension;
  each_field(message, [&](pbf_reader& reader) {
    if (reader.tag() == 1) return read(reader, dimension.value.emplace());
    return reader.tag() == 2 && read(reader, dimension.symbol);
  });
  return dimension;
}

std::vector<Dimension> decode_shape(std::string_view message) {
  std::vector<Dimension> dims;
  each_field(message, [&](pbf_reader& reader) {
    std::string_view dimension;
    if (reader.tag() != 1 || !read(reader, dimension)) return false;
    grow(dims, max_rank, "dimensions in one tensor") = decode_dimension(dimension);
    return true;
  });
  return dims;
}

void decode_tensor_type(std::string_view message, ValueInfo& info) {
  each_field(message, [&](pbf_reader& reader) {
    if (reader.tag() == 1) return read(reader, info.element_type);
    std::string_view shape;
    if (reader.tag() != 2 || !read(reader, shape)) return false;
    info.dims = decode_shape(shape);
    return true;
  });
}

}  // namespace

ValueInfo decode_value_info(std::string_view message) {
  ValueInfo info;
  each_field(message, [&](pbf_reader& reader) {
    if (reader.tag() == 1) return read(reader, info.name);
    std::string_view type;
    if (reader.tag() != 2 || !read(reader, type)) return false;
    each_field(type, [&](pbf_reader& inner) {
      std::string_view tensor_type;
      if (inner.tag() != 1 || !read(inner, tensor_type)) return false;
      decode_tensor_type(tensor_type, info);
      return true;
    });
    return true;
  });
  return info;
}

void decode_opset(std::string_view message, int64_t& opset) {
  std::string_view domain;
  int64_t version = 0;
  each_field(message, [&](pbf_reader& reader) {
    if (reader.tag() == 1) return read(reader, domain);
    return reader.tag() == 2 && read(reader, version);
  });
  if (domain.empty() || domain == "ai.onnx") opset = version;
}

void decode_metadata(std::span<const std::byte> bytes, OnnxMetadata& metadata) {
  const std::string_view message(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  size_t held = 0;
  each_field(message, [&](pbf_reader& reader) {
    std::string_view entry, key, value;
    if (reader.tag() != 14 || !read(reader, entry)) return false;
    each_field(entry, [&](pbf_reader& inner) {
      if (inner.tag() == 1) return read(inner, key);
      return inner.tag() == 2 && read(inner, value);
    });
    held += key.size() + value.size();
    if (metadata.size() < max_metadata && held <= max_metadata_bytes)
      metadata.push_back({std::string(key), std::string(value)});
    return true;
  });
}

File decode(std::span<const std::byte> bytes, const OnnxLimits& limits) {
  File file;
  const std::string_view message(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  each_field(message, [&](pbf_reader& reader) {
    std::string_view part;
    switch (reader.tag()) {
      case 1:
        return read(reader, file.ir_version);
      case 2:
        return read(reader, file.producer);
      case 7:
        if (!read(reader, part)) return false;
        decode_graph(part, {limits}, file.graph);
        return true;
      case 8:
        if (!read(reader, part)) return false;
        decode_opset(part, file.opset);
        return true;
      case 25:
        if (!read(reader, part)) return false;
        grow(file.functions, max_functions, "functions") = decode_function(part, limits);
        return true;
      default:
        return false;
    }
  });
  return file;
}

}  // namespace shingle::onnx
