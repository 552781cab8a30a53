// Decodes nodes, graphs and functions. Graphs inside attributes are decoded too, a few deep.
#include "partition/readers/onnx/decode.hpp"
#include "partition/readers/onnx/fields.hpp"

namespace shingle::onnx {

namespace {

constexpr size_t max_attributes = 16;
constexpr size_t max_names = 1 << 16;  // inputs, outputs or attributes of one function

void decode_inner_graph(std::string_view message, Within within, Attribute& attribute) {
  if (within.depth == deepest_graph)
    refuse("the ONNX file has graphs within graphs more than " + std::to_string(deepest_graph) +
           " deep");
  const auto graph = std::make_shared<Graph>();
  decode_graph(message, {within.limits, within.depth + 1}, *graph);
  attribute.graph = graph;
}

Attribute decode_attribute(std::string_view message, Within within) {
  Attribute attribute;
  each_field(message, [&](pbf_reader& reader) {
    std::string_view part;
    switch (reader.tag()) {
      case 1:
        return read(reader, attribute.name);
      case 2:
        return read(reader, attribute.f);
      case 3:
        return read(reader, attribute.i);
      case 4:
        return read(reader, attribute.s);
      case 5:
        if (!read(reader, part)) return false;
        attribute.tensor = std::make_shared<const TensorProto>(decode_tensor(part));
        return true;
      case 6:
        if (!read(reader, part)) return false;
        decode_inner_graph(part, within, attribute);
        return true;
      case 7:
        return append(reader, attribute.floats);
      case 8:
        return append(reader, attribute.ints);
      case 9:
        return read(reader, part) && (attribute.strings.push_back(part), true);
      case 21:
        return read(reader, attribute.reference);
      default:
        return false;
    }
  });
  return attribute;
}

NodeProto decode_node(std::string_view message, Within within) {
  NodeProto node;
  each_field(message, [&](pbf_reader& reader) {
    std::string_view text;
    switch (reader.tag()) {
      case 1:
        return read(reader, text) && (node.inputs.push_back(text), true);
      case 2:
        return read(reader, text) && (node.outputs.push_back(text), true);
      case 3:
        return read(reader, node.name);
      case 4:
        return read(reader, node.op);
      case 5:
        if (!read(reader, text)) return false;
        grow(node.attributes, max_attributes, "attributes in one node") =
            decode_attribute(text, within);
        return true;
      case 7:
        return read(reader, node.domain);
      case 8:
        return read(reader, node.overload);
      default:
        return false;
    }
  });
  return node;
}

}  // namespace

void decode_graph(std::string_view message, Within within, Graph& graph) {
  const auto limit = static_cast<size_t>(within.limits.max_nodes);
  each_field(message, [&](pbf_reader& reader) {
    std::string_view part;
    switch (reader.tag()) {
      case 1:
        if (!read(reader, part)) return false;
        grow(graph.nodes, limit, "nodes") = decode_node(part, within);
        return true;
      case 5:
        if (!read(reader, part)) return false;
        grow(graph.initializers, limit, "initializers") = decode_tensor(part);
        return true;
      case 11:
        if (!read(reader, part)) return false;
        grow(graph.inputs, limit, "inputs") = decode_value_info(part);
        return true;
      case 12:
        if (!read(reader, part)) return false;
        grow(graph.outputs, limit, "outputs") = decode_value_info(part);
        return true;
      default:
        return false;
    }
  });
}

Function decode_function(std::string_view message, const OnnxLimits& limits) {
  Function function;
  const auto most_nodes = static_cast<size_t>(limits.max_nodes);
  each_field(message, [&](pbf_reader& reader) {
    std::string_view part;
    switch (reader.tag()) {
      case 1:
        return read(reader, function.name);
      case 4:
        return read(reader, grow(function.inputs, max_names, "inputs of one function"));
      case 5:
        return read(reader, grow(function.outputs, max_names, "outputs of one function"));
      case 7:
        if (!read(reader, part)) return false;
        grow(function.nodes, most_nodes, "nodes") = decode_node(part, {limits});
        return true;
      case 9:
        if (!read(reader, part)) return false;
        decode_opset(part, function.opset);
        return true;
      case 10:
        return read(reader, function.domain);
      case 11:
        if (!read(reader, part)) return false;
        grow(function.defaults, max_attributes, "attributes in one function") =
            decode_attribute(part, {limits});
        return true;
      case 13:
        return read(reader, function.overload);
      default:
        return false;
    }
  });
  return function;
}

}  // namespace shingle::onnx
