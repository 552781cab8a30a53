// The field numbers are from onnx.proto3.
#include "tests/conformance/rewrite.hpp"

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

namespace shingle::conformance {

namespace {

using protozero::pbf_reader;
using protozero::pbf_writer;

// ModelProto
constexpr uint32_t graph_field = 7, opset_field = 8;
// GraphProto
constexpr uint32_t initializer_field = 5, input_field = 11;
// TensorProto
constexpr uint32_t tensor_type_field = 2, tensor_name_field = 8;

void copy_field(pbf_reader& reader, pbf_writer& writer) {
  const protozero::pbf_tag_type tag = reader.tag();  // reading the value forgets it
  switch (reader.wire_type()) {
    case protozero::pbf_wire_type::varint:
      return writer.add_uint64(tag, reader.get_uint64());
    case protozero::pbf_wire_type::fixed32:
      return writer.add_fixed32(tag, reader.get_fixed32());
    case protozero::pbf_wire_type::fixed64:
      return writer.add_fixed64(tag, reader.get_fixed64());
    default:
      return writer.add_bytes(tag, reader.get_view());
  }
}

std::string encoded_input(const FreeInput& input) {
  std::string shape, tensor_type, type, bytes;
  for (const int64_t dim : input.dims) {
    std::string dimension;
    pbf_writer(dimension).add_int64(1, dim);
    pbf_writer(shape).add_message(1, dimension);
  }
  pbf_writer(tensor_type).add_int32(1, input.type);
  pbf_writer(tensor_type).add_message(2, shape);
  pbf_writer(type).add_message(1, tensor_type);
  pbf_writer(bytes).add_string(1, input.name.data(), input.name.size());
  pbf_writer(bytes).add_message(2, type);
  return bytes;
}

// If a message has several names, the last one counts.
std::string renamed(const BoundInput& constant) {
  std::string bytes(constant.tensor);
  pbf_writer(bytes).add_string(tensor_name_field, constant.name.data(), constant.name.size());
  return bytes;
}

std::string rewritten_graph(protozero::data_view graph, const std::vector<FreeInput>& inputs,
                            const std::vector<BoundInput>& constants) {
  std::string bytes;
  pbf_writer writer(bytes);
  for (pbf_reader reader(graph); reader.next();) {
    if (reader.tag() == input_field) {
      reader.skip();
    } else {
      copy_field(reader, writer);
    }
  }
  for (const FreeInput& input : inputs) writer.add_message(input_field, encoded_input(input));
  for (const BoundInput& bound : constants) writer.add_message(initializer_field, renamed(bound));
  return bytes;
}

}  // namespace

std::string rewritten(std::string_view file, const std::vector<FreeInput>& inputs,
                      const std::vector<BoundInput>& constants, int64_t opset) {
  std::string bytes, opset_import;
  pbf_writer writer(bytes);
  for (pbf_reader reader(file.data(), file.size()); reader.next();) {
    if (reader.tag() == graph_field) {
      writer.add_message(graph_field, rewritten_graph(reader.get_view(), inputs, constants));
    } else if (reader.tag() == opset_field) {
      reader.skip();
    } else {
      copy_field(reader, writer);
    }
  }
  pbf_writer(opset_import).add_int64(2, opset);
  writer.add_message(opset_field, opset_import);
  return bytes;
}

std::string retyped(std::string_view tensor, int32_t type) {
  std::string bytes(tensor);
  pbf_writer(bytes).add_int32(tensor_type_field, type);  // the last one counts
  return bytes;
}

std::string file_of_one_tensor(std::string_view tensor) {
  std::string graph, bytes;
  pbf_writer(graph).add_message(initializer_field, tensor.data(), tensor.size());
  pbf_writer(bytes).add_message(graph_field, graph);
  return bytes;
}

}  // namespace shingle::conformance
