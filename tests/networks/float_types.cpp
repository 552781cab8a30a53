// Field numbers are those of onnx.proto3.
#include "tests/networks/float_types.hpp"

#include <cstring>
#include <functional>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <vector>

#include "tests/networks/float_formats.hpp"

namespace shingle::networks {

namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::pbf_writer;

using Rewrite = std::function<std::string(const std::string&)>;

void copy_field(pbf_reader& reader, pbf_writer& writer) {
  const uint32_t tag = reader.tag();
  switch (reader.wire_type()) {
    case pbf_wire_type::varint:
      return writer.add_uint64(tag, reader.get_uint64());
    case pbf_wire_type::fixed32:
      return writer.add_fixed32(tag, reader.get_fixed32());
    case pbf_wire_type::fixed64:
      return writer.add_fixed64(tag, reader.get_fixed64());
    default:
      return writer.add_bytes(tag, reader.get_bytes());
  }
}

// The message with some of its inner messages rewritten, by tag.
std::string rewritten(const std::string& message, const std::map<uint32_t, Rewrite>& inner) {
  std::string result;
  pbf_writer writer(result);
  pbf_reader reader(message);
  while (reader.next()) {
    const uint32_t tag = reader.tag();
    const auto rewrite = inner.find(tag);
    if (rewrite == inner.end()) {
      copy_field(reader, writer);
    } else {
      writer.add_message(tag, rewrite->second(reader.get_bytes()));
    }
  }
  return result;
}

bool is_float(int64_t type) {
  return type == static_cast<int64_t>(FloatType::f32) ||
         type == static_cast<int64_t>(FloatType::f16) ||
         type == static_cast<int64_t>(FloatType::f64) ||
         type == static_cast<int64_t>(FloatType::bf16);
}

struct Tensor {
  std::vector<int64_t> dims;
  int64_t type = 0;
  std::string name, raw;
};

template <class Stored>
std::vector<Stored> elements(const std::string& raw) {
  std::vector<Stored> result(raw.size() / sizeof(Stored));
  if (!result.empty()) std::memcpy(result.data(), raw.data(), result.size() * sizeof(Stored));
  return result;
}

std::vector<double> values_of(FloatType type, const std::string& raw) {
  std::vector<double> values;
  const auto add = [&](double value) { values.push_back(value); };
  switch (type) {
    case FloatType::f32:
      for (const float value : elements<float>(raw)) add(static_cast<double>(value));
      return values;
    case FloatType::f64:
      return elements<double>(raw);
    case FloatType::f16:
      for (const uint16_t bits : elements<uint16_t>(raw)) add(meant(half_format, bits));
      return values;
    case FloatType::bf16:
      for (const uint16_t bits : elements<uint16_t>(raw)) add(meant(bfloat16_format, bits));
      return values;
  }
  return values;
}

// REQUIRES: raw_data, which all our writers use.
Tensor decoded(const std::string& message) {
  Tensor tensor;
  pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag()) {
      case 1:
        tensor.dims.push_back(reader.get_int64());
        break;
      case 2:
        tensor.type = reader.get_int32();
        break;
      case 8:
        tensor.name = reader.get_bytes();
        break;
      case 9:
        tensor.raw = reader.get_bytes();
        break;
      default:
        reader.skip();
    }
  }
  return tensor;
}

template <class Stored>
void append(std::string& raw, Stored stored) {
  raw.append(reinterpret_cast<const char*>(&stored), sizeof stored);
}

std::string raw_of(FloatType type, const std::vector<double>& values) {
  std::string raw;
  for (const double value : values) {
    if (type == FloatType::f32) append(raw, static_cast<float>(value));
    if (type == FloatType::f64) append(raw, value);
    if (type == FloatType::f16) append(raw, encoded(half_format, value));
    if (type == FloatType::bf16) append(raw, encoded(bfloat16_format, value));
  }
  return raw;
}

void add_fields(pbf_writer& writer, FloatType type, const std::string& raw) {
  if (type == FloatType::f32) {
    const std::vector<float> values = elements<float>(raw);
    return writer.add_packed_float(4, values.begin(), values.end());
  }
  if (type == FloatType::f64) {
    const std::vector<double> values = elements<double>(raw);
    return writer.add_packed_double(10, values.begin(), values.end());
  }
  const std::vector<uint16_t> bits = elements<uint16_t>(raw);
  const std::vector<int32_t> values(bits.begin(), bits.end());
  writer.add_packed_int32(5, values.begin(), values.end());
}

std::string with_floats_in(const std::string& message, FloatType type, Storage storage) {
  const Tensor tensor = decoded(message);
  if (!is_float(tensor.type)) return message;
  std::string result;
  pbf_writer writer(result);
  for (const int64_t dim : tensor.dims) writer.add_int64(1, dim);
  writer.add_int32(2, static_cast<int32_t>(type));
  if (!tensor.name.empty()) writer.add_string(8, tensor.name);
  const std::string raw = raw_of(type, values_of(static_cast<FloatType>(tensor.type), tensor.raw));
  if (storage == Storage::fields) {
    add_fields(writer, type, raw);
  } else {
    writer.add_bytes(9, raw);
  }
  return result;
}

std::string value_info_in(const std::string& message, FloatType type) {
  const Rewrite tensor_type = [&](const std::string& inner) {
    pbf_reader reader(inner);
    int32_t element = 0;
    std::string result;
    pbf_writer writer(result);
    while (reader.next()) {
      if (reader.tag() != 1) {
        copy_field(reader, writer);
      } else {
        element = reader.get_int32();
        writer.add_int32(1, is_float(element) ? static_cast<int32_t>(type) : element);
      }
    }
    return result;
  };
  return rewritten(message, {{2, [&](const std::string& inner) {
                                return rewritten(inner, {{1, tensor_type}});
                              }}});
}

// A node that puts out the tensor under its name.
std::string constant_node(const std::string& tensor) {
  std::string attribute, node;
  pbf_writer(attribute).add_string(1, "value");
  pbf_writer(attribute).add_message(5, tensor);
  pbf_writer(attribute).add_int32(20, 4);
  pbf_writer(node).add_string(2, decoded(tensor).name);
  pbf_writer(node).add_string(4, "Constant");
  pbf_writer(node).add_message(5, attribute);
  return node;
}

// Initializers become nodes before all others.
std::string with_constant_nodes(const std::string& graph) {
  std::string nodes, rest;
  pbf_reader reader(graph);
  pbf_writer writer(rest);
  while (reader.next()) {
    if (reader.tag() == 5) {
      pbf_writer(nodes).add_message(1, constant_node(reader.get_bytes()));
    } else {
      copy_field(reader, writer);
    }
  }
  return nodes + rest;
}

}  // namespace

std::string stored_as(const std::string& file, FloatType type, Storage storage) {
  const Rewrite tensor = [&](const std::string& m) { return with_floats_in(m, type, storage); };
  const Rewrite value_info = [&](const std::string& m) { return value_info_in(m, type); };
  const Rewrite attribute = [&](const std::string& m) { return rewritten(m, {{5, tensor}}); };
  const Rewrite node = [&](const std::string& m) { return rewritten(m, {{5, attribute}}); };
  return rewritten(
      file, {{7, [&](const std::string& m) {
                const std::string graph = rewritten(
                    m,
                    {{1, node}, {5, tensor}, {11, value_info}, {12, value_info}, {13, value_info}});
                return storage == Storage::constant_nodes ? with_constant_nodes(graph) : graph;
              }}});
}

std::string twin(const std::string& file) { return stored_as(file, FloatType::f32); }

}  // namespace shingle::networks
