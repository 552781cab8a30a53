// Gemm and MatMul with a constant: a contraction along one dim is a 1x1 convolution once that dim
// is the channel axis.
#include "partition/onnx/operators.hpp"

namespace shingle::onnx {

namespace {

struct Matrix {
  FloatView values;  // [outputs][inputs]
  int64_t outputs = 0, inputs = 0;
};

// [inputs][outputs] times `factor`, turned over.
Matrix turned(Node& node, const Constant& constant, float factor) {
  const int64_t inputs = constant.dims[0], outputs = constant.dims[1];
  std::vector<float> values;
  node.store().budget.charge(inputs * outputs);
  values.reserve(static_cast<size_t>(inputs * outputs));
  for (int64_t o = 0; o < outputs; ++o) {
    for (int64_t i = 0; i < inputs; ++i) {
      values.push_back(constant.floats[i * outputs + o] * factor);
    }
  }
  const ConstantId id = add_constant(node.model(), std::move(values));
  return {.values = node.model().at(id), .outputs = outputs, .inputs = inputs};
}

std::vector<float> scaled(Node& node, FloatView view, float factor) {
  node.store().budget.charge(view.count);
  std::vector<float> values;
  for (int64_t i = 0; i < view.count; ++i) values.push_back(view[i] * factor);
  return values;
}

// A constant of two dims; leading dims of size 1 are dropped.
Constant matrix_of(Node& node, size_t input) {
  Constant matrix = node.floats(input);
  while (matrix.dims.size() > 2 && matrix.dims[0] == 1) matrix.dims.erase(matrix.dims.begin());
  if (matrix.dims.size() != 2) {
    node.refuse("its constant operand is " + text_of(matrix.dims) + ", and shingle takes a matrix");
  }
  return matrix;
}

Box contracted(Node& node, const Box& box, size_t dim, const Matrix& matrix,
               std::optional<ConstantId> bias) {
  std::vector<bool> marked(box.view.dims.size(), false);
  marked[dim] = true;
  if (size_of(box.view, dim) != matrix.inputs || matrix.outputs < 1) {
    node.refuse("its operands " + text_of(sizes(box.view)) + " and a matrix of " +
                std::to_string(matrix.inputs) + " inputs do not fit");
  }
  const Box laid = node.laid_out(box, isolated(box.view, marked));
  const std::optional<Digit> digit = digit_of(laid.view, dim);  // it is the whole channel axis
  const View view = resized(*digit, matrix.outputs);
  return node.emit(
      Convolution{
          .y = {}, .x = {}, .groups = 1, .weights = node.constant_id(matrix.values), .bias = bias},
      {laid.tensor}, view);
}

// The third operand of Gemm as one bias for each output.
std::optional<ConstantId> gemm_bias(Node& node, int64_t outputs) {
  if (!node.has(2)) return std::nullopt;
  const Constant& bias = node.floats(2);
  const float beta = node.number("beta", 1.0F);
  if (bias.count() != 1 && (bias.count() != outputs || bias.dims.back() != outputs)) {
    node.refuse("its bias is " + text_of(bias.dims) + " for " + std::to_string(outputs) +
                " outputs");
  }
  if (bias.count() == outputs && beta == 1.0F) return node.constant_id(bias.floats);
  std::vector<float> values = scaled(node, bias.floats, beta);
  if (bias.count() == 1) values.assign(static_cast<size_t>(outputs), values[0]);
  return add_constant(node.model(), std::move(values));
}

}  // namespace

void gemm(Node& node) {
  const Box box = node.box(0);
  if (box.view.dims.size() != 2 || node.integer("transA", 0) != 0) {
    node.refuse("its first operand is not a row of features");
  }
  const float alpha = node.number("alpha", 1.0F);
  const Constant weights = matrix_of(node, 1);
  Matrix matrix;
  if (node.integer("transB", 0) == 0) {
    matrix = turned(node, weights, alpha);
  } else {
    matrix = {.values = weights.floats, .outputs = weights.dims[0], .inputs = weights.dims[1]};
    if (alpha != 1.0F) {
      const ConstantId id = add_constant(node.model(), scaled(node, weights.floats, alpha));
      matrix.values = node.model().at(id);
    }
  }
  node.set(contracted(node, box, 1, matrix, gemm_bias(node, matrix.outputs)));
}

void matmul(Node& node) {
  const bool constant_first = node.is_constant(0);
  if (!constant_first && !node.is_constant(1)) {
    node.refuse("both operands depend on the model's input, and shingle multiplies by constants");
  }
  Box box = node.box(constant_first ? 1 : 0);
  if (box.view.dims.size() < 2) node.refuse("its operand is " + text_of(sizes(box.view)));
  const size_t rank = std::max(node.dims(0).size(), node.dims(1).size());
  box.view = padded(box.view, rank);  // the matrix may stand in dims of size 1
  if (constant_first) {
    const Constant rows = matrix_of(node, 0);
    const Matrix matrix{.values = rows.floats, .outputs = rows.dims[0], .inputs = rows.dims[1]};
    return node.set(contracted(node, box, rank - 2, matrix, std::nullopt));
  }
  const Matrix matrix = turned(node, matrix_of(node, 1), 1.0F);
  node.set(contracted(node, box, rank - 1, matrix, std::nullopt));
}

}  // namespace shingle::onnx
