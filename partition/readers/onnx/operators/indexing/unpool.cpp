// MaxUnpool: a map of zeros in which the pooled values are put at their places, channel by channel.
#include "partition/model/shape.hpp"
#include "partition/readers/onnx/operators/indexing/indexing.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/pad.hpp"
#include "partition/readers/onnx/operators/places/places.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"
#include "partition/readers/onnx/operators/window.hpp"

namespace shingle::onnx {

namespace {

int64_t unpooled(const Window& window, int64_t size) {
  return (size - 1) * window.stride + window.kernel - window.pad_begin - window.pad_end;
}

// The dims of the map that was pooled, as the windows say.
Dims map_of(Node& node, const Dims& pooled) {
  const Windows window = windows(node, pooled, node.integers("kernel_shape"));
  Dims map{1, pooled[1]};
  if (pooled.size() == 4) map.push_back(unpooled(window.y, pooled[2]));
  map.push_back(unpooled(window.x, pooled.back()));
  node.new_map(map);  // refuses sizes beyond the limits
  return map;
}

// [1, C, ...] as [elements of a channel][C].
Value channels_last(Node& node, const Value& value, int64_t channels, int64_t size) {
  return permuted(node, reshaped_value(node, value, {channels, size}), {1, 0});
}

// Zeros behind the map up to the size that the file says.
Pads pads_to(Node& node, const Dims& map, const Dims& wanted) {
  Pads pads{.before = Dims(map.size(), 0), .after = Dims(map.size(), 0)};
  for (size_t dim = 0; dim < map.size(); ++dim) {
    const bool fits = wanted.size() == map.size() && wanted[dim] >= map[dim] &&
                      (dim >= 2 || wanted[dim] == map[dim]);
    if (!fits) node.refuse("its output is " + text_of(wanted) + " and its map is " + text_of(map));
    pads.after[dim] = wanted[dim] - map[dim];
  }
  return pads;
}

}  // namespace

void max_unpool(Node& node) {
  const Box pooled = node.as_image(0);
  const Dims dims = sizes(pooled.view);
  if (node.dims(1) != dims) {
    node.refuse("its indices of " + text_of(node.dims(1)) + " and its input of " + text_of(dims) +
                " differ");
  }
  const Dims map = map_of(node, dims);
  const int64_t channels = map[1], size = map.size() == 4 ? map[2] * map[3] : map[2];
  const int64_t given = dims.size() == 4 ? dims[2] * dims[3] : dims[2];
  if (channels * size > max_index) node.refuse("its indices are too large for a 32-bit float");
  node.store().budget.charge(channels, 8);
  std::vector<int64_t> starts;
  for (int64_t c = 0; c < channels; ++c) starts.push_back(c * size);
  const Value first = node.store().integers({channels}, std::move(starts));
  const Value indices = channels_last(node, node.value(1), channels, given);
  node.store().budget.charge(channels * size);
  const Constant zeros = node.store().floats(
      {size, channels}, std::vector<float>(static_cast<size_t>(channels * size), 0.0F));
  const Value put = scattered(node, zeros,
                              {.dim = 0,
                               .indices = computed(node, "Sub", indices, first),
                               .updates = channels_last(node, pooled, channels, given)});
  const Value result = reshaped_value(node, permuted(node, put, {1, 0}), map);
  if (!node.has(2)) return node.set(result);
  node.set(surrounded(node, std::get<Box>(result), pads_to(node, map, node.integer_list(2)), 0.0F));
}

}  // namespace shingle::onnx
