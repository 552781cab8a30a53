// Slice, Split and Gather: a part of one dim. The dim may be any digit of any axis. The part is a
// StridedSlice of the box if its indices along that axis have a constant step, otherwise a Gather.
#include "partition/readers/onnx/operators/selection/selection.hpp"

#include <algorithm>

#include "partition/readers/onnx/operators/movement.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/selection/parts.hpp"

namespace shingle::onnx {

namespace {

// A run of equally spaced indices along a dim.
struct Run {
  int64_t begin = 0, step = 1, count = 0;
};

int32_t& axis_size(Shape& shape, Axis axis) {
  return axis == Axis::y ? shape.h : axis == Axis::x ? shape.w : shape.c;
}

// The run of indices along the box's axis that selects `run` along its digit; none if they are not
// one run.
std::optional<Run> run_along_axis(const Digit& digit, const Run& run, int64_t size) {
  if (digit.outer == 1 && digit.inner == 1) return run;
  if (digit.outer == 1 && (run.step == 1 || run.count == 1)) {
    return Run{.begin = run.begin * digit.inner, .step = 1, .count = run.count * digit.inner};
  }
  if (run.count == 1 && digit.inner == 1) {
    return Run{.begin = run.begin, .step = size, .count = digit.outer};
  }
  return std::nullopt;
}

// A slice of a slice is one slice, so the two spatial steps of a focus layer become one layer.
struct Sliced {
  TensorId tensor;
  StridedSlice op;
};

Sliced through_slice(Node& node, TensorId tensor, StridedSlice op) {
  const Layer* layer = node.maker(tensor);
  const auto* inner = layer == nullptr ? nullptr : std::get_if<StridedSlice>(&layer->op);
  if (inner == nullptr || layer->activation.kind != Activation::Kind::none) return {tensor, op};
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t step = int64_t{op.step[axis]} * inner->step[axis];
    if (step > INT32_MAX || step < INT32_MIN) return {tensor, op};
  }
  for (size_t axis = 0; axis < 3; ++axis) {
    op.begin[axis] = inner->begin[axis] + op.begin[axis] * inner->step[axis];
    op.step[axis] *= inner->step[axis];
  }
  return {layer->inputs[0], op};
}

Digit digit_for(Node& node, Box& box, size_t dim) {
  std::optional<Digit> digit = digit_of(box.view, dim);
  if (!digit) {
    box = node.as_map(box);  // in which every dim is one digit
    digit = digit_of(box.view, dim);
  }
  return *digit;
}

Box sliced(Node& node, const Box& box, const Digit& digit, const Run& run, const View& view) {
  StridedSlice op;
  const auto axis = static_cast<size_t>(digit.axis);
  op.begin[axis] = static_cast<int32_t>(run.begin);
  op.step[axis] = static_cast<int32_t>(run.step);
  Shape shape = box_shape(box.view);
  axis_size(shape, digit.axis) = static_cast<int32_t>(run.count);
  if (run.step == 1) {
    const std::optional<Part> part =
        whole_part(node, box.tensor, digit.axis, op.begin[axis], static_cast<int32_t>(run.count));
    if (part) return {.tensor = part->tensor, .view = view, .sole = part->is_new};
  }
  const Sliced merged = through_slice(node, box.tensor, op);
  return node.emit(merged.op, {merged.tensor}, view, shape);
}

}  // namespace

Box gathered_box(Node& node, Box box, size_t dim, const std::vector<int64_t>& indices) {
  if (indices.empty()) node.refuse("nothing is left of its input");
  const int64_t size = size_of(box.view, dim);
  const Digit digit = digit_for(node, box, dim);
  const auto count = static_cast<int64_t>(indices.size());
  const int64_t along = digit.outer * digit.inner;  // neither exceeds the axis
  if (count > node.store().limits.max_elements / along) node.refuse("its output is too large");
  node.store().budget.charge(along * count);
  Gather op{.axis = digit.axis, .indices = {}};
  for (int64_t outer = 0; outer < digit.outer; ++outer) {
    for (const int64_t index : indices) {
      for (int64_t inner = 0; inner < digit.inner; ++inner) {
        op.indices.push_back(static_cast<int32_t>((outer * size + index) * digit.inner + inner));
      }
    }
  }
  return node.emit(std::move(op), {box.tensor}, resized(digit, count));
}

namespace {

Box taken(Node& node, Box box, size_t dim, const Run& run) {
  const int64_t size = size_of(box.view, dim);
  if (run.begin == 0 && run.step == 1 && run.count == size) return box;
  const Digit digit = digit_for(node, box, dim);
  const std::optional<Run> along = run_along_axis(digit, run, size);
  if (along) return sliced(node, box, digit, *along, resized(digit, run.count));
  std::vector<int64_t> indices;
  node.store().budget.charge(run.count, 8);
  for (int64_t i = 0; i < run.count; ++i) indices.push_back(run.begin + i * run.step);
  return gathered_box(node, box, dim, indices);
}

// The indices that starts, ends and steps of a Slice select on a dim of `size`.
Run run_of(Node& node, int64_t begin, int64_t end, int64_t step, int64_t size) {
  if (step == 0) node.refuse("its step is 0");
  if (begin < 0) begin = begin < -size ? -1 : begin + size;
  if (end < 0) end = end < -size ? -1 : end + size;
  if (step > 0) {
    begin = std::clamp<int64_t>(begin, 0, size);
    end = std::clamp<int64_t>(end, 0, size);
    const int64_t reach = std::max<int64_t>(end - begin, 0);
    if (step >= size) step = std::max<int64_t>(size, 1);
    return {.begin = begin, .step = step, .count = (reach + step - 1) / step};
  }
  begin = std::clamp<int64_t>(begin, -1, size - 1);
  end = std::clamp<int64_t>(end, -1, size - 1);
  const int64_t reach = std::max<int64_t>(begin - end, 0);
  if (step <= -size) step = -std::max<int64_t>(size, 1);
  return {.begin = std::max<int64_t>(begin, 0), .step = step, .count = (reach - step - 1) / -step};
}

Value part_of(Node& node, const Value& value, size_t dim, const Run& run) {
  if (const Constant* known = std::get_if<Constant>(&value)) {
    Walk walk{.dims = known->dims, .strides = row_major_strides(known->dims)};
    walk.begin = run.begin * walk.strides[dim];
    walk.strides[dim] *= run.step;
    walk.dims[dim] = run.count;
    return walked(node, *known, walk);
  }
  const Box& box = std::get<Box>(value);
  if (run.count > 0) return taken(node, box, dim, run);
  Dims nothing = sizes(box.view);  // depends on no input
  nothing[dim] = 0;
  return box.numbers == Numbers::real ? node.store().floats(nothing, {})
                                      : node.store().integers(nothing, {});
}

int64_t size_along(const Value& value, size_t dim) {
  const Box* box = std::get_if<Box>(&value);
  return box != nullptr ? size_of(box->view, dim) : std::get<Constant>(value).dims[dim];
}

// As many parts as there are outputs. From opset 18 on the last part may be smaller than the
// others.
Dims even_parts(Node& node, int64_t size) {
  const auto outputs = static_cast<int64_t>(node.outputs());
  const int64_t count = node.integer("num_outputs", outputs);
  const bool fits = count >= 1 && count == outputs;
  const int64_t part = fits ? (size + count - 1) / count : 0;
  const bool uneven = node.opset() >= 18;
  if (!fits || (count - 1) * part > size || (!uneven && part * count != size)) {
    node.refuse("it splits " + std::to_string(size) + " into " + std::to_string(count) + " parts");
  }
  Dims parts(static_cast<size_t>(count), part);
  parts.back() = size - (count - 1) * part;
  return parts;
}

Dims split_sizes(Node& node, int64_t size) {
  Dims parts = node.opset() >= 13 && node.has(1) ? node.integer_list(1) : node.integers("split");
  if (parts.empty()) parts = even_parts(node, size);
  int64_t left = size;
  for (const int64_t part : parts) {
    if (part < 0 || part > left) node.refuse("its parts do not make up its input");
    left -= part;
  }
  if (left != 0 || parts.size() < node.outputs()) {
    node.refuse("its parts do not make up its input");
  }
  return parts;
}

// The indices checked against the size of a dim; negative ones are counted from its end.
std::vector<int64_t> checked_indices(Node& node, const Constant& indices, int64_t size) {
  if (!indices.integer) node.refuse("its indices are not integers");
  std::vector<int64_t> checked;
  node.store().budget.charge(indices.count(), 8);
  for (const int64_t index : indices.integers) {
    if (index < -size || index >= size) {
      node.refuse("its index " + std::to_string(index) + " is not one of " + std::to_string(size));
    }
    checked.push_back(index < 0 ? index + size : index);
  }
  return checked;
}

}  // namespace

void slice(Node& node) {
  const bool by_attribute = node.opset() < 10;
  const auto list = [&](size_t input, std::string_view name) {
    if (by_attribute) return node.integers(name);
    return node.has(input) ? node.integer_list(input) : Dims{};
  };
  const Dims starts = list(1, "starts"), ends = list(2, "ends"), steps = list(4, "steps");
  Dims axes = list(3, "axes");
  if (axes.empty()) {
    for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  const bool agree = ends.size() == starts.size() && axes.size() == starts.size() &&
                     (steps.empty() || steps.size() == starts.size());
  if (!agree) node.refuse("its starts, ends, axes and steps differ in number");
  const Value* current = &node.value(0);
  Value part;
  const size_t rank = node.dims(0).size();
  if (starts.size() > rank) node.refuse("it has more axes than its input");
  for (size_t i = 0; i < starts.size(); ++i) {
    const size_t dim = node.axis(axes[i], rank);
    const Run run =
        run_of(node, starts[i], ends[i], steps.empty() ? 1 : steps[i], size_along(*current, dim));
    part = part_of(node, *current, dim, run);
    current = &part;
  }
  node.set(*current);
}

void split(Node& node) {
  const Dims dims = node.dims(0);
  const size_t dim = node.axis(node.integer("axis", 0), dims.size());
  const Dims parts = split_sizes(node, dims[dim]);
  const Value& value = node.value(0);
  int64_t begin = 0;
  for (size_t output = 0; output < node.outputs(); ++output) {
    node.set(output, part_of(node, value, dim, {.begin = begin, .count = parts[output]}));
    begin += parts[output];
  }
}

void gather(Node& node) {
  if (!node.is_constant(1)) return gather_at_values(node);
  const Dims dims = node.dims(0);
  const size_t dim = node.axis(node.integer("axis", 0), dims.size());
  const Constant& indices = node.constant(1);
  const std::vector<int64_t> checked = checked_indices(node, indices, dims[dim]);
  if (node.is_constant(0)) return node.set(gathered(node, node.constant(0), dim, indices));
  Box box = checked.size() == 1 ? taken(node, node.box(0), dim, {.begin = checked[0], .count = 1})
                                : gathered_box(node, node.box(0), dim, checked);
  // Splitting one dim into several is always possible.
  box.view = *reshaped(box.view, replaced_dims(sizes(box.view), dim, 1, indices.dims));
  node.set(box);
}

}  // namespace shingle::onnx
