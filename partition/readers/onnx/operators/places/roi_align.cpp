// RoiAlign: for each region of the map, averages or maxima of places that lie in a regular grid
// within it. All regions are read together, below each other; a pooling follows.
#include "partition/base/text.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/places/places.hpp"
#include "partition/readers/onnx/operators/places/roi_samples.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"

namespace shingle::onnx {

namespace {

constexpr int64_t most_samples = 256;  // along an axis of one output

struct Regions {
  int64_t count = 0, height = 0, width = 0;  // of the output
  int64_t samples = 0;                       // along each axis of one output
  float scale = 1.0F, offset = 0.0F;
  bool at_least_one_pixel = false;
  bool largest = false;  // of the samples of an output, instead of their average
};

Regions regions_of(Node& node, const Dims& map) {
  const Dims rois = node.dims(1);
  if (map.size() != 4 || rois.size() != 2 || rois[1] != 4 || rois[0] < 1) {
    node.refuse("its input " + text_of(map) + " and its regions " + text_of(rois) +
                " are not 1xCxHxW and Nx4");
  }
  const std::string_view mode = node.text("mode", "avg");
  if (mode != "avg" && mode != "max") node.refuse("its mode " + in_quotes(mode) + " is unknown");
  Regions regions{.count = rois[0],
                  .height = node.integer("output_height", 1),
                  .width = node.integer("output_width", 1),
                  .samples = node.integer("sampling_ratio", 0),
                  .scale = node.number("spatial_scale", 1.0F),
                  .largest = mode == "max"};
  if (regions.samples < 1 || regions.samples > most_samples) {
    node.refuse("its sampling_ratio is " + std::to_string(regions.samples) +
                ", and shingle takes 1 to " + std::to_string(most_samples) +
                "; 0 leaves it to the size of each region");
  }
  const bool half = node.opset() >= 16 &&
                    node.text("coordinate_transformation_mode", "half_pixel") == "half_pixel";
  regions.offset = half ? 0.5F : 0.0F;
  regions.at_least_one_pixel = !half;
  node.new_map({regions.count, map[1], regions.height, regions.width});  // refuses bad sizes
  return regions;
}

void check_batch(Node& node) {
  if (!node.is_constant(2)) return;  // of a batch of one frame there is no other index than 0
  const Constant& frames = node.constant(2);
  for (int64_t i = 0; i < frames.count(); ++i) {
    if (frames.at(i) != 0.0) node.refuse("its regions lie in another frame of the batch");
  }
}

// One axis: the places of all regions [count][outputs * samples], in pixels.
Value places_along(Node& node, const Regions& regions, int64_t axis, int64_t outputs) {
  const auto edge = [&](int64_t column) {
    const Value edges = picked(node, node.value(1), 1, {column});
    return computed(node, "Sub", computed(node, "Mul", edges, number(node, regions.scale)),
                    number(node, regions.offset));
  };
  const Value first = edge(axis), last = edge(axis + 2);
  Value size = computed(node, "Sub", last, first);
  if (regions.at_least_one_pixel) size = computed(node, "Max", size, number(node, 1.0F));
  const int64_t count = outputs * regions.samples;
  node.store().budget.charge(count);
  std::vector<float> shares;
  for (int64_t i = 0; i < count; ++i)
    shares.push_back((static_cast<float>(i) + 0.5F) / static_cast<float>(count));
  const Value within = computed(node, "Mul", size, node.store().floats({count}, shares));
  return computed(node, "Add", first, within);
}

// The box as [count][channels][height][width], of [1][channels][count * height][width].
Value by_region(Node& node, const Box& box, const Regions& regions, int64_t channels) {
  const Value split =
      reshaped_value(node, box, {channels, regions.count, regions.height, regions.width});
  return permuted(node, split, {1, 0, 2, 3});
}

}  // namespace

void roi_align(Node& node) {
  const Box map = node.as_image(0);
  const Dims dims = sizes(map.view);
  if (node.is_constant(1)) static_cast<void>(node.floats(1));  // refuses integers
  const Regions regions = regions_of(node, dims);
  check_batch(node);
  const int64_t rows = regions.height * regions.samples, columns = regions.width * regions.samples;
  node.new_map({1, dims[1], regions.count * rows, columns});  // refuses what is too large
  const auto shaped = [&](const Value& value, int64_t height, int64_t width) {
    return reshaped_value(node, value, {regions.count, height, width, 1});
  };
  const RoiSamples samples{.y = shaped(places_along(node, regions, 1, regions.height), rows, 1),
                           .x = shaped(places_along(node, regions, 0, regions.width), 1, columns),
                           .count = regions.count,
                           .rows = rows,
                           .columns = columns};
  const Box read =
      regions.largest ? largest_part(node, map, samples) : interpolated(node, map, samples);
  const auto each = static_cast<int32_t>(regions.samples);
  const Window window{.kernel = each, .stride = each};
  const View view = node.new_map({1, dims[1], regions.count * regions.height, regions.width});
  const Pooling pooling{.kind = regions.largest ? Pooling::Kind::max : Pooling::Kind::average,
                        .y = window,
                        .x = window};
  const Box pooled = node.emit(pooling, {node.as_map(read).tensor}, view);
  node.set(by_region(node, pooled, regions, dims[1]));
}

}  // namespace shingle::onnx
