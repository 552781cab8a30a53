// A map read at places: along each axis a place gives up to four taps, and a pixel is the sum of
// the taps' products. Coordinates are computed in float, as the makers of networks do, sums in
// double.
#include <algorithm>
#include <array>
#include <cmath>

#include "devices/executor/view.hpp"
#include "devices/plain/plain_operators.hpp"

namespace shingle {

namespace {

constexpr double cubic_coefficient = -0.75;
constexpr int32_t off_map = -1;  // reads as 0

// What one place reads along one axis.
struct Taps {
  std::array<int32_t, 4> index{};
  std::array<double, 4> weight{};
  size_t count = 0;

  void add(int32_t at, double by) {
    index[count] = at;
    weight[count++] = by;
  }
};

// One axis of the map, `size` pixels long; its ends lie at `low` and `high`.
class Line {
 public:
  Line(const GridSample& op, int32_t size)
      : op_(op),
        size_(size),
        low_(op.align_corners ? 0.0F : -0.5F),
        high_(static_cast<float>(size) - (op.align_corners ? 1.0F : 0.5F)) {}

  Taps taps(float coordinate) const {
    const float at = held(pixel(coordinate));
    Taps taps;
    // Far from the map everything is off it, as is NaN; and `at` fits into an integer otherwise.
    if (!(at > -4.0F && at < static_cast<float>(size_) + 4.0F)) {
      taps.add(op_.padding == GridSample::Padding::zeros ? off_map : 0, 1.0);
      return taps;
    }
    if (op_.kind == GridSample::Kind::nearest) {
      taps.add(read(static_cast<int32_t>(at)), 1.0);
      return taps;
    }
    const float below = std::floor(at);
    const double rest = static_cast<double>(at - below);
    const auto first = static_cast<int32_t>(below);
    if (op_.kind == GridSample::Kind::linear) {
      taps.add(read(first), 1.0 - rest);
      taps.add(read(first + 1), rest);
    } else {
      for (int32_t i = -1; i <= 2; ++i) taps.add(read(first + i), cubic(rest - i));
    }
    return taps;
  }

 private:
  // -1 and 1 are the ends.
  float pixel(float coordinate) const {
    const auto size = static_cast<float>(size_);
    const float at = op_.align_corners ? (coordinate + 1.0F) / 2.0F * (size - 1.0F)
                                       : ((coordinate + 1.0F) * size - 1.0F) / 2.0F;
    return op_.kind == GridSample::Kind::nearest ? std::nearbyint(at) : at;
  }

  // A place off the map brought back to it.
  float held(float at) const {
    if (at >= low_ && at <= high_) return at;
    switch (op_.padding) {
      case GridSample::Padding::zeros:
        break;
      case GridSample::Padding::border:
        return std::clamp(at, 0.0F, static_cast<float>(size_ - 1));
      case GridSample::Padding::reflection:
        return mirrored(at);
    }
    return at;
  }

  float mirrored(float at) const {
    const double low = static_cast<double>(low_), range = static_cast<double>(high_) - low;
    if (range == 0.0) return 0.0F;
    const double beyond = std::fmod(std::abs(static_cast<double>(at) - low), 2.0 * range);
    return static_cast<float>(low + (beyond <= range ? beyond : 2.0 * range - beyond));
  }

  // The pixel that a tap reads; a tap may lie off the map where its place does not.
  int32_t read(int32_t index) const {
    if (index >= 0 && index < size_) return index;
    switch (op_.padding) {
      case GridSample::Padding::zeros:
        return off_map;
      case GridSample::Padding::border:
        break;
      case GridSample::Padding::reflection:
        index = static_cast<int32_t>(mirrored(static_cast<float>(index)));
        break;
    }
    return std::clamp(index, 0, size_ - 1);
  }

  static double cubic(double distance) {
    constexpr double a = cubic_coefficient;
    const double d = std::abs(distance);
    if (d <= 1.0) return ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0;
    return ((a * d - 5.0 * a) * d + 8.0 * a) * d - 4.0 * a;
  }

  const GridSample& op_;
  int32_t size_;
  float low_, high_;
};

float sampled(const ConstTensorView& map, const Taps& y, const Taps& x, int32_t c) {
  double sum = 0.0;
  for (size_t row = 0; row < y.count; ++row) {
    if (y.index[row] == off_map) continue;
    double of_row = 0.0;
    for (size_t column = 0; column < x.count; ++column) {
      if (x.index[column] == off_map) continue;
      of_row += x.weight[column] * static_cast<double>(*at(map, y.index[row], x.index[column], c));
    }
    sum += y.weight[row] * of_row;
  }
  return static_cast<float>(sum);
}

}  // namespace

void run_operator(const PlainCall& call, const GridSample& op) {
  const Shape shape = call.model.at(call.layer.inputs[1]).shape;
  const Line along_y(op, shape.h), along_x(op, shape.w);
  const Region& region = call.region;
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    for (int32_t x = region.x.begin; x < region.x.end; ++x) {
      const float* place = at(call.inputs[0], y, x, 0);
      const Taps columns = along_x.taps(place[0]), rows = along_y.taps(place[1]);
      float* out = at(call.output, y, x, region.c.begin);
      for (int32_t c = region.c.begin; c < region.c.end; ++c)
        *out++ = sampled(call.inputs[1], rows, columns, c);
    }
  }
}

}  // namespace shingle
