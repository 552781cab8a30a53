#include "partition/readers/onnx/operators/operators.hpp"

#include <unordered_map>

#include "partition/readers/onnx/operators/counts/follow.hpp"
#include "partition/readers/onnx/refusal.hpp"

namespace shingle::onnx {

namespace {

struct Entry {
  std::string_view op;
  Translation translate;
};
constexpr Entry operators[] = {
    {"Conv", conv},
    {"ConvTranspose", conv_transpose},
    {"BatchNormalization", batch_normalization},
    {"Gemm", gemm},
    {"MatMul", matmul},
    {"MaxPool", max_pool},
    {"AveragePool", average_pool},
    {"GlobalAveragePool", global_pool},
    {"GlobalMaxPool", global_pool},
    {"ReduceMean", reduce},
    {"ReduceMax", reduce},
    {"ReduceSum", reduce},
    {"ReduceMin", reduce},
    {"ReduceProd", reduce},
    {"ReduceL1", reduce},
    {"ReduceL2", reduce},
    {"ReduceSumSquare", reduce},
    {"ReduceLogSum", reduce},
    {"ReduceLogSumExp", reduce},
    {"ArgMax", arg_max},
    {"ArgMin", arg_max},
    {"LpPool", lp_pool},
    {"GlobalLpPool", global_lp_pool},
    {"InstanceNormalization", instance_normalization},
    {"GroupNormalization", group_normalization},
    {"RMSNormalization", rms_normalization},
    {"LRN", local_response_normalization},
    {"Softmax", softmax},
    {"LogSoftmax", softmax},
    {"Attention", attention},
    {"RotaryEmbedding", rotary_embedding},
    {"Relu", unary},
    {"LeakyRelu", unary},
    {"Sigmoid", unary},
    {"Silu", unary},
    {"Mish", unary},
    {"Tanh", unary},
    {"HardSigmoid", unary},
    {"HardSwish", unary},
    {"Elu", unary},
    {"Softplus", unary},
    {"Exp", unary},
    {"Log", unary},
    {"Sqrt", unary},
    {"Abs", unary},
    {"Neg", unary},
    {"Reciprocal", unary},
    {"Erf", unary},
    {"Gelu", unary},
    {"Swish", unary},
    {"ThresholdedRelu", unary},
    {"Shrink", unary},
    {"Sign", unary},
    {"Floor", unary},
    {"Ceil", unary},
    {"Round", unary},
    {"Not", unary},
    {"IsNaN", unary},
    {"IsInf", unary},
    {"Sin", unary},
    {"Cos", unary},
    {"Tan", unary},
    {"Asin", unary},
    {"Acos", unary},
    {"Atan", unary},
    {"Sinh", unary},
    {"Cosh", unary},
    {"Asinh", unary},
    {"Acosh", unary},
    {"Atanh", unary},
    {"Selu", selu},
    {"Celu", celu},
    {"Softsign", softsign},
    {"Mean", mean},
    {"LayerNormalization", layer_normalization},
    {"MeanVarianceNormalization", mean_variance_normalization},
    {"Clip", clip},
    {"PRelu", prelu},
    {"Add", binary},
    {"Sub", binary},
    {"Mul", binary},
    {"Div", binary},
    {"Pow", binary},
    {"Max", variadic},
    {"Min", variadic},
    {"Sum", variadic},
    {"Mod", binary},
    {"Equal", compare},
    {"Less", compare},
    {"LessOrEqual", compare},
    {"Greater", compare},
    {"GreaterOrEqual", compare},
    {"And", compare},
    {"Or", compare},
    {"Xor", compare},
    {"Where", where},
    {"CumSum", cum_sum},
    {"Einsum", einsum},
    {"RNN", recurrent},
    {"GRU", recurrent},
    {"LSTM", recurrent},
    {"Trilu", trilu},
    {"EyeLike", eye_like},
    {"OneHot", one_hot},
    {"Hardmax", hardmax},
    {"Identity", pass},
    {"Dropout", dropout},
    {"Cast", cast},
    {"CastLike", cast_like},
    {"Shape", shape},
    {"Size", size},
    {"Reshape", reshape},
    {"Flatten", flatten},
    {"Squeeze", squeeze},
    {"Unsqueeze", unsqueeze},
    {"Transpose", transpose},
    {"DepthToSpace", depth_to_space},
    {"SpaceToDepth", space_to_depth},
    {"Slice", slice},
    {"Split", split},
    {"Gather", gather},
    {"GatherElements", gather_elements},
    {"GatherND", gather_nd},
    {"Scatter", scatter_elements},
    {"ScatterElements", scatter_elements},
    {"ScatterND", scatter_nd},
    {"TopK", top_k},
    {"ReverseSequence", reverse_sequence},
    {"MaxUnpool", max_unpool},
    {"Concat", concat},
    {"Pad", pad},
    {"CenterCropPad", center_crop_pad},
    {"Resize", resize},
    {"Upsample", upsample},
    {"GridSample", grid_sample},
    {"AffineGrid", affine_grid},
    {"RoiAlign", roi_align},
    {"Col2Im", col2im},
    {"DeformConv", deform_conv},
    {"Constant", constant},
    {"ConstantOfShape", constant_of_shape},
    {"Range", range},
    {"Expand", expand},
    {"Tile", tile},
    {"NonMaxSuppression", non_max_suppression},
    {"NonZero", non_zero},
    {"Compress", compress},
    {"If", branch},
};

const std::unordered_map<std::string_view, Translation>& translations() {
  static const auto& table = []() -> const auto& {
    auto& by_op = *new std::unordered_map<std::string_view, Translation>;
    for (const Entry& entry : operators) by_op.emplace(entry.op, entry.translate);
    return by_op;
  }
  ();
  return table;
}

}  // namespace

bool is_read(const NodeProto& node) { return is_of_onnx(node) && translations().contains(node.op); }

void translate(Node& node) {
  const auto found = translations().find(node.op());
  if (found == translations().end() || !node.of_onnx()) node.refuse("shingle does not support it");
  try {
    followed(node, found->second);
  } catch (const Refusal& refusal) {  // thrown by a budget or a tensor, which do not know the node
    if (refusal.names_node) throw;
    node.refuse(refusal.sentence);
  }
}

}  // namespace shingle::onnx
