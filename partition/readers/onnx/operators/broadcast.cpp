#include "partition/readers/onnx/operators/broadcast.hpp"

#include "partition/readers/onnx/operators/reshape.hpp"

namespace shingle::onnx {

namespace {

// An axis of a map is broadcast as a whole or not at all. So this is `from` after stretching, to
// their size in `out`, those dims that share their axis with dims that are not stretched.
Dims stretched_in_part(const Dims& from, const Dims& out, const std::vector<Axis>& axes) {
  Dims part = from;
  for (size_t dim = 0; dim < out.size(); ++dim) {
    for (size_t other = 0; other < out.size(); ++other) {
      const bool shared = axes[other] == axes[dim];
      if (shared && from[other] == out[other] && out[other] != 1) part[dim] = out[dim];
    }
  }
  return part;
}

// The axes of a result: those of an operand that is as large, so that it need not move. Where both
// are and lie differently, the one that has its features in the channels stays, as matrix products
// give and need it. If no operand lies along axes, but one has its last dim in the channels, the
// result has it there too.
std::vector<Axis> axes_of_result(const Dims& out, const Box* first, const Box* second) {
  std::vector<View> full;
  bool has_features = false;
  for (const Box* box : {first, second}) {
    if (box == nullptr) continue;
    const View view = padded(box->view, out.size());
    if (sizes(view) != out) continue;
    if (lying_axes(view)) full.push_back(view);
    std::vector<bool> last(out.size(), false);
    last.back() = true;
    has_features = has_features || axis_of(view, last) == Axis::c;
  }
  if (full.size() == 1) return *lying_axes(full[0]);
  for (const View& view : full)
    if (has_channels_last(view)) return *lying_axes(view);
  if (full.empty() && has_features && out.size() > 1 && out.size() <= 3)
    return channels_last_axes(out.size());
  return map_axes(out);
}

// An operand in a box of its own, with each dim of the result in the axis that `axes` names.
TensorId operand_of(Node& node, const Value& value, const Dims& out,
                    const std::vector<Axis>& axes) {
  if (const Constant* constant = std::get_if<Constant>(&value)) {
    Dims dims(out.size() - constant->dims.size(), 1);
    dims.insert(dims.end(), constant->dims.begin(), constant->dims.end());
    return spread(node, map_view(dims, axes), *constant);
  }
  Box box = std::get<Box>(value);
  box.view = padded(box.view, out.size());
  box = stretched(node, box, stretched_in_part(sizes(box.view), out, axes));
  return node.laid_out(box, arranged(box.view, axes)).tensor;
}

// For each place along one axis of a box: the part of the index into `constant` that this axis
// decides.
std::vector<int64_t> offsets_along(const View& view, const std::vector<int32_t>& axis,
                                   const std::vector<int64_t>& strides) {
  std::vector<int64_t> offsets{0};
  for (const int32_t index : axis) {
    const auto digit = static_cast<size_t>(index);
    std::vector<int64_t> longer;
    for (const int64_t offset : offsets) {
      for (int64_t i = 0; i < view.factors[digit]; ++i) {
        longer.push_back(offset + i * strides[digit]);
      }
    }
    offsets = std::move(longer);
  }
  return offsets;
}

// By factor of the view: its step in the constant; 0 if the constant is stretched along it.
std::vector<int64_t> factor_strides(const View& view, const std::vector<int64_t>& dim_strides) {
  std::vector<int64_t> strides(view.factors.size(), 0);
  for (size_t dim = 0; dim < view.dims.size(); ++dim) {
    int64_t stride = dim_strides[dim];
    for (auto index = view.dims[dim].rbegin(); index != view.dims[dim].rend(); ++index) {
      strides[static_cast<size_t>(*index)] = stride;
      stride *= view.factors[static_cast<size_t>(*index)];
    }
  }
  return strides;
}

// True if `part` lies as `full` does, where it is not of size 1: then it is broadcast along whole
// axes of the box of `full`. Both have the same rank.
bool lies_within(const View& part, const View& full) {
  const Dims sizes_of_part = sizes(part), sizes_of_full = sizes(full);
  std::vector<bool> stretched;
  for (size_t dim = 0; dim < sizes_of_full.size(); ++dim) {
    if (sizes_of_part[dim] != 1 && sizes_of_part[dim] != sizes_of_full[dim]) return false;
    stretched.push_back(sizes_of_part[dim] != sizes_of_full[dim]);
  }
  return whole_axes(full, stretched).has_value() && collapsed(full, stretched) == part;
}

}  // namespace

Dims broadcast(Node& node, const Dims& a, const Dims& b) {
  const Dims& longer = a.size() >= b.size() ? a : b;
  const Dims& shorter = a.size() >= b.size() ? b : a;
  Dims out = longer;
  const size_t lead = longer.size() - shorter.size();
  for (size_t dim = lead; dim < out.size(); ++dim) {
    const int64_t other = shorter[dim - lead];
    if (out[dim] != other && out[dim] != 1 && other != 1) {
      node.refuse("its operands " + text_of(a) + " and " + text_of(b) + " do not fit together");
    }
    if (out[dim] == 1) out[dim] = other;
  }
  return out;
}

std::vector<int64_t> broadcast_strides(const Dims& operand, const Dims& dims) {
  std::vector<int64_t> strides(dims.size(), 0);
  int64_t stride = 1;
  for (size_t back = 1; back <= operand.size(); ++back) {
    const int64_t size = operand[operand.size() - back];
    if (size > 1) strides[dims.size() - back] = stride;
    stride *= size;
  }
  return strides;
}

TensorId spread(Node& node, const View& view, const Constant& constant) {
  const std::vector<int64_t> strides =
      factor_strides(view, broadcast_strides(constant.dims, sizes(view)));
  std::array<std::vector<int64_t>, 3> offsets;
  for (size_t axis = 0; axis < 3; ++axis) {
    bool varies = false;
    int64_t size = 1;
    for (const int32_t index : view.box[axis]) {
      varies = varies || strides[static_cast<size_t>(index)] != 0;
      size *= view.factors[static_cast<size_t>(index)];
    }
    node.store().budget.charge(varies ? size : 1);
    offsets[axis] = varies ? offsets_along(view, view.box[axis], strides) : std::vector<int64_t>{0};
  }
  const auto& [ys, xs, cs] = offsets;
  const Shape shape{static_cast<int32_t>(ys.size()), static_cast<int32_t>(xs.size()),
                    static_cast<int32_t>(cs.size())};
  node.store().budget.charge(shape.elements());
  std::vector<float> values;
  values.reserve(static_cast<size_t>(shape.elements()));
  for (const int64_t y : ys) {
    for (const int64_t x : xs) {
      for (const int64_t c : cs) values.push_back(static_cast<float>(constant.at(y + x + c)));
    }
  }
  return node.constant_tensor(shape, std::move(values));
}

TensorId along_axes(Node& node, const Value& value, const std::vector<Axis>& axes) {
  if (const Constant* known = std::get_if<Constant>(&value))
    return spread(node, map_view(known->dims, axes), *known);
  const Box& box = std::get<Box>(value);
  return node.laid_out(box, arranged(box.view, axes)).tensor;
}

Box combine(Node& node, Binary::Kind kind, const Value& a, const Value& b) {
  const Dims out = broadcast(node, dims_of(a), dims_of(b));
  node.new_map(out);  // refuses sizes beyond the limits
  const Box* first = std::get_if<Box>(&a);
  const Box* second = std::get_if<Box>(&b);
  const auto padded_view = [&](const Box& box) { return padded(box.view, out.size()); };

  // Without any move if both have the same layout, as far as they have the same dims.
  if (first != nullptr && second != nullptr) {
    const View left = padded_view(*first), right = padded_view(*second);
    const std::vector<TensorId> operands{first->tensor, second->tensor};
    if (lies_within(right, left)) return node.emit(Binary{kind}, operands, left);
    if (lies_within(left, right)) return node.emit(Binary{kind}, operands, right);
  }
  if (second == nullptr && sizes(padded_view(*first)) == out) {
    const View view = padded_view(*first);
    return node.emit(Binary{kind}, {first->tensor, spread(node, view, std::get<Constant>(b))},
                     view);
  }
  if (first == nullptr && sizes(padded_view(*second)) == out) {
    const View view = padded_view(*second);
    return node.emit(Binary{kind}, {spread(node, view, std::get<Constant>(a)), second->tensor},
                     view);
  }
  const std::vector<Axis> axes = axes_of_result(out, first, second);
  const TensorId left = operand_of(node, a, out, axes);
  const TensorId right = operand_of(node, b, out, axes);
  return node.emit(Binary{kind}, {left, right}, map_view(out, axes));
}

Box combine(Node& node, Binary::Kind kind, const Box& a, float b) {
  return combine(node, kind, a, node.store().floats({}, {b}));
}

Value aligned_operand(Node& node) {
  const Value& b = node.value(1);
  if (node.opset() >= 7 || !node.has_attribute("axis")) return b;
  const size_t rank = node.dims(0).size(), operand_rank = node.dims(1).size();
  const size_t axis = node.axis(node.integer("axis", 0), rank);
  if (axis + operand_rank > rank) {
    node.refuse("its operands " + text_of(node.dims(0)) + " and " + text_of(node.dims(1)) +
                " do not fit together");
  }
  const size_t behind = rank - axis - operand_rank;
  if (const Constant* known = std::get_if<Constant>(&b)) {
    Constant longer = *known;
    longer.dims.resize(operand_rank + behind, 1);
    return longer;
  }
  Box longer = std::get<Box>(b);
  longer.view.dims.resize(operand_rank + behind);
  return longer;
}

}  // namespace shingle::onnx
