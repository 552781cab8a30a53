#include "tests/conformance/rule.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "partition/readers/onnx/opsets.hpp"
#include "tests/conformance/exclusions.hpp"

namespace shingle::conformance {

namespace {

// The inputs from `first` to `last` are parameters.
struct Positions {
  size_t first = 1, last = 1;
};

const std::map<std::string_view, Positions>& parameters() {
  static const std::map<std::string_view, Positions> positions{
      {"AffineGrid", {1, 1}},             // size
      {"BatchNormalization", {1, 4}},     // scale, bias, mean, variance
      {"CastLike", {1, 1}},               // what has the type
      {"CenterCropPad", {1, 1}},          // sizes
      {"Clip", {1, 2}},                   // minimum, maximum
      {"Col2Im", {1, 2}},                 // sizes of the image and of a window
      {"Conv", {1, 2}},                   // weights, bias
      {"ConvTranspose", {1, 2}},          // weights, bias
      {"ConstantOfShape", {0, 0}},        // shape
      {"CumSum", {1, 1}},                 // axis
      {"DeformConv", {1, 3}},             // weights, offsets, bias
      {"Dropout", {1, 2}},                // ratio, training mode
      {"Expand", {1, 1}},                 // shape
      {"GRU", {1, 4}},                    // weights, biases, lengths
      {"Gemm", {1, 2}},                   // weights, bias
      {"GroupNormalization", {1, 2}},     // scale, bias
      {"InstanceNormalization", {1, 2}},  // scale, bias
      {"LSTM", {1, 7}},                   // weights, biases, lengths, first state, peepholes
      {"LayerNormalization", {1, 2}},     // scale, bias
      {"MatMul", {1, 1}},                 // weights
      {"MaxUnpool", {2, 2}},              // size
      {"NonMaxSuppression", {2, 4}},      // maximum, thresholds
      {"OneHot", {1, 2}},                 // depth, values
      {"PRelu", {1, 1}},                  // slopes
      {"Pad", {1, 3}},                    // pads, value, axes
      {"RMSNormalization", {1, 1}},       // scale
      {"RNN", {1, 4}},                    // weights, biases, lengths
      {"Range", {0, 2}},                  // start, limit, step
      {"Reshape", {1, 1}},                // shape
      {"Resize", {1, 3}},                 // region of interest, scales, sizes
      {"RoiAlign", {2, 2}},               // frames
      {"RotaryEmbedding", {1, 3}},        // cosines, sines, positions
      {"Slice", {1, 4}},                  // starts, ends, axes, steps
      {"Split", {1, 1}},                  // sizes
      {"Squeeze", {1, 1}},                // axes
      {"Tile", {1, 1}},                   // repeats
      {"TopK", {1, 1}},                   // number
      {"Trilu", {1, 1}},                  // diagonal
      {"Unsqueeze", {1, 1}},              // axes
      {"Upsample", {1, 1}},               // scales
  };
  return positions;
}

bool takes_parameter(const onnx::NodeProto& node, size_t position) {
  if (node.op.starts_with("Reduce")) return position == 1;  // axes
  const auto found = parameters().find(node.op);
  return found != parameters().end() && position >= found->second.first &&
         position <= found->second.last;
}

bool type_counts(int32_t type) {
  return type == type_float || type == type_half || type == type_bfloat16 || type == type_double ||
         type == type_int32 || type == type_int64 || type == type_bool;
}

// `element_type` 0: a sequence, a map, an optional.
std::optional<std::string> wrong_type(const onnx::ValueInfo& value) {
  if (value.element_type == 0) return "values that are no tensors";
  if (type_counts(value.element_type)) return std::nullopt;
  return "tensors of another type than float, half, bfloat16, double, int32, int64, bool";
}

bool trains(const onnx::NodeProto& node) {
  for (const onnx::Attribute& attribute : node.attributes)
    if (attribute.name == "training_mode" && attribute.i != 0) return true;
  return false;
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

std::optional<std::string> left_out(std::string_view name, const onnx::File& file) {
  const onnx::Graph& graph = file.graph;
  bool spatial = false;
  for (const onnx::NodeProto& node : graph.nodes) {
    if (const auto reason = excluded(node.domain, node.op)) return std::string(*reason);
    if (trains(node)) return "training";
    spatial = spatial || is_spatial_operator(node.op);
  }
  if (name.starts_with("test_training")) return "training";
  std::vector<const onnx::ValueInfo*> values = fed_inputs(graph);
  for (const onnx::ValueInfo& output : graph.outputs) values.push_back(&output);
  for (const onnx::ValueInfo* value : values) {
    if (auto wrong = wrong_type(*value)) return wrong;
    if (spatial && value->dims.size() > 4) return "three spatial dimensions";
  }
  return std::nullopt;
}

int64_t readable_opset(const onnx::File& file) {
  static const std::set<std::string_view> unchanged_since_1{"GlobalAveragePool", "GlobalMaxPool",
                                                            "Not", "Softsign", "Softplus"};
  const bool same =
      std::all_of(file.graph.nodes.begin(), file.graph.nodes.end(),
                  [](const onnx::NodeProto& node) { return unchanged_since_1.contains(node.op); });
  return same ? std::max(file.opset, onnx::oldest_opset) : file.opset;
}

}  // namespace shingle::conformance
