#include "partition/readers/onnx/operators/counts/follow.hpp"

#include <algorithm>

#include "partition/readers/onnx/operators/counts/carry.hpp"
#include "partition/readers/onnx/operators/counts/lists.hpp"
#include "partition/readers/onnx/operators/counts/rules.hpp"

namespace shingle::onnx {

namespace {

void list_sizes(Node& node, Translation) { shape_of(node); }

struct Entry {
  std::string_view op;
  Rule rule;
};
constexpr Entry rules[] = {
    {"ArgMax", mask_arg},
    {"ArgMin", mask_arg},
    {"Compress", carry_compress},
    {"Concat", carry_concat},
    {"ConstantOfShape", size_constant},
    {"CumSum", mask_sum},
    {"Expand", size_expand},
    {"Flatten", carry_reshape},
    {"Gather", carry_gather},
    {"GatherElements", carry_indices},
    {"GatherND", carry_tuples},
    {"Gemm", carry_rows},
    {"LogSoftmax", mask_softmax},
    {"MatMul", carry_rows},
    {"NonMaxSuppression", mask_scores},
    {"Pad", size_pad},
    {"Range", size_range},
    {"ReduceL1", mask_reduced},
    {"ReduceL2", mask_reduced},
    {"ReduceLogSum", mask_reduced},
    {"ReduceLogSumExp", mask_reduced},
    {"ReduceMax", mask_reduced},
    {"ReduceMean", mask_reduced},
    {"ReduceMin", mask_reduced},
    {"ReduceProd", mask_reduced},
    {"ReduceSum", mask_reduced},
    {"ReduceSumSquare", mask_reduced},
    {"Reshape", carry_reshape},
    {"Scatter", mask_indices},
    {"ScatterElements", mask_indices},
    {"ScatterND", mask_indices},
    {"Shape", list_sizes},
    {"Size", list_sizes},
    {"Slice", size_slice},
    {"Softmax", mask_softmax},
    {"Split", carry_split},
    {"Squeeze", carry_reshape},
    {"Tile", size_tile},
    {"TopK", mask_order},
    {"Transpose", carry_transpose},
    {"Unsqueeze", carry_unsqueeze},
};

// Each element of the output follows from those at the same place, or from where dims of size 1
// are.
constexpr std::string_view elementwise[] = {"Abs",
                                            "Acos",
                                            "Acosh",
                                            "Add",
                                            "And",
                                            "Asin",
                                            "Asinh",
                                            "Atan",
                                            "Atanh",
                                            "Cast",
                                            "CastLike",
                                            "Ceil",
                                            "Celu",
                                            "Clip",
                                            "Cos",
                                            "Cosh",
                                            "Div",
                                            "Dropout",
                                            "Elu",
                                            "Equal",
                                            "Erf",
                                            "Exp",
                                            "Floor",
                                            "Gelu",
                                            "Greater",
                                            "GreaterOrEqual",
                                            "HardSigmoid",
                                            "HardSwish",
                                            "Identity",
                                            "IsInf",
                                            "IsNaN",
                                            "LeakyRelu",
                                            "Less",
                                            "LessOrEqual",
                                            "Log",
                                            "Max",
                                            "Mean",
                                            "Min",
                                            "Mish",
                                            "Mod",
                                            "Mul",
                                            "Neg",
                                            "Not",
                                            "Or",
                                            "PRelu",
                                            "Pow",
                                            "Reciprocal",
                                            "Relu",
                                            "Round",
                                            "Selu",
                                            "Shrink",
                                            "Sigmoid",
                                            "Sign",
                                            "Silu",
                                            "Sin",
                                            "Sinh",
                                            "Softplus",
                                            "Softsign",
                                            "Sqrt",
                                            "Sub",
                                            "Sum",
                                            "Swish",
                                            "Tan",
                                            "Tanh",
                                            "ThresholdedRelu",
                                            "Where",
                                            "Xor"};

Rule rule_of(std::string_view op) {
  for (const Entry& entry : rules)
    if (entry.op == op) return entry.rule;
  return std::ranges::find(elementwise, op) != std::end(elementwise) ? carry_elements : nullptr;
}

// The first input with a size that depends on the model's input; none: there is none.
std::optional<size_t> first_counted(Node& node) {
  for (size_t input = 0; input < node.inputs(); ++input)
    if (!counts_at(node, input).empty()) return input;
  return std::nullopt;
}

bool reads_list(Node& node) {
  for (size_t input = 0; input < node.inputs(); ++input)
    if (node.has(input) && is_amounts(node.value(input))) return true;
  return false;
}

// Operators that take a size from a list, wherever that stands.
bool is_sized(std::string_view op) {
  constexpr std::string_view sized[] = {"ConstantOfShape", "Expand", "Pad", "Range",
                                        "Reshape",         "Slice",  "TopK"};
  return std::ranges::find(sized, op) != std::end(sized);
}

// A cast leaves the answer whether a count is 0 what it is.
bool passes_answer(Node& node) {
  if (node.op() != "Cast" && node.op() != "Identity") return false;
  const Box* box = node.has(0) ? std::get_if<Box>(&node.value(0)) : nullptr;
  return box != nullptr && box->says_none;
}

}  // namespace

void followed(Node& node, Translation translate) {
  if (passes_answer(node)) {
    translate(node);
    if (Value* made = node.made(0)) std::get<Box>(*made).says_none = true;
    return;
  }
  const std::optional<size_t> counted = first_counted(node);
  const bool lists = reads_list(node);
  if (node.op() == "NonZero") return mask_zeros(node, translate);
  if (!counted && !lists) return translate(node);
  if (!node.wants(0) && node.op() != "TopK") node.refuse("its first output has no name");
  if (lists && made_list(node, translate)) return;
  const Rule rule = rule_of(node.op());
  if (rule != nullptr && (counted || is_sized(node.op()))) return rule(node, translate);
  if (!counted) {  // the list's elements are a value like any other
    translate(node);
    Value* made = node.made(0);
    if (Box* box = made == nullptr ? nullptr : std::get_if<Box>(made)) box->amounts.clear();
    return;
  }
  const Counted first = counts_at(node, *counted)[0];
  node.refuse("dimension " + std::to_string(first.dim) + " of its input " +
              std::to_string(*counted) + " has a size that depends on the model's input (at most " +
              std::to_string(first.count.high()) +
              "), and shingle does not follow such sizes through this operator");
}

}  // namespace shingle::onnx
