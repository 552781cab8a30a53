#include "partition/readers/onnx/operators/resampling.hpp"

#include <cmath>

#include "partition/model/resample.hpp"
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/pad.hpp"
#include "partition/readers/onnx/operators/selection/choice.hpp"

namespace shingle::onnx {

namespace {

using Coordinates = Resampling::Coordinates;
using Kind = Resampling::Kind;

constexpr int64_t most_taps = 256;

std::optional<Resize::Coordinates> coordinates_of_core(Coordinates coordinates) {
  switch (coordinates) {
    case Coordinates::half_pixel:
      return Resize::Coordinates::half_pixel;
    case Coordinates::pytorch_half_pixel:
      return Resize::Coordinates::pytorch_half_pixel;
    case Coordinates::asymmetric:
      return Resize::Coordinates::asymmetric;
    case Coordinates::align_corners:
      return Resize::Coordinates::align_corners;
    case Coordinates::half_pixel_symmetric:
    case Coordinates::tf_half_pixel_for_nn:
    case Coordinates::tf_crop_and_resize:
      break;
  }
  return std::nullopt;
}

// One dim of a Resampling.
struct Line {
  const Resampling& op;
  size_t dim;
  int64_t input_size;

  int64_t output_size() const { return op.output[dim]; }
  bool crops() const { return op.coordinates == Coordinates::tf_crop_and_resize; }
  bool changes() const {
    if (crops() && (op.starts[dim] != 0.0F || op.ends[dim] != 1.0F)) return true;
    return input_size != output_size() || (!crops() && op.scales[dim] != 1.0F);
  }
};

// The input coordinate that output `index` reads, in units of inputs.
float coordinate(const Line& line, int64_t index) {
  const auto o = static_cast<float>(index);
  if (line.crops()) {
    const auto last = static_cast<float>(line.input_size - 1);
    const float start = line.op.starts[line.dim], end = line.op.ends[line.dim];
    if (line.output_size() == 1) return 0.5F * (start + end) * last;
    return start * last + o * (end - start) * last / static_cast<float>(line.output_size() - 1);
  }
  const float scale = line.op.scales[line.dim];
  if (line.op.coordinates == Coordinates::half_pixel_symmetric) {
    const auto size = static_cast<float>(line.input_size);
    const float rounded = static_cast<float>(line.output_size()) / (scale * size);
    return size / 2.0F * (1.0F - rounded) + (o + 0.5F) / scale - 0.5F;
  }
  const auto known = coordinates_of_core(line.op.coordinates);
  if (!known) return (o + 0.5F) / scale;
  return source_coordinate({.coordinates = *known,
                            .scale = scale,
                            .input_size = static_cast<int32_t>(line.input_size),
                            .output_size = static_cast<int32_t>(line.output_size())},
                           static_cast<int32_t>(index));
}

// The k-th input of each output, and its weight.
struct Tap {
  std::vector<int64_t> indices;
  std::vector<float> weights;
};

int64_t on_map(float place, int64_t size) {
  return static_cast<int64_t>(std::clamp(place, 0.0F, static_cast<float>(size - 1)));
}

// The weight of an input at `distance` (Keys' cubic convolution).
double cubic_weight(double a, double distance) {
  const double d = std::abs(distance);
  if (d <= 1.0) return ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0;
  return d < 2.0 ? ((a * d - 5.0 * a) * d + 8.0 * a) * d - 4.0 * a : 0.0;
}

// How far apart the filter's zeros lie: 1, or more where it is stretched against aliasing.
double stretch_of(const Line& line) {
  const auto scale = static_cast<double>(line.op.scales[line.dim]);
  return line.op.antialias && scale < 1.0 ? 1.0 / scale : 1.0;
}

bool stretches(const Line& line) { return line.op.kind != Kind::nearest && stretch_of(line) > 1.0; }

// The inputs on each side of a coordinate that a filter reads.
int64_t reach_of(const Line& line) {
  const double half = line.op.kind == Kind::cubic ? 2.0 : 1.0;
  return static_cast<int64_t>(std::ceil(half * stretch_of(line)));
}

double filter_weight(const Line& line, double distance) {
  const double d = distance / stretch_of(line);
  if (line.op.kind == Kind::linear) return std::max(0.0, 1.0 - std::abs(d));
  return cubic_weight(static_cast<double>(line.op.cubic_coefficient), d);
}

// Weights of all inputs within reach; they are made to sum to 1 where that is not so by itself.
void add_filtered(const Line& line, float at, std::vector<Tap>& taps) {
  const float below = std::floor(at);
  std::vector<double> weights;
  double sum = 0.0;
  for (size_t k = 0; k < taps.size(); ++k) {
    const float place = below + static_cast<float>(static_cast<int64_t>(k) + 1 - reach_of(line));
    const bool outside = place < 0.0F || place > static_cast<float>(line.input_size - 1);
    const double distance = static_cast<double>(at) - static_cast<double>(place);
    const bool counts = !outside || !line.op.exclude_outside;
    weights.push_back(counts ? filter_weight(line, distance) : 0.0);
    sum += weights.back();
    taps[k].indices.push_back(on_map(place, line.input_size));
  }
  const bool divides = line.op.exclude_outside || stretches(line);
  for (size_t k = 0; k < taps.size(); ++k) {
    taps[k].weights.push_back(static_cast<float>(divides ? weights[k] / sum : weights[k]));
  }
}

void add_linear(const Line& line, float at, std::vector<Tap>& taps) {
  const float inside = std::clamp(at, 0.0F, static_cast<float>(line.input_size - 1));
  const float below = std::floor(inside), weight = inside - below;
  taps[0].indices.push_back(on_map(below, line.input_size));
  taps[1].indices.push_back(on_map(below + 1.0F, line.input_size));
  taps[0].weights.push_back(1.0F - weight);
  taps[1].weights.push_back(weight);
}

// The outputs along a dim that read the map, and their taps.
struct Reading {
  int64_t before = 0, after = 0;  // outputs that read only off the map
  std::vector<Tap> taps;
};

// The number of inputs that one output reads.
size_t taps_of(Node& node, const Line& line) {
  if (line.op.kind == Kind::nearest) return 1;
  const int64_t count = 2 * reach_of(line);
  if (count > most_taps) {
    node.refuse("its antialias filter reads " + std::to_string(count) +
                " elements for each of the output, and shingle takes at most " +
                std::to_string(most_taps));
  }
  return static_cast<size_t>(count);
}

Reading reading_of(Node& node, const Line& line) {
  Reading reading{.taps = std::vector<Tap>(taps_of(node, line))};
  node.store().budget.charge(line.output_size() * static_cast<int64_t>(reading.taps.size()) * 2);
  for (int64_t o = 0; o < line.output_size(); ++o) {
    const float at = coordinate(line, o);
    if (line.crops() && (at < 0.0F || at > static_cast<float>(line.input_size - 1))) {
      ++(reading.taps[0].indices.empty() ? reading.before : reading.after);
    } else if (line.op.kind == Kind::nearest) {
      const float place = round_coordinate(line.op.rounding, at);
      reading.taps[0].indices.push_back(on_map(place, line.input_size));
    } else if (line.op.kind == Kind::linear && !stretches(line)) {
      add_linear(line, at, reading.taps);
    } else {
      add_filtered(line, at, reading.taps);
    }
  }
  if (reading.taps[0].indices.empty()) node.refuse("its roi lies off the map");
  return reading;
}

// The sum of the taps' elements times their weights, in the order of the taps.
Box weighed(Node& node, const Box& box, size_t dim, const Reading& reading) {
  const size_t rank = box.view.dims.size();
  std::optional<Box> sum;
  for (const Tap& tap : reading.taps) {
    Choice choice(rank);
    choice[dim] = tap.indices;
    Dims dims(rank - dim, 1);
    dims[0] = static_cast<int64_t>(tap.weights.size());
    const Constant weights = node.store().floats(dims, tap.weights);
    const Box part = combine(node, Binary::Kind::mul, chosen(node, box, choice), weights);
    sum = sum ? combine(node, Binary::Kind::add, *sum, part) : part;
  }
  return *sum;
}

Box composed(Node& node, Box box, const Resampling& op) {
  const Dims dims = sizes(box.view);
  Pads pads{.before = Dims(dims.size(), 0), .after = Dims(dims.size(), 0)};
  Choice choice(dims.size());  // nearest: all dims at once
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    const Line line{op, dim, dims[dim]};
    if (!line.changes()) continue;
    Reading reading = reading_of(node, line);
    pads.before[dim] = reading.before;
    pads.after[dim] = reading.after;
    if (op.kind == Kind::nearest) {
      choice[dim] = std::move(reading.taps[0].indices);
    } else {
      box = weighed(node, box, dim, reading);
    }
  }
  return surrounded(node, chosen(node, box, choice), pads, op.extrapolation_value);
}

// The model's own Resize operator, which scales the height and width of a map; none if it does not
// fit.
std::optional<Resize> core_resize(const Resampling& op, const Dims& dims) {
  const auto coordinates = coordinates_of_core(op.coordinates);
  const size_t rank = dims.size();
  if (!coordinates || op.kind == Kind::cubic || rank < 3 || rank > 4) return std::nullopt;
  if (dims[0] != 1 || op.output[0] != 1 || op.output[1] != dims[1]) return std::nullopt;
  for (size_t dim = 2; dim < rank; ++dim)
    if (stretches({op, dim, dims[dim]})) return std::nullopt;
  return Resize{
      .kind = op.kind == Kind::nearest ? Resize::Kind::nearest : Resize::Kind::linear,
      .coordinates = *coordinates,
      .rounding = op.rounding,
      .scale_y = rank == 4 ? op.scales[2] : 1.0F,
      .scale_x = op.scales.back(),
  };
}

}  // namespace

Box resampled(Node& node, const Box& box, const Resampling& resampling) {
  const View view = node.new_map(resampling.output);
  const std::optional<Resize> op = core_resize(resampling, sizes(box.view));
  if (!op) return composed(node, box, resampling);
  return node.emit(*op, {node.as_map(box).tensor}, view, box_shape(view));
}

}  // namespace shingle::onnx
