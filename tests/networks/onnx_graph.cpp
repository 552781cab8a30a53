// Field numbers are those of onnx.proto3.
#include "tests/networks/onnx_graph.hpp"

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

namespace shingle::networks {

namespace {

constexpr int64_t f32_type = 1, u8_type = 2, i64_type = 7;

template <class T>
std::string raw(const std::vector<T>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

struct AttributeFields {
  protozero::pbf_writer& writer;
  void type(int32_t value) { writer.add_int32(20, value); }
  void operator()(float value) { writer.add_float(2, value), type(1); }
  void operator()(int64_t value) { writer.add_int64(3, value), type(2); }
  void operator()(const std::string& value) { writer.add_bytes(4, value), type(3); }
  void operator()(const std::vector<int64_t>& values) {
    for (const int64_t value : values) writer.add_int64(8, value);
    type(7);
  }
  void operator()(const std::vector<float>& values) {
    for (const float value : values) writer.add_float(7, value);
    type(6);
  }
  void operator()(const std::vector<std::string>& values) {
    for (const std::string& value : values) writer.add_bytes(9, value);
    type(8);
  }
  void operator()(const OnnxInner& value) { writer.add_message(6, value.encoded), type(5); }
  void operator()(const OnnxReference& value) { writer.add_string(21, value.attribute); }
};

// "some.domain::Op" in two.
std::pair<std::string, std::string> domain_and_name(std::string_view name) {
  const size_t cut = name.find("::");
  if (cut == std::string_view::npos) return {"", std::string(name)};
  return {std::string(name.substr(0, cut)), std::string(name.substr(cut + 2))};
}

std::string encoded_attribute(const std::string& name, const OnnxValue& value) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  writer.add_string(1, name);
  std::visit(AttributeFields{writer}, value);
  return bytes;
}

std::string encoded_tensor(std::string_view name, const std::vector<int64_t>& dims, int64_t type,
                           const std::string& data) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  for (const int64_t dim : dims) writer.add_int64(1, dim);
  writer.add_int64(2, type);
  writer.add_string(8, name.data(), name.size());
  writer.add_bytes(9, data);
  return bytes;
}

std::string encoded_dim(int64_t size) {
  std::string encoded;
  protozero::pbf_writer(encoded).add_int64(1, size);
  return encoded;
}

std::string encoded_dim(const std::string& size) {
  const bool number = !size.empty() && size.find_first_not_of("0123456789") == std::string::npos;
  if (number) return encoded_dim(static_cast<int64_t>(std::stoll(size)));
  std::string encoded;
  if (!size.empty()) protozero::pbf_writer(encoded).add_string(2, size);
  return encoded;
}

template <class Dim>
std::string encoded_value_info(std::string_view name, const std::vector<Dim>& dims, int64_t type) {
  std::string shape, tensor_type, type_proto, bytes;
  for (const Dim& dim : dims) protozero::pbf_writer(shape).add_message(1, encoded_dim(dim));
  protozero::pbf_writer(tensor_type).add_int64(1, type);
  protozero::pbf_writer(tensor_type).add_message(2, shape);
  protozero::pbf_writer(type_proto).add_message(1, tensor_type);
  protozero::pbf_writer(bytes).add_string(1, name.data(), name.size());
  protozero::pbf_writer(bytes).add_message(2, type_proto);
  return bytes;
}

}  // namespace

std::string OnnxGraph::fresh(std::string_view stem) {
  return prefix_ + std::string(stem) + "_" + std::to_string(count_++);
}

void OnnxGraph::input(std::string_view name, const std::vector<int64_t>& dims, ElementType type) {
  const int64_t code = type == ElementType::u8 ? u8_type : f32_type;
  protozero::pbf_writer(inputs_).add_message(11, encoded_value_info(name, dims, code));
}

void OnnxGraph::open_input(std::string_view name, const std::vector<std::string>& dims) {
  protozero::pbf_writer(inputs_).add_message(11, encoded_value_info(name, dims, f32_type));
}

void OnnxGraph::output(std::string_view name, const std::vector<int64_t>& dims) {
  protozero::pbf_writer(outputs_).add_message(12, encoded_value_info(name, dims, f32_type));
}

std::string OnnxGraph::node(std::string_view op, const std::vector<std::string>& inputs,
                            const OnnxAttributes& attributes, std::string output) {
  if (output.empty()) output = fresh("value");
  node_with_outputs(op, inputs, attributes, {output});
  return output;
}

void OnnxGraph::node_with_outputs(std::string_view op, const std::vector<std::string>& inputs,
                                  const OnnxAttributes& attributes,
                                  const std::vector<std::string>& outputs) {
  std::string bytes;
  protozero::pbf_writer writer(bytes);
  for (const std::string& input : inputs) writer.add_string(1, input);
  for (const std::string& output : outputs) writer.add_string(2, output);
  const auto [domain, name] = domain_and_name(op);
  writer.add_string(3, fresh(name));
  writer.add_string(4, name);
  if (!domain.empty()) writer.add_string(7, domain);
  for (const auto& [key, value] : attributes) writer.add_message(5, encoded_attribute(key, value));
  protozero::pbf_writer(nodes_).add_message(1, bytes);
}

std::string OnnxGraph::floats(const std::vector<int64_t>& dims, const std::vector<float>& values) {
  return tensor(dims, f32_type, raw(values));
}

std::string OnnxGraph::tensor(const std::vector<int64_t>& dims, int64_t type,
                              const std::string& raw) {
  const std::string name = fresh("constant");
  protozero::pbf_writer(initializers_).add_message(5, encoded_tensor(name, dims, type, raw));
  return name;
}

std::string OnnxGraph::external(const std::vector<int64_t>& dims, const Place& place,
                                int64_t type) {
  const std::string name = fresh("constant");
  std::string tensor;
  protozero::pbf_writer writer(tensor);
  for (const int64_t dim : dims) writer.add_int64(1, dim);
  writer.add_int64(2, type);
  writer.add_string(8, name);
  const auto say = [&](const char* key, const std::string& value) {
    if (value.empty()) return;
    std::string entry;
    protozero::pbf_writer(entry).add_string(1, key);
    protozero::pbf_writer(entry).add_string(2, value);
    writer.add_message(13, entry);
  };
  say("location", place.location);
  say("offset", place.offset);
  say("length", place.length);
  writer.add_int32(14, 1);
  protozero::pbf_writer(initializers_).add_message(5, tensor);
  return name;
}

std::string OnnxGraph::integers(const std::vector<int64_t>& values) {
  return tensor({static_cast<int64_t>(values.size())}, i64_type, raw(values));
}

void OnnxGraph::metadata(std::string_view key, std::string_view value) {
  std::string entry;
  protozero::pbf_writer writer(entry);
  writer.add_string(1, key.data(), key.size());
  writer.add_string(2, value.data(), value.size());
  protozero::pbf_writer(metadata_).add_message(14, entry);
}

std::string OnnxGraph::file(int64_t opset_version) const { return encoded({}, opset_version); }

std::string OnnxGraph::file_with(const std::string& encoded_fields) const {
  return encoded(encoded_fields, 13);
}

std::string OnnxGraph::graph() const {
  std::string graph = nodes_;
  protozero::pbf_writer(graph).add_string(2, "shingle");
  return graph + initializers_ + inputs_ + outputs_;
}

std::string OnnxGraph::function(const Signature& signature) const {
  std::string bytes, opset;
  const auto [domain, name] = domain_and_name(signature.name);
  protozero::pbf_writer writer(bytes);
  writer.add_string(1, name);
  for (const std::string& input : signature.inputs) writer.add_string(4, input);
  for (const std::string& output : signature.outputs) writer.add_string(5, output);
  protozero::pbf_reader nodes(nodes_);
  while (nodes.next()) writer.add_message(7, nodes.get_view());
  protozero::pbf_writer(opset).add_int64(2, signature.opset);
  if (signature.opset != 0) writer.add_message(9, opset);
  writer.add_string(10, domain);
  for (const auto& [key, value] : signature.defaults)
    writer.add_message(11, encoded_attribute(key, value));
  return bytes;
}

void OnnxGraph::add_function(const std::string& encoded) {
  protozero::pbf_writer(functions_).add_message(25, encoded);
}

std::string OnnxGraph::encoded(const std::string& more, int64_t opset_version) const {
  std::string opset, bytes;
  protozero::pbf_writer(opset).add_int64(2, opset_version);
  protozero::pbf_writer writer(bytes);
  writer.add_int64(1, 7);
  writer.add_string(2, "shingle");
  writer.add_message(7, graph() + more);
  writer.add_message(8, opset);
  return bytes + functions_ + metadata_;
}

}  // namespace shingle::networks
