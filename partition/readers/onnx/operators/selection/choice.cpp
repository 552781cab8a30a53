#include "partition/readers/onnx/operators/selection/choice.hpp"

#include <algorithm>

namespace shingle::onnx {

namespace {

int32_t& along(Shape& shape, Axis axis) {
  return axis == Axis::y ? shape.h : axis == Axis::x ? shape.w : shape.c;
}

// The dims of a box laid out as a map, with choices already made along some of them.
struct Layout {
  Dims dims;
  std::vector<Axis> axes;
};

// The indices along one axis that the choices of its dims give together.
std::vector<int32_t> places(Node& node, const Layout& layout, const Choice& choice, Axis axis) {
  std::vector<int32_t> result{0};
  for (size_t dim = 0; dim < choice.size(); ++dim) {
    if (layout.axes[dim] != axis) continue;
    const auto size = static_cast<int32_t>(layout.dims[dim]);
    const std::vector<int64_t> all = repeated_range(node, choice[dim].empty() ? size : 0, 1);
    const std::vector<int64_t>& indices = choice[dim].empty() ? all : choice[dim];
    node.store().budget.charge(static_cast<int64_t>(result.size() * indices.size()));
    std::vector<int32_t> longer;
    for (const int32_t place : result) {
      for (const int64_t index : indices) {
        longer.push_back(place * size + static_cast<int32_t>(index));
      }
    }
    result = std::move(longer);
  }
  return result;
}

std::optional<int32_t> one_step(const std::vector<int32_t>& places) {
  if (places.size() == 1) return 1;
  const int32_t step = places[1] - places[0];
  for (size_t i = 1; i < places.size(); ++i) {
    if (places[i] - places[i - 1] != step) return std::nullopt;
  }
  return step == 0 ? std::nullopt : std::optional<int32_t>(step);
}

Box taken(Node& node, const Box& box, Axis axis, std::vector<int32_t> places, const View& view) {
  const std::optional<int32_t> step = one_step(places);
  if (!step)
    return node.emit(Gather{.axis = axis, .indices = std::move(places)}, {box.tensor}, view);
  StridedSlice op;
  op.begin[static_cast<size_t>(axis)] = places[0];
  op.step[static_cast<size_t>(axis)] = *step;
  Shape shape = box_shape(box.view);
  along(shape, axis) = static_cast<int32_t>(places.size());
  return node.emit(op, {box.tensor}, view, shape);
}

}  // namespace

Box chosen(Node& node, const Box& box, const Choice& choice) {
  Layout layout{.dims = sizes(box.view), .axes = {}};
  Dims target = layout.dims;
  std::array<bool, 3> changes{};
  for (size_t dim = 0; dim < choice.size(); ++dim) {
    if (!choice[dim].empty()) target[dim] = static_cast<int64_t>(choice[dim].size());
  }
  node.new_map(target);  // refuses sizes beyond the limits
  layout.axes = map_axes(target);
  for (size_t dim = 0; dim < choice.size(); ++dim) {
    const auto axis = static_cast<size_t>(layout.axes[dim]);
    changes[axis] = changes[axis] || !choice[dim].empty();
  }
  if (changes == std::array<bool, 3>{}) return box;
  Box result = node.laid_out(box, arranged(box.view, layout.axes));
  for (const Axis axis : {Axis::y, Axis::x, Axis::c}) {
    if (!changes[static_cast<size_t>(axis)]) continue;
    std::vector<int32_t> from = places(node, layout, choice, axis);
    for (size_t dim = 0; dim < choice.size(); ++dim) {
      if (layout.axes[dim] == axis) layout.dims[dim] = target[dim];
    }
    result = taken(node, result, axis, std::move(from), map_view(layout.dims, layout.axes));
  }
  return result;
}

std::vector<int64_t> repeated_range(Node& node, int64_t size, int64_t times) {
  node.store().budget.charge(size * times);
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < size * times; ++i) indices.push_back(i % size);
  return indices;
}

std::vector<int64_t> spaced(Node& node, int64_t first, int64_t step, int64_t count) {
  node.store().budget.charge(count);
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < count; ++i) indices.push_back(first + i * step);
  return indices;
}

}  // namespace shingle::onnx
