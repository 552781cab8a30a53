#include "tests/networks/exported/deformable.hpp"

#include "tests/networks/exported/selection.hpp"

namespace shingle::networks {

namespace {

constexpr int64_t points = 4;  // of each map and head

// [1, n, heads, maps, points, 2]: where to read, as shares of the picture.
Value places_of(Exporter& to, const Value& queries, const Value& boxes, const Sampled& maps) {
  const int64_t n = queries.dims[1], levels = std::ssize(maps.sizes);
  const Value all = linear(to, queries, {.features = maps.heads * levels * points * 2});
  const Value offsets = reshape(to, all, {1, n, maps.heads, levels, points, 2});
  const Value by_query = reshape(to, boxes, {1, n, 1, 1, 1, 4});
  const Value centre = slice(to, by_query, -1, 0, 2), size = slice(to, by_query, -1, 2, 4);
  const Value share = binary(to, "Div", offsets, to.scalar(static_cast<float>(points)));
  return add(to, centre, mul(to, mul(to, share, size), to.scalar(0.5F)));
}

// [heads, 1, n, maps * points]
Value weights_of(Exporter& to, const Value& queries, const Sampled& maps) {
  const int64_t n = queries.dims[1], taps = std::ssize(maps.sizes) * points;
  const Value all = linear(to, queries, {.features = maps.heads * taps});
  const Value shares = softmax(to, reshape(to, all, {1, n, maps.heads, taps}), -1);
  return reshape(to, transpose(to, shares, {0, 2, 1, 3}), {maps.heads, 1, n, taps});
}

// One map: rows [1, pixels, heads, depth] and a grid [1, n, heads, points, 2] make [heads, depth,
// n, points].
Value read(Exporter& to, const Value& rows, const Dims& size, const Value& grid) {
  const int64_t head_count = rows.dims[2], depth = rows.dims[3], n = grid.dims[1];
  const Value columns = reshape(to, rows, {1, rows.dims[1], head_count * depth});
  const Value map =
      reshape(to, transpose(to, columns, {0, 2, 1}), {head_count, depth, size[0], size[1]});
  const Value by_head =
      reshape(to, transpose(to, grid, {0, 2, 1, 3, 4}), {head_count, n, points, 2});
  const char* mode = to.opset() >= 20 ? "linear" : "bilinear";
  return to.node("GridSample", {map, by_head},
                 {{"align_corners", int64_t{0}}, {"mode", mode}, {"padding_mode", "zeros"}},
                 {head_count, depth, n, points});
}

}  // namespace

Value deformable_attention(Exporter& to, const Value& queries, const Value& boxes,
                           const Sampled& maps) {
  const int64_t n = queries.dims[1], features = queries.dims[2];
  const int64_t depth = features / maps.heads, levels = std::ssize(maps.sizes);
  const Value projected = linear(to, maps.rows, {.features = features});
  const Value by_head = reshape(to, projected, {1, maps.rows.dims[1], maps.heads, depth});
  const Value places = places_of(to, queries, boxes, maps);
  const Value weights = weights_of(to, queries, maps);
  const Value doubled = mul(to, places, to.scalar(2.0F));
  const Value grids = binary(to, "Sub", doubled, to.scalar(1.0F));  // -1 to 1
  Dims pixels;
  for (const Dims& size : maps.sizes) pixels.push_back(size[0] * size[1]);
  const std::vector<Value> parts = split(to, by_head, 1, pixels);
  std::vector<Value> taps;
  for (int64_t level = 0; level < levels; ++level) {
    const auto i = static_cast<size_t>(level);
    const Value grid = at_index(to, grids, 3, level);
    taps.push_back(unsqueeze(to, read(to, parts[i], maps.sizes[i], grid), -2));
  }
  const Value all = reshape(to, concat(to, taps, -2), {maps.heads, depth, n, levels * points});
  const Value weighed = mul(to, all, weights);
  const Value sum = to.node("ReduceSum", {weighed, to.integers({-1})}, {{"keepdims", int64_t{0}}},
                            {maps.heads, depth, n});
  const Value rows = transpose(to, reshape(to, sum, {1, features, n}), {0, 2, 1});
  return linear(to, rows, {.features = features, .gain = 0.5F});
}

}  // namespace shingle::networks
