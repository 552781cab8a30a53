#include "tests/conformance/rule.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "partition/readers/onnx/opsets.hpp"

namespace shingle::conformance {

namespace {

constexpr size_t most_dims = 4;

// The operators that shingle promises to read.
constexpr std::string_view promised[] = {"Abs",
                                         "Add",
                                         "ArgMax",
                                         "AveragePool",
                                         "BatchNormalization",
                                         "Cast",
                                         "Clip",
                                         "Concat",
                                         "Constant",
                                         "Conv",
                                         "ConvTranspose",
                                         "DepthToSpace",
                                         "Div",
                                         "Dropout",
                                         "Elu",
                                         "Exp",
                                         "Expand",
                                         "Flatten",
                                         "Gather",
                                         "Gemm",
                                         "GlobalAveragePool",
                                         "GlobalMaxPool",
                                         "HardSigmoid",
                                         "HardSwish",
                                         "Identity",
                                         "InstanceNormalization",
                                         "LRN",
                                         "LeakyRelu",
                                         "LogSoftmax",
                                         "LpPool",
                                         "MatMul",
                                         "Max",
                                         "MaxPool",
                                         "Min",
                                         "Mul",
                                         "Neg",
                                         "PRelu",
                                         "Pad",
                                         "Pow",
                                         "ReduceMax",
                                         "ReduceMean",
                                         "ReduceSum",
                                         "Relu",
                                         "Reshape",
                                         "Resize",
                                         "Shape",
                                         "Sigmoid",
                                         "Slice",
                                         "Softmax",
                                         "Softplus",
                                         "SpaceToDepth",
                                         "Split",
                                         "Sqrt",
                                         "Squeeze",
                                         "Sub",
                                         "Tanh",
                                         "Tile",
                                         "Transpose",
                                         "Unsqueeze",
                                         "Upsample"};

// The inputs from `first` to `last` are parameters.
struct Positions {
  size_t first = 1, last = 1;
};

const std::map<std::string_view, Positions>& parameters() {
  static const std::map<std::string_view, Positions> positions{
      {"BatchNormalization", {1, 4}},     // scale, bias, mean, variance
      {"Clip", {1, 2}},                   // minimum, maximum
      {"Conv", {1, 2}},                   // weights, bias
      {"ConvTranspose", {1, 2}},          // weights, bias
      {"Dropout", {1, 2}},                // ratio, training mode
      {"Expand", {1, 1}},                 // shape
      {"Gather", {1, 1}},                 // indices
      {"Gemm", {1, 2}},                   // weights, bias
      {"InstanceNormalization", {1, 2}},  // scale, bias
      {"MatMul", {1, 1}},                 // weights
      {"PRelu", {1, 1}},                  // slopes
      {"Pad", {1, 3}},                    // pads, value, axes
      {"ReduceMax", {1, 1}},              // axes
      {"ReduceMean", {1, 1}},             // axes
      {"ReduceSum", {1, 1}},              // axes
      {"Reshape", {1, 1}},                // shape
      {"Resize", {1, 3}},                 // region of interest, scales, sizes
      {"Slice", {1, 4}},                  // starts, ends, axes, steps
      {"Split", {1, 1}},                  // sizes
      {"Squeeze", {1, 1}},                // axes
      {"Tile", {1, 1}},                   // repeats
      {"Unsqueeze", {1, 1}},              // axes
      {"Upsample", {1, 1}},               // scales
  };
  return positions;
}

bool takes_parameter(const onnx::NodeProto& node, size_t position) {
  const auto found = parameters().find(node.op);
  return found != parameters().end() && position >= found->second.first &&
         position <= found->second.last;
}

std::optional<std::string> wrong_type(const onnx::ValueInfo& value, const char* what) {
  if (value.element_type != static_cast<int32_t>(onnx::DataType::f32)) {
    return std::string("an ") + what + " is not a tensor of 32-bit floats";
  }
  if (value.dims.size() > most_dims) {
    return std::string("an ") + what + " has more than 4 dimensions";
  }
  return std::nullopt;
}

}  // namespace

bool is_parameter(const onnx::Graph& graph, std::string_view input) {
  bool read = false;
  for (const onnx::NodeProto& node : graph.nodes) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] != input) continue;
      if (!takes_parameter(node, i)) return false;
      read = true;
    }
  }
  return read;
}

std::vector<const onnx::ValueInfo*> fed_inputs(const onnx::Graph& graph) {
  std::set<std::string_view> given;
  for (const onnx::TensorProto& tensor : graph.initializers) given.insert(tensor.name);
  std::vector<const onnx::ValueInfo*> inputs;
  for (const onnx::ValueInfo& input : graph.inputs) {
    if (!given.contains(input.name)) inputs.push_back(&input);
  }
  return inputs;
}

std::optional<std::string> left_out(const onnx::File& file) {
  if (file.opset > onnx::newest_opset)
    return "opset " + std::to_string(file.opset) + " is not read";
  const onnx::Graph& graph = file.graph;
  for (const onnx::NodeProto& node : graph.nodes) {
    const bool is_promised = std::ranges::find(promised, node.op) != std::end(promised);
    if (!is_promised || !node.domain.empty()) {
      return "operator " + std::string(node.op) + " is not promised";
    }
  }
  size_t data = 0;
  for (const onnx::ValueInfo* input : fed_inputs(graph)) {
    if (is_parameter(graph, input->name)) continue;
    if (auto wrong = wrong_type(*input, "input")) return wrong;
    ++data;
  }
  if (data == 0) return "nothing but parameters goes in";
  for (const onnx::ValueInfo& output : graph.outputs) {
    if (auto wrong = wrong_type(output, "output")) return wrong;
  }
  return std::nullopt;
}

int64_t readable_opset(const onnx::File& file) {
  static const std::set<std::string_view> unchanged_since_1{"GlobalAveragePool", "GlobalMaxPool",
                                                            "Softplus"};
  const bool same =
      std::all_of(file.graph.nodes.begin(), file.graph.nodes.end(),
                  [](const onnx::NodeProto& node) { return unchanged_since_1.contains(node.op); });
  return same ? std::max(file.opset, onnx::oldest_opset) : file.opset;
}

}  // namespace shingle::conformance
