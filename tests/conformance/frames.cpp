#include "tests/conformance/frames.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace shingle::conformance {

namespace {

using onnx::NodeProto;

const std::set<std::string_view> by_frame{"AveragePool",   "BatchNormalization",
                                          "Conv",          "ConvTranspose",
                                          "DepthToSpace",  "GlobalAveragePool",
                                          "GlobalMaxPool", "InstanceNormalization",
                                          "LRN",           "LpPool",
                                          "MaxPool",       "SpaceToDepth",
                                          "GlobalLpPool",  "GroupNormalization"};

const std::set<std::string_view> by_element{
    "Abs",         "Add",       "Cast",     "Clip",      "Div",      "Dropout", "Elu", "Exp",
    "HardSigmoid", "HardSwish", "Identity", "LeakyRelu", "Max",      "Min",     "Mul", "Neg",
    "PRelu",       "Pow",       "Relu",     "Sigmoid",   "Softplus", "Sqrt",    "Sub", "Tanh",
    "Erf",         "Floor",     "Ceil",     "Round",     "Sign",     "Sin",     "Cos", "Selu"};

const std::set<std::string_view> along_axis{"Concat", "LogSoftmax", "Softmax", "Split"};

const onnx::Attribute* attribute(const NodeProto& node, std::string_view name) {
  for (const onnx::Attribute& found : node.attributes) {
    if (found.name == name) return &found;
  }
  return nullptr;
}

// The graph's constants, and the batch size in question.
struct Batch {
  int64_t frames = 1;
  size_t rank = 0;
  int64_t opset = 0;
  std::map<std::string_view, Dims> constants;

  bool leads(std::string_view name) const {
    const auto found = constants.find(name);
    return found != constants.end() && leads_with(frames, rank, found->second);
  }
};

bool axis_apart(const NodeProto& node, const Batch& batch) {
  const bool counts_back = node.op.ends_with("oftmax") && batch.opset >= 13;
  const int64_t usual = node.op == "Split" ? 0 : counts_back ? -1 : 1;
  const onnx::Attribute* axis = attribute(node, "axis");
  const int64_t at = axis == nullptr ? usual : axis->i;
  return at != 0 && at != -static_cast<int64_t>(batch.rank);
}

bool rows_apart(const NodeProto& node, const Batch& batch) {
  const onnx::Attribute* transposed = attribute(node, "transA");
  if (transposed != nullptr && transposed->i != 0) return false;
  if (batch.rank != 2 || node.inputs.size() < 2) return false;
  const bool constant_weights = batch.constants.contains(node.inputs[1]);
  const bool bias_has_rows = node.inputs.size() > 2 && batch.leads(node.inputs[2]);
  return constant_weights && !bias_has_rows;
}

bool other_axes(const NodeProto& node) {
  const onnx::Attribute* axes = attribute(node, "axes");
  return axes != nullptr &&
         std::all_of(axes->ints.begin(), axes->ints.end(), [](int64_t axis) { return axis > 0; });
}

bool pads_frames(const NodeProto& node, const Batch& batch) {
  const onnx::Attribute* pads = attribute(node, "pads");
  if (pads == nullptr || pads->ints.size() != 2 * batch.rank) return true;
  return pads->ints[0] != 0 || pads->ints[batch.rank] != 0;
}

bool keeps_apart(const NodeProto& node, const Batch& batch) {
  const auto constant_leads = [&](std::string_view input) { return batch.leads(input); };
  if (by_frame.contains(node.op) || node.op == "Constant") return true;
  if (by_element.contains(node.op)) {
    return std::none_of(node.inputs.begin(), node.inputs.end(), constant_leads);
  }
  if (along_axis.contains(node.op)) return axis_apart(node, batch);
  if (node.op == "Gemm" || node.op == "MatMul") return rows_apart(node, batch);
  if (node.op == "Pad") return !pads_frames(node, batch);
  if (node.op == "Squeeze" || node.op == "Unsqueeze") return other_axes(node);
  return false;
}

std::map<std::string_view, Dims> constants_of(const onnx::Graph& graph,
                                              const std::vector<FedTensor>& bound) {
  std::map<std::string_view, Dims> dims;
  for (const onnx::TensorProto& tensor : graph.initializers) dims[tensor.name] = tensor.dims;
  for (const FedTensor& tensor : bound) dims[tensor.name] = tensor.tensor->dims;
  for (const NodeProto& node : graph.nodes) {
    const onnx::Attribute* value = node.op == "Constant" ? attribute(node, "value") : nullptr;
    if (value != nullptr && value->tensor) dims[node.outputs.front()] = value->tensor->dims;
  }
  return dims;
}

}  // namespace

bool leads_with(int64_t batch, size_t rank, const Dims& dims) {
  return dims.size() == rank && !dims.empty() && dims[0] == batch;
}

int64_t frames_of(const onnx::File& file, const std::vector<FedTensor>& data,
                  const std::vector<FedTensor>& bound, const std::vector<TestTensor>& outputs) {
  Batch batch{.opset = file.opset, .constants = constants_of(file.graph, bound)};
  for (const FedTensor& input : data) batch.rank = std::max(batch.rank, input.tensor->dims.size());
  if (batch.rank < 2) return 1;
  for (const FedTensor& input : data) {
    if (input.tensor->dims.size() == batch.rank) {
      batch.frames = std::max(batch.frames, input.tensor->dims[0]);
    }
  }
  const auto fits = [&](const FedTensor& input) {
    const Dims& dims = input.tensor->dims;
    return dims.size() < batch.rank || dims[0] == 1 || dims[0] == batch.frames;
  };
  const bool apart = std::all_of(data.begin(), data.end(), fits) &&
                     std::all_of(outputs.begin(), outputs.end(),
                                 [&](const TestTensor& output) {
                                   return !output.dims.empty() && output.dims[0] == batch.frames;
                                 }) &&
                     std::all_of(file.graph.nodes.begin(), file.graph.nodes.end(),
                                 [&](const NodeProto& node) { return keeps_apart(node, batch); });
  return apart ? batch.frames : 1;
}

}  // namespace shingle::conformance
