#include "partition/readers/onnx/input_layout.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "partition/readers/onnx/patterns/fusion.hpp"
#include "partition/readers/onnx/translator.hpp"

namespace shingle::onnx {

namespace {

constexpr std::string_view element_wise[] = {"Add",  "Cast", "Clip",     "Div",  "Identity",
                                             "Mul",  "Neg",  "Relu",     "Sub",  "Pow",
                                             "Sqrt", "Tanh", "CastLike", "Floor"};

// Numbers of channels that a picture has. Above the least height and width, dims are told apart.
constexpr int64_t least_side = 5;
bool are_channels(int64_t size) { return size == 1 || size == 3; }

bool could_be_picture(const Dims& dims) {
  return dims.size() == 4 && dims[0] == 1 && dims[1] >= least_side && dims[2] >= least_side &&
         are_channels(dims[3]);
}

bool brings_channels_first(const NodeProto& node) {
  static const auto& to_first = *new Dims{0, 3, 1, 2};
  return node.op == "Transpose" &&
         std::ranges::any_of(node.attributes, [](const Attribute& attribute) {
           return attribute.name == "perm" && attribute.ints == to_first;
         });
}

using Readers = std::unordered_map<std::string_view, std::vector<const NodeProto*>>;

Readers readers_of(const Graph& graph) {
  const std::vector<bool> live = live_nodes(graph);
  Readers readers;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!live[i]) continue;
    for (const std::string_view input : graph.nodes[i].inputs)
      readers[input].push_back(&graph.nodes[i]);
  }
  return readers;
}

// Whatever depends on the value goes through arithmetic of single elements, and then through a
// transpose.
bool are_brought_first(const Graph& graph, std::string_view input) {
  const Readers readers = readers_of(graph);
  std::vector<std::string_view> open{input};
  std::unordered_set<std::string_view> seen{input};
  bool transposed = false;
  while (!open.empty()) {
    const auto found = readers.find(open.back());
    open.pop_back();
    if (found == readers.end()) continue;
    for (const NodeProto* node : found->second) {
      if (!is_of_onnx(*node)) return false;
      if (node->op == "Shape" || node->op == "Size") continue;
      transposed = transposed || brings_channels_first(*node);
      if (brings_channels_first(*node)) continue;
      if (std::ranges::find(element_wise, node->op) == std::end(element_wise)) return false;
      for (const std::string_view output : node->outputs)
        if (seen.insert(output).second) open.push_back(output);
    }
  }
  return transposed;
}

}  // namespace

View input_view(const Graph& graph, std::string_view input, const Dims& dims) {
  if (could_be_picture(dims) && are_brought_first(graph, input))
    return map_view(dims, {Axis::c, Axis::y, Axis::x, Axis::c});
  return map_view(dims);
}

}  // namespace shingle::onnx
