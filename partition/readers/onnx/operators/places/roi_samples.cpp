#include "partition/readers/onnx/operators/places/roi_samples.hpp"

#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/places/places.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"

namespace shingle::onnx {

namespace {

// 1 where a place is at most one pixel off the map, otherwise 0.
Value near(Node& node, const Value& places, int64_t size) {
  const Value end = number(node, static_cast<float>(size));
  return computed(node, "Mul", computed(node, "LessOrEqual", number(node, -1.0F), places),
                  computed(node, "LessOrEqual", places, end));
}

// Places in pixels as coordinates of GridSample, in one of two columns.
Value coordinates(Node& node, const Value& places, int64_t size, std::vector<float> column) {
  const auto pixels = static_cast<float>(size);
  const Value scaled = computed(node, "Mul", places, number(node, 2.0F / pixels));
  const Value moved = computed(node, "Add", scaled, number(node, 1.0F / pixels - 1.0F));
  return computed(node, "Mul", moved, node.store().floats({2}, std::move(column)));
}

// What [count, rows, columns, n] holds for each sample, as [1, height, width, n] or [1, n, height,
// width] of the map that is read.
Value by_sample(Node& node, const Value& value, const RoiSamples& samples, Dims dims) {
  for (int64_t& dim : dims) dim = dim == 0 ? samples.count * samples.rows : dim;
  return reshaped_value(node, value, dims);
}

Box read_at(Node& node, const Box& map, const RoiSamples& samples, GridSample::Kind kind) {
  const Dims dims = sizes(map.view);
  const Value grid = computed(node, "Add", coordinates(node, samples.x, dims[3], {1.0F, 0.0F}),
                              coordinates(node, samples.y, dims[2], {0.0F, 1.0F}));
  return sampled(node, map, by_sample(node, grid, samples, {1, 0, samples.columns, 2}),
                 {.kind = kind, .padding = GridSample::Padding::border});
}

// Each sample of a map that is read, times a number of its own.
Box times(Node& node, const Box& read, const Value& factors, const RoiSamples& samples) {
  return combine(node, Binary::Kind::mul, read,
                 by_sample(node, factors, samples, {1, 1, 0, samples.columns}));
}

Box without_far_ones(Node& node, const Box& read, const RoiSamples& samples, const Dims& map) {
  const Value mask =
      computed(node, "Mul", near(node, samples.y, map[2]), near(node, samples.x, map[3]));
  return times(node, read, mask, samples);
}

Value floored(Node& node, const Value& value) {
  const Activation floor{.kind = Activation::Kind::floor};
  if (const Constant* known = std::get_if<Constant>(&value))
    return folded_unary(node, floor, *known);
  Box box = std::get<Box>(value);
  box.sole = false;  // the places are read again
  return node.activate(box, floor);
}

// The two pixels around a place along one axis, the lower one first.
struct Neighbour {
  Value pixel, weight;
};

std::array<Neighbour, 2> neighbours(Node& node, const Value& places, int64_t size) {
  const Value end = number(node, static_cast<float>(size - 1)), one = number(node, 1.0F);
  const Value inside =
      computed(node, "Min", computed(node, "Max", places, number(node, 0.0F)), end);
  const Value low = floored(node, inside);
  const Value beyond = computed(node, "Sub", inside, low);
  const Value high = computed(node, "Min", computed(node, "Add", low, one), end);
  return {Neighbour{low, computed(node, "Sub", one, beyond)}, Neighbour{high, beyond}};
}

}  // namespace

Box interpolated(Node& node, const Box& map, const RoiSamples& samples) {
  const Box read = read_at(node, map, samples, GridSample::Kind::linear);
  return without_far_ones(node, read, samples, sizes(map.view));
}

Box largest_part(Node& node, const Box& map, const RoiSamples& samples) {
  const Dims dims = sizes(map.view);
  const std::array<Neighbour, 2> rows = neighbours(node, samples.y, dims[2]);
  const std::array<Neighbour, 2> columns = neighbours(node, samples.x, dims[3]);
  std::optional<Box> largest;
  for (const Neighbour& row : rows) {
    for (const Neighbour& column : columns) {
      RoiSamples corner = samples;
      corner.y = row.pixel;
      corner.x = column.pixel;
      const Box read = read_at(node, map, corner, GridSample::Kind::nearest);
      const Box part = times(node, read, computed(node, "Mul", row.weight, column.weight), samples);
      largest = largest ? combine(node, Binary::Kind::max, *largest, part) : part;
    }
  }
  return without_far_ones(node, *largest, samples, dims);
}

}  // namespace shingle::onnx
