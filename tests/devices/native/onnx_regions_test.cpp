// RoiAlign, Col2Im and DeformConv, held against their definitions.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/devices/native/onnx_runs.hpp"

namespace shingle::tests {

namespace {

using networks::OnnxAttributes;
using networks::OnnxGraph;

// The map between its pixels; 0 off it.
double between(const Array& map, int64_t channel, double y, double x) {
  double sum = 0.0;
  for (int64_t row = 0; row < map.dims[2]; ++row) {
    for (int64_t column = 0; column < map.dims[3]; ++column) {
      const double weight = std::max(0.0, 1.0 - std::abs(y - static_cast<double>(row))) *
                            std::max(0.0, 1.0 - std::abs(x - static_cast<double>(column)));
      if (weight > 0.0) sum += weight * map.at({0, channel, row, column});
    }
  }
  return sum;
}

// The largest of the four pixels around a place, each times its weight. A pixel beyond the last one
// is the last one, with weight 0.
double largest_around(const Array& map, int64_t channel, double y, double x) {
  const auto weight = [](double place, int64_t beyond) {
    const double part = place - std::floor(place);
    return beyond == 0 ? 1.0 - part : part;
  };
  double largest = -INFINITY;
  for_each_index({2, 2}, [&](const Dims& beyond) {
    const int64_t row = static_cast<int64_t>(std::floor(y)) + beyond[0];
    const int64_t column = static_cast<int64_t>(std::floor(x)) + beyond[1];
    const double value =
        map.at({0, channel, std::min(row, map.dims[2] - 1), std::min(column, map.dims[3] - 1)});
    largest = std::max(largest, value * weight(y, beyond[0]) * weight(x, beyond[1]));
  });
  return largest;
}

// One array behind the other.
Array joined(const std::vector<Array>& parts) {
  Array all;
  for (const Array& part : parts)
    all.values.insert(all.values.end(), part.values.begin(), part.values.end());
  all.dims = {static_cast<int64_t>(all.values.size())};
  return all;
}

struct Regions {
  Array map, rois;
  int64_t height = 3, width = 2, samples = 2;
  double scale = 0.5;
  bool half = true, largest = false;

  double operator()(const Dims& at) const {
    const auto edge = [&](int64_t column) {
      return rois.at({at[0], column}) * scale - (half ? 0.5 : 0.0);
    };
    const auto size = [&](int64_t column) {
      const double own = edge(column + 2) - edge(column);
      return half ? own : std::max(own, 1.0);
    };
    const auto place = [&](int64_t column, int64_t outputs, int64_t output, int64_t sample) {
      const double share = (static_cast<double>(sample) + 0.5) / static_cast<double>(samples);
      return edge(column) +
             (static_cast<double>(output) + share) * size(column) / static_cast<double>(outputs);
    };
    double sum = 0.0, most = -INFINITY;
    for (int64_t i = 0; i < samples * samples; ++i) {
      const double y = place(1, height, at[2], i / samples),
                   x = place(0, width, at[3], i % samples);
      const auto rows = static_cast<double>(map.dims[2]),
                 columns = static_cast<double>(map.dims[3]);
      const bool near = y >= -1.0 && y <= rows && x >= -1.0 && x <= columns;
      const double inner_y = std::min(std::max(y, 0.0), rows - 1.0),
                   inner_x = std::min(std::max(x, 0.0), columns - 1.0);
      most = std::max(most, near ? largest_around(map, at[1], inner_y, inner_x) : 0.0);
      if (near) sum += between(map, at[1], inner_y, inner_x);
    }
    return largest ? most : sum / static_cast<double>(samples * samples);
  }
};

OnnxAttributes attributes_of(const Regions& regions) {
  OnnxAttributes attributes{{"output_height", regions.height},
                            {"output_width", regions.width},
                            {"sampling_ratio", regions.samples},
                            {"spatial_scale", static_cast<float>(regions.scale)},
                            {"mode", std::string(regions.largest ? "max" : "avg")}};
  if (!regions.half)
    attributes.emplace_back("coordinate_transformation_mode", std::string("output_half_pixel"));
  return attributes;
}

void check(const Regions& regions) {
  const Dims dims{regions.rois.dims[0], regions.map.dims[1], regions.height, regions.width};
  const Dims frames(static_cast<size_t>(dims[0]), 0);
  OnnxGraph known;
  const std::string rois = known.floats(regions.rois.dims, regions.rois.values);
  check_everywhere(
      run_onnx(known, {.op = "RoiAlign", .attributes = attributes_of(regions), .opset = 16},
               regions.map, {rois, known.integers(frames)}),
      dims, regions, 1e-4);
  OnnxGraph graph;
  const std::string map = part_of_input(graph, regions.map.dims, 0);
  const std::string values =
      part_of_input(graph, regions.rois.dims, static_cast<int64_t>(regions.map.values.size()));
  const std::string last =
      graph.node("RoiAlign", {map, values, graph.integers(frames)}, attributes_of(regions));
  check_everywhere(run_onnx(graph, last, joined({regions.map, regions.rois}), 16), dims, regions,
                   1e-4);
}

struct Deformed {
  Array map, weights, offsets, bias, mask;
  int64_t groups = 1, offset_groups = 1;
  int64_t stride = 1, dilation = 1, pad = 1;

  double operator()(const Dims& at) const {
    const int64_t inputs = weights.dims[1], outputs = weights.dims[0] / groups;
    double sum = bias.at({at[1]});
    for_each_index({inputs, weights.dims[2], weights.dims[3]}, [&](const Dims& tap) {
      const int64_t channel = at[1] / outputs * inputs + tap[0];
      const int64_t group = channel / (map.dims[1] / offset_groups);
      const int64_t place =
          (group * weights.dims[2] + tap[1]) * weights.dims[3] + tap[2];  // of the taps
      const auto y = static_cast<double>(at[2] * stride - pad + tap[1] * dilation);
      const auto x = static_cast<double>(at[3] * stride - pad + tap[2] * dilation);
      sum += weights.at({at[1], tap[0], tap[1], tap[2]}) * mask.at({0, place, at[2], at[3]}) *
             between(map, channel, y + offsets.at({0, 2 * place, at[2], at[3]}),
                     x + offsets.at({0, 2 * place + 1, at[2], at[3]}));
    });
    return sum;
  }
};

Deformed deformed(int64_t groups, int64_t offset_groups, int64_t stride, const Dims& output) {
  const int64_t taps = offset_groups * 6;
  Deformed what{.map = random_array({1, 4, 7, 8}, 1),
                .weights = random_array({6, 4 / groups, 3, 2}, 2),
                .offsets = random_array({1, 2 * taps, output[0], output[1]}, 3),
                .bias = random_array({6}, 4),
                .mask = random_array({1, taps, output[0], output[1]}, 5),
                .groups = groups,
                .offset_groups = offset_groups,
                .stride = stride};
  for (float& offset : what.offsets.values) offset *= 3.0F;
  return what;
}

void check(const Deformed& what, const Dims& output) {
  const Dims two(2, what.stride), pads(4, what.pad);
  const OnnxAttributes attributes{{"strides", two},
                                  {"pads", pads},
                                  {"group", what.groups},
                                  {"offset_group", what.offset_groups}};
  const Dims dims{1, 6, output[0], output[1]};
  const auto map = static_cast<int64_t>(what.map.values.size());
  const auto offsets = static_cast<int64_t>(what.offsets.values.size());
  for (const bool known : {false, true}) {
    CAPTURE(known);
    OnnxGraph graph;
    const auto given = [&](const Array& array, int64_t begin) {
      return known ? graph.floats(array.dims, array.values)
                   : part_of_input(graph, array.dims, begin);
    };
    const std::string input = known ? "in" : part_of_input(graph, what.map.dims, 0);
    const std::string last = graph.node(
        "DeformConv",
        {input, graph.floats(what.weights.dims, what.weights.values), given(what.offsets, map),
         graph.floats(what.bias.dims, what.bias.values), given(what.mask, map + offsets)},
        attributes);
    const Array all = known ? what.map : joined({what.map, what.offsets, what.mask});
    check_everywhere(run_onnx(graph, last, all, 19), dims, what, 1e-4);
  }
}

}  // namespace

TEST_CASE("RoiAlign averages places within each region, or takes maxima, on the map and off it") {
  const Array map = random_array({1, 3, 6, 9}, 1);
  const Array rois{{4, 4},
                   {2.0F, 1.5F, 12.0F, 9.0F, -7.0F, -5.0F, 6.0F, 4.0F, 9.0F, 8.0F, 24.0F, 17.0F,
                    3.0F, 3.0F, 3.5F, 3.25F}};
  check(Regions{.map = map, .rois = rois});
  check(Regions{.map = map, .rois = rois, .half = false});
  check(Regions{.map = map, .rois = rois, .largest = true});
  check(Regions{.map = map, .rois = rois, .samples = 3, .half = false, .largest = true});
  check(Regions{.map = map, .rois = rois, .height = 1, .width = 4, .samples = 3, .scale = 1.0});
}

TEST_CASE("RoiAlign before opset 16 takes edges of regions as they are") {
  const Regions regions{.map = random_array({1, 2, 6, 9}, 2),
                        .rois = {{1, 4}, {2.0F, 1.5F, 12.0F, 9.0F}},
                        .half = false};
  OnnxGraph graph;
  OnnxAttributes attributes = attributes_of(regions);
  attributes.pop_back();
  const std::string rois = graph.floats(regions.rois.dims, regions.rois.values);
  check_everywhere(run_onnx(graph, {.op = "RoiAlign", .attributes = attributes, .opset = 10},
                            regions.map, {rois, graph.integers({0})}),
                   {1, 2, 3, 2}, regions, 1e-4);
}

TEST_CASE("Col2Im sums windows where they overlap") {
  struct Windows {
    Dims image, block, strides{1, 1}, dilations{1, 1}, pads{0, 0, 0, 0};
  };
  const std::vector<Windows> all{{{5, 6}, {2, 3}},
                                 {{5, 5}, {1, 5}},
                                 {{6, 7}, {3, 2}, {2, 3}},
                                 {{6, 7}, {2, 3}, {1, 1}, {2, 2}, {1, 0, 2, 1}}};
  for (const Windows& what : all) {
    Dims count(2);
    for (size_t i = 0; i < 2; ++i) {
      const int64_t reach = what.dilations[i] * (what.block[i] - 1) + 1;
      count[i] = (what.image[i] + what.pads[i] + what.pads[i + 2] - reach) / what.strides[i] + 1;
    }
    const int64_t taps = what.block[0] * what.block[1];
    const Array input = random_array({1, 2 * taps, count[0] * count[1]}, 6);
    OnnxGraph graph;
    const Array computed =
        run_onnx(graph,
                 {.op = "Col2Im",
                  .attributes = {{"strides", what.strides},
                                 {"dilations", what.dilations},
                                 {"pads", what.pads}},
                  .opset = 18},
                 input, {graph.integers(what.image), graph.integers(what.block)});
    check_everywhere(computed, {1, 2, what.image[0], what.image[1]}, [&](const Dims& at) {
      double sum = 0.0;
      for_each_index({what.block[0], what.block[1], count[0], count[1]}, [&](const Dims& i) {
        const int64_t y = i[2] * what.strides[0] + i[0] * what.dilations[0] - what.pads[0];
        const int64_t x = i[3] * what.strides[1] + i[1] * what.dilations[1] - what.pads[1];
        if (y != at[2] || x != at[3]) return;
        const int64_t tap = i[0] * what.block[1] + i[1];
        sum += input.at({0, at[1] * taps + tap, i[2] * count[1] + i[3]});
      });
      return sum;
    });
  }
}

TEST_CASE("A deformable convolution reads each tap beside its place") {
  check(deformed(1, 1, 1, {7, 9}), {7, 9});
  check(deformed(2, 1, 2, {4, 5}), {4, 5});
  check(deformed(2, 4, 1, {7, 9}), {7, 9});
  check(deformed(1, 2, 3, {3, 3}), {3, 3});
}

}  // namespace shingle::tests
