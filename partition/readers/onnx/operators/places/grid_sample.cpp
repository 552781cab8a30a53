// GridSample of maps: the grid [1, height, width, 2] lies as a map of two channels. A batch of
// maps, as the heads of deformable attention make in the middle of a network, is read map by map.
#include "partition/base/text.hpp"
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/places/places.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"
#include "partition/readers/onnx/operators/selection/selection.hpp"

namespace shingle::onnx {

namespace {

constexpr int64_t most_maps = 256;  // of a batch

// Opset 16 says bilinear and bicubic, opset 20 linear and cubic.
GridSample::Kind kind_of(const Node& node) {
  const std::string_view mode = node.text("mode", "linear");
  if (mode == "linear" || mode == "bilinear") return GridSample::Kind::linear;
  if (mode == "cubic" || mode == "bicubic") return GridSample::Kind::cubic;
  if (mode == "nearest") return GridSample::Kind::nearest;
  node.refuse("its mode is " + in_quotes(mode) + ", and shingle has linear, cubic and nearest");
}

GridSample::Padding padding_of(const Node& node) {
  const std::string_view padding = node.text("padding_mode", "zeros");
  if (padding == "zeros") return GridSample::Padding::zeros;
  if (padding == "border") return GridSample::Padding::border;
  if (padding == "reflection") return GridSample::Padding::reflection;
  node.refuse("its padding_mode is " + in_quotes(padding) +
              ", and shingle has zeros, border and reflection");
}

TensorId places_of(Node& node, const Value& grid) {
  return along_axes(node, grid, {Axis::c, Axis::y, Axis::x, Axis::c});
}

// Each map at the places of its own grid. The results lie side by side as channels.
Box sampled_batch(Node& node, const Box& maps, const Value& grids, const GridSample& how) {
  const Dims dims = sizes(maps.view), places = dims_of(grids);
  std::vector<TensorId> parts;
  for (int64_t i = 0; i < dims[0]; ++i) {
    const Box map = gathered_box(node, maps, 0, {i});
    parts.push_back(sampled(node, map, picked(node, grids, 0, {i}), how).tensor);
  }
  const View view = node.new_map({1, dims[0] * dims[1], places[1], places[2]});
  const Box joined = node.emit(Concat{Axis::c}, std::move(parts), view);
  return reshaped_box(node, joined, {dims[0], dims[1], places[1], places[2]});
}

}  // namespace

Box sampled(Node& node, const Box& map, const Value& grid, const GridSample& how) {
  const Dims dims = sizes(map.view), places = dims_of(grid);
  const View view = node.new_map({1, dims[1], places[1], places[2]});
  return node.emit(how, {places_of(node, grid), node.as_map(map).tensor}, view);
}

void grid_sample(Node& node) {
  const Box maps = node.box(0);
  const Dims dims = sizes(maps.view), grid = node.dims(1);
  const bool fits = dims.size() == 4 && grid.size() == 4 && grid[0] == dims[0] && grid[3] == 2;
  if (!fits) {
    node.refuse("its input " + text_of(dims) + " and its grid " + text_of(grid) +
                " are not NxCxHxW and NxHxWx2");
  }
  if (dims[0] > most_maps) {
    node.refuse("its input " + text_of(dims) + " has more than " + std::to_string(most_maps) +
                " maps");
  }
  const GridSample how{.kind = kind_of(node),
                       .padding = padding_of(node),
                       .align_corners = node.integer("align_corners", 0) != 0};
  if (node.is_constant(1)) static_cast<void>(node.floats(1));  // refuses integers
  const Value& grids = node.value(1);
  node.set(dims[0] == 1 ? sampled(node, maps, grids, how) : sampled_batch(node, maps, grids, how));
}

}  // namespace shingle::onnx
