// Gemm and MatMul. A product with a constant along one dim is a 1x1 convolution if that dim is the
// channel axis; a stack of matrices is a convolution in groups.
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/product.hpp"
#include "partition/readers/onnx/patterns/chains.hpp"

namespace shingle::onnx {

namespace {

// The matrices that multiply one dim of a box.
struct Matrices {
  FloatView values;  // [groups][outputs][inputs]
  int64_t groups = 1, outputs = 0, inputs = 0;
  Dims stack;  // by dim of the box: number of matrices along it
};

FloatView owned(Node& node, std::vector<float> values) {
  const ConstantId id = add_constant(node.model(), std::move(values));
  return node.model().at(id);
}

FloatView scaled(Node& node, FloatView view, float factor) {
  if (factor == 1.0F) return view;
  node.store().budget.charge(view.count);
  std::vector<float> values;
  values.reserve(static_cast<size_t>(view.count));
  for (int64_t i = 0; i < view.count; ++i) values.push_back(view[i] * factor);
  return owned(node, std::move(values));
}

// [groups][inputs][outputs]: each matrix transposed.
FloatView turned(Node& node, FloatView view, const Matrices& shape) {
  node.store().budget.charge(view.count);
  std::vector<float> values;
  values.reserve(static_cast<size_t>(view.count));
  const int64_t size = shape.inputs * shape.outputs;
  for (int64_t group = 0; group < shape.groups; ++group) {
    for (int64_t o = 0; o < shape.outputs; ++o) {
      for (int64_t i = 0; i < shape.inputs; ++i) {
        values.push_back(view[group * size + i * shape.outputs + o]);
      }
    }
  }
  return owned(node, std::move(values));
}

enum class WeightOrder : uint8_t { outputs_first, inputs_first };

// A constant operand of a product with a box of `rank` dims. REQUIRES: it has at most `rank` dims.
Matrices matrices_of(Node& node, const Constant& constant, size_t rank, WeightOrder order) {
  const Dims& dims = constant.dims;
  if (dims.size() < 2 || constant.count() == 0) {
    node.refuse("its constant operand is " + text_of(dims) + ", and shingle takes matrices");
  }
  Matrices matrices{.values = constant.floats, .stack = Dims(rank, 1)};
  for (size_t dim = 0; dim + 2 < dims.size(); ++dim) {
    matrices.stack[rank - dims.size() + dim] = dims[dim];
    matrices.groups *= dims[dim];
  }
  matrices.outputs = dims[dims.size() - 2];
  matrices.inputs = dims[dims.size() - 1];
  if (order == WeightOrder::inputs_first) {
    std::swap(matrices.outputs, matrices.inputs);
    matrices.values = turned(node, constant.floats, matrices);
  }
  return matrices;
}

// The view with another size of the dim that is innermost in its channels.
View with_innermost(View view, size_t dim, int64_t size) {
  if (view.dims[dim].empty()) {  // size 1 so far
    const auto index = static_cast<int32_t>(view.factors.size());
    view.factors.push_back(1);
    view.dims[dim].push_back(index);
    view.box[static_cast<size_t>(Axis::c)].push_back(index);
  }
  view.factors[static_cast<size_t>(view.dims[dim].front())] = static_cast<int32_t>(size);
  return normalised(view);
}

Box contracted(Node& node, const Box& box, size_t dim, const Matrices& matrices,
               std::optional<ConstantId> bias) {
  const Dims dims = sizes(box.view);
  std::vector<bool> marked(dims.size(), false);
  bool fits = dims[dim] == matrices.inputs;
  for (size_t other = 0; other < dims.size(); ++other) {
    marked[other] = other == dim || matrices.stack[other] != 1;
    fits = fits && (matrices.stack[other] == 1 || matrices.stack[other] == dims[other]);
  }
  if (!fits) {
    node.refuse("its operands " + text_of(dims) + " and " + std::to_string(matrices.groups) +
                " matrices of " + std::to_string(matrices.inputs) + " inputs do not fit");
  }
  const Box laid = node.laid_out(box, isolated(box.view, marked));
  const View view = with_innermost(laid.view, dim, matrices.outputs);
  Convolution op{.y = {},
                 .x = {},
                 .groups = static_cast<int32_t>(matrices.groups),
                 .weights = node.constant_id(matrices.values),
                 .bias = bias};
  const Box read = absorbed(node, laid, op);
  return node.emit(op, {read.tensor}, view);
}

// The third operand of Gemm, times `beta`.
std::optional<Value> gemm_addend(Node& node) {
  if (!node.has(2)) return std::nullopt;
  const float beta = node.number("beta", 1.0F);
  if (node.is_constant(2)) {
    Constant addend = node.floats(2);
    addend.floats = scaled(node, addend.floats, beta);
    return addend;
  }
  const Box box = node.box(2);
  if (beta == 1.0F) return box;
  return combine(node, Binary::Kind::mul, box, beta);
}

// The addend as one bias per output; none if it differs from row to row.
std::optional<ConstantId> as_bias(Node& node, const std::optional<Value>& addend, int64_t outputs) {
  const Constant* known = addend ? std::get_if<Constant>(&*addend) : nullptr;
  if (known == nullptr) return std::nullopt;
  if (known->count() == 1) {
    node.store().budget.charge(outputs);
    return add_constant(node.model(),
                        std::vector<float>(static_cast<size_t>(outputs), known->floats[0]));
  }
  if (known->count() != outputs || known->dims.back() != outputs) return std::nullopt;
  return node.constant_id(known->floats);
}

constexpr int64_t turn[] = {1, 0};

Box with_addend(Node& node, const Box& result, const std::optional<Value>& addend) {
  if (!addend) return result;
  const Dims dims = sizes(result.view);
  const Box sum = combine(node, Binary::Kind::add, result, *addend);
  if (sizes(sum.view) != dims) node.refuse("its third operand does not fit " + text_of(dims));
  return sum;
}

Box product_of_values(Node& node, const Box& a) {
  Box b = node.box(1);
  if (node.integer("transB", 0) != 0) b.view = transposed(b.view, turn);
  const float alpha = node.number("alpha", 1.0F);
  const Box result = product(node, a, b);
  return alpha == 1.0F ? result : combine(node, Binary::Kind::mul, result, alpha);
}

}  // namespace

void gemm(Node& node) {
  Box box = node.box(0);
  if (box.view.dims.size() != 2 || node.dims(1).size() != 2) {
    node.refuse("its operands " + text_of(node.dims(0)) + " and " + text_of(node.dims(1)) +
                " are not two matrices");
  }
  if (node.integer("transA", 0) != 0) box.view = transposed(box.view, turn);
  const std::optional<Value> addend = gemm_addend(node);
  if (!node.is_constant(1)) {
    return node.set(with_addend(node, product_of_values(node, box), addend));
  }
  const bool turned_over = node.integer("transB", 0) != 0;
  Matrices matrix =
      matrices_of(node, node.floats(1), 2,
                  turned_over ? WeightOrder::outputs_first : WeightOrder::inputs_first);
  matrix.values = scaled(node, matrix.values, node.number("alpha", 1.0F));
  const std::optional<ConstantId> bias = as_bias(node, addend, matrix.outputs);
  const Box result = contracted(node, box, 1, matrix, bias);
  node.set(bias ? result : with_addend(node, result, addend));
}

namespace {

// A vector has one dim of size 1 more: before its own as a first operand, behind it as a second.
Value as_matrix(Node& node, size_t input) {
  const bool vector = node.dims(input).size() == 1;
  if (node.is_constant(input)) {
    Constant constant = node.floats(input);
    if (vector) constant.dims.insert(input == 0 ? constant.dims.begin() : constant.dims.end(), 1);
    return constant;
  }
  Box box = node.box(input);
  if (vector) {
    auto& dims = box.view.dims;
    dims.emplace(input == 0 ? dims.begin() : dims.end());
  }
  if (box.view.dims.size() < 2) node.refuse("its operand is " + text_of(sizes(box.view)));
  return box;
}

}  // namespace

Box matrix_product(Node& node, const Value& a, const Value& b) {
  const Box* first = std::get_if<Box>(&a);
  const Box* second = std::get_if<Box>(&b);
  if (first != nullptr && second != nullptr) return product(node, *first, *second);
  Box box = first != nullptr ? *first : *second;
  const Constant& constant = std::get<Constant>(first != nullptr ? b : a);
  const size_t rank = std::max(box.view.dims.size(), constant.dims.size());
  box.view = padded(box.view, rank);  // the stack may have dims of size 1
  const WeightOrder order =
      first != nullptr ? WeightOrder::inputs_first : WeightOrder::outputs_first;
  const Matrices matrices = matrices_of(node, constant, rank, order);
  return contracted(node, box, first != nullptr ? rank - 1 : rank - 2, matrices, std::nullopt);
}

void matmul(Node& node) {
  if (node.is_constant(0)) static_cast<void>(node.box(1));  // refuses two constants
  const bool row = node.dims(0).size() == 1, column = node.dims(1).size() == 1;
  Box result = matrix_product(node, as_matrix(node, 0), as_matrix(node, 1));
  auto& dims = result.view.dims;
  if (column) dims.pop_back();
  if (row) dims.erase(dims.end() - (column ? 1 : 2));
  node.set(result);
}

}  // namespace shingle::onnx
