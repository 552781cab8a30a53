#include "tests/networks/exported/exporter.hpp"

#include <algorithm>
#include <cassert>
#include <set>

namespace shingle::networks {

namespace {

constexpr int64_t f32_type = 1, i64_type = 7;  // of onnx.proto3

std::vector<std::string> names_of(const std::vector<Value>& values) {
  std::vector<std::string> names;
  for (const Value& value : values) names.push_back(value.name);
  return names;
}

// What a layer-wise engine computes where its operand lies: element-wise operators and new dims.
bool in_place(const std::string& op) {
  static const std::set<std::string> known{
      "Relu", "Clip", "Sigmoid", "HardSigmoid", "HardSwish", "Swish",   "Tanh",     "Erf",
      "Gelu", "Sqrt", "Log",     "Cos",         "Sin",       "Add",     "Sub",      "Mul",
      "Div",  "Pow",  "Cast",    "Reshape",     "Flatten",   "Squeeze", "Unsqueeze"};
  return known.contains(op);
}

}  // namespace

Value Exporter::input(const Dims& dims) {
  graph_.input("input", dims, ElementType::f32);
  return {"input", dims};
}

void Exporter::output(const Value& value) {
  graph_.output(value.name, value.dims);
  bytes_.erase(value.name);
}

Value Exporter::node(std::string_view op, const std::vector<Value>& inputs,
                     const OnnxAttributes& attributes, const Dims& dims) {
  return nodes(op, inputs, attributes, {dims})[0];
}

std::vector<Value> Exporter::nodes(std::string_view op, const std::vector<Value>& inputs,
                                   const OnnxAttributes& attributes,
                                   const std::vector<Dims>& dims) {
  std::vector<Value> outputs;
  for (const Dims& each : dims) {
    assert(elements(each) > 0);
    outputs.push_back({std::string(op) + "_output_" + std::to_string(values_++), each});
    bytes_[outputs.back().name] = bytes_of_floats(elements(each));
  }
  graph_.node_with_outputs(op, names_of(inputs), attributes, names_of(outputs));
  written_.push_back({std::string(op), names_of(inputs), names_of(outputs)});
  return outputs;
}

Value Exporter::normal(const Dims& dims, float deviation, float mean) {
  std::vector<float> values(static_cast<size_t>(elements(dims)));
  for (float& value : values) value = mean + deviation * random_.normal();
  return floats(dims, values);
}

Value Exporter::floats(const Dims& dims, const std::vector<float>& values) {
  assert(elements(dims) == std::ssize(values));
  return {graph_.floats(dims, values), dims};
}

Value Exporter::integers(const std::vector<int64_t>& values, const Dims& dims) {
  assert(elements(dims) == std::ssize(values));
  const std::string raw(reinterpret_cast<const char*>(values.data()),
                        values.size() * sizeof(int64_t));
  return {graph_.tensor(dims, i64_type, raw), dims};
}

void Exporter::put_selection_out() {
  std::vector<Value> parts = selection_->keys;
  parts.push_back(selection_->scores);
  for (const Value& part : parts) output(node("Cast", {part}, {{"to", f32_type}}, part.dims));
}

Exported Exporter::finish(bool with_selection) {
  const int64_t bytes = layer_wise_bytes();
  const bool selects = with_selection && selection_.has_value();
  if (selects) put_selection_out();
  return {.file = graph_.file(opset_),
          .layer_wise_bytes = bytes,
          .keys = selects ? selection_->keys.size() : 0};
}

int64_t Exporter::layer_wise_bytes() const {
  std::map<std::string, size_t> last_reader;
  for (size_t i = 0; i < written_.size(); ++i)
    for (const std::string& name : written_[i].inputs) last_reader[name] = i;
  const auto bytes = [&](const std::string& name) {
    const auto found = bytes_.find(name);
    return found == bytes_.end() ? 0 : found->second;
  };
  int64_t held = 0, most = 0;
  for (size_t i = 0; i < written_.size(); ++i) {
    const Written& node = written_[i];
    int64_t made = 0, freed = 0, reused = 0;
    for (const std::string& name : node.outputs) made += bytes(name);
    for (const std::string& name : std::set(node.inputs.begin(), node.inputs.end())) {
      if (last_reader.at(name) != i) continue;
      freed += bytes(name);
      if (in_place(node.op) && bytes(name) == made) reused = made;
    }
    most = std::max(most, held + made - reused);
    held += made - freed;
  }
  return most;
}

}  // namespace shingle::networks
