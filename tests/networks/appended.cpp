// The field numbers are from onnx.proto3.
#include "tests/networks/appended.hpp"

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

namespace shingle::networks {

namespace {

using protozero::pbf_reader;
using protozero::pbf_writer;

constexpr uint32_t graph_field = 7;    // of ModelProto
constexpr uint32_t output_field = 12;  // of GraphProto

void copy_field(pbf_reader& reader, pbf_writer& writer) {
  const protozero::pbf_tag_type tag = reader.tag();
  if (reader.wire_type() == protozero::pbf_wire_type::varint)
    return writer.add_uint64(tag, reader.get_uint64());
  writer.add_bytes(tag, reader.get_view());  // the other kinds that these messages have
}

std::string without_outputs(protozero::data_view graph) {
  std::string bytes;
  pbf_writer writer(bytes);
  for (pbf_reader reader(graph); reader.next();) {
    if (reader.tag() == output_field)
      reader.skip();
    else
      copy_field(reader, writer);
  }
  return bytes;
}

}  // namespace

std::string appended(std::string_view file, const OnnxGraph& tail) {
  std::string bytes;
  pbf_writer writer(bytes);
  for (pbf_reader reader(file.data(), file.size()); reader.next();) {
    if (reader.tag() == graph_field)
      writer.add_message(graph_field, without_outputs(reader.get_view()) + tail.graph());
    else
      copy_field(reader, writer);
  }
  return bytes;
}

}  // namespace shingle::networks
