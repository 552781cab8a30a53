// Feature maps and simple reference computations for the tests of kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "devices/kernels/epilogue.hpp"
#include "devices/kernels/panel.hpp"
#include "devices/kernels/rows.hpp"
#include "partition/base/dice.hpp"
#include "partition/model/window.hpp"

namespace shingle::kernels {

// Each test case has a fixed seed; SHINGLE_SEED changes all of them.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {
    if (const char* given = std::getenv("SHINGLE_SEED"))
      state_ ^= std::strtoull(given, nullptr, 10);
  }
  uint64_t next() { return splitmix64(state_); }
  int32_t between(int32_t low, int32_t high) {  // both inclusive
    return low + static_cast<int32_t>(next() % static_cast<uint64_t>(high - low + 1));
  }
  float value() { return static_cast<float>(static_cast<double>(next() >> 11) * 0x1p-52 - 1.0); }
  std::vector<float> values(std::size_t count) {
    std::vector<float> v(count);
    for (float& x : v) x = value();
    return v;
  }

 private:
  uint64_t state_;
};

// The larger one. A difference that is no number, which std::max would pass over, is infinite.
inline double worse(double worst, double difference) {
  return std::isnan(difference) ? HUGE_VAL : std::max(worst, difference);
}

// A part of 0 .. size that is not empty.
inline Span random_part(Random& random, int32_t size) {
  const int32_t begin = random.between(0, size - 1);
  return {begin, random.between(begin + 1, size)};
}

// A map that stores the box rows x columns, with its row pointers.
struct Map {
  Span rows, columns;
  int32_t channels = 0;
  std::vector<float> data;
  std::vector<float*> row;

  Map(Span y, Span x, int32_t c) : rows(y), columns(x), channels(c) {
    const auto length = static_cast<std::size_t>(x.size()) * static_cast<std::size_t>(c);
    data.assign(length * static_cast<std::size_t>(y.size()), -77.0F);
    for (int32_t i = 0; i < y.size(); ++i)
      row.push_back(data.data() + static_cast<std::size_t>(i) * length);
  }
  Map(const Map&) = delete;
  Map(Map&&) = default;

  InputRows input() const { return {row.data(), rows, columns, channels}; }
  OutputRows output() const { return {row.data(), rows, columns, channels}; }
  float* pixel(int32_t y, int32_t x) const {
    return row[static_cast<std::size_t>(y - rows.begin)] +
           static_cast<std::size_t>(x - columns.begin) * static_cast<std::size_t>(channels);
  }
  bool holds(int32_t y, int32_t x) const {
    return y >= rows.begin && y < rows.end && x >= columns.begin && x < columns.end;
  }
};

inline Map random_map(Random& random, int32_t h, int32_t w, int32_t c) {
  Map map({0, h}, {0, w}, c);
  map.data = random.values(map.data.size());
  for (int32_t y = 0; y < h; ++y)
    map.row[static_cast<std::size_t>(y)] =
        map.data.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(w * c);
  return map;
}

// The box rows x columns of `map`.
inline Map crop(const Map& map, Span rows, Span columns) {
  Map part(rows, columns, map.channels);
  for (int32_t y = rows.begin; y < rows.end; ++y)
    for (int32_t x = columns.begin; x < columns.end; ++x)
      std::memcpy(part.pixel(y, x), map.pixel(y, x),
                  static_cast<std::size_t>(map.channels) * sizeof(float));
  return part;
}

// Pixels whose bytes differ between `part` and the same box of `whole`.
inline std::size_t differing(const Map& part, const Map& whole) {
  std::size_t count = 0;
  for (int32_t y = part.rows.begin; y < part.rows.end; ++y)
    for (int32_t x = part.columns.begin; x < part.columns.end; ++x)
      count += std::memcmp(part.pixel(y, x), whole.pixel(y, x),
                           static_cast<std::size_t>(part.channels) * sizeof(float)) != 0;
  return count;
}

// `map` after a 2x2 max-pool: the part that has the rows and columns of `shape`.
inline Map max_pooled(const Map& map, const Map& shape) {
  Map out(shape.rows, shape.columns, map.channels);
  for (int32_t y = out.rows.begin; y < out.rows.end; ++y)
    for (int32_t x = out.columns.begin; x < out.columns.end; ++x)
      for (int32_t o = 0; o < map.channels; ++o)
        out.pixel(y, x)[o] =
            std::max(std::max(map.pixel(2 * y, 2 * x)[o], map.pixel(2 * y, 2 * x + 1)[o]),
                     std::max(map.pixel(2 * y + 1, 2 * x)[o], map.pixel(2 * y + 1, 2 * x + 1)[o]));
  return out;
}

struct Layer {
  FilterShape filter;
  Window y, x;
  std::vector<float> weights, bias;
};

inline Layer random_layer(Random& random, FilterShape f, Window y, Window x) {
  Layer layer{f, y, x, {}, {}};
  layer.weights =
      random.values(static_cast<std::size_t>(f.outputs) * static_cast<std::size_t>(f.inputs) *
                    static_cast<std::size_t>(f.kernel_y * f.kernel_x));
  layer.bias = random.values(static_cast<std::size_t>(f.outputs));
  return layer;
}

// The inputs that a tile needs to compute `out`, clamped to the map.
inline Span needed(const Window& w, Span out, int32_t size) {
  const int32_t begin = out.begin * w.stride - w.pad_begin;
  const int32_t end = (out.end - 1) * w.stride - w.pad_begin + (w.kernel - 1) * w.dilation + 1;
  return {begin < 0 ? 0 : begin, end > size ? size : end};
}

// One output of the layer, computed in double, before the activation.
inline double oracle(const Layer& l, const Map& in, int32_t y, int32_t x, int32_t o) {
  const int32_t group = o / (l.filter.outputs / l.filter.groups);
  double sum = l.bias[static_cast<std::size_t>(o)];
  for (int32_t ky = 0; ky < l.y.kernel; ++ky)
    for (int32_t kx = 0; kx < l.x.kernel; ++kx) {
      const int32_t iy = y * l.y.stride - l.y.pad_begin + ky * l.y.dilation;
      const int32_t ix = x * l.x.stride - l.x.pad_begin + kx * l.x.dilation;
      if (!in.holds(iy, ix)) continue;
      for (int32_t k = 0; k < l.filter.inputs; ++k)
        sum += double{in.pixel(iy, ix)[group * l.filter.inputs + k]} *
               double{l.weights[static_cast<std::size_t>(
                   ((o * l.filter.inputs + k) * l.y.kernel + ky) * l.x.kernel + kx)]};
    }
  return sum;
}

inline double activation_oracle(const Activation& a, double x) {
  using Kind = Activation::Kind;
  const auto hard = [&](double alpha, double beta) {
    return std::max(0.0, std::min(1.0, alpha * x + beta));
  };
  switch (a.kind) {
    case Kind::relu:
      return std::max(x, 0.0);
    case Kind::leaky_relu:
      return x < 0 ? x * double{a.alpha} : x;
    case Kind::clip:
      return std::min(std::max(x, double{a.alpha}), double{a.beta});
    case Kind::sigmoid:
      return 1 / (1 + std::exp(-x));
    case Kind::silu:
      return x / (1 + std::exp(-x));
    case Kind::hard_sigmoid:
      return hard(double{a.alpha}, double{a.beta});
    case Kind::hard_swish:
      return x * hard(1.0 / 6, 0.5);
    default:
      return x;
  }
}

struct Scratch {
  std::vector<float> floats;
  float* at = nullptr;
  explicit Scratch(std::size_t count) : floats(count + 16) {
    void* p = floats.data();
    std::size_t space = floats.size() * sizeof(float);
    at = static_cast<float*>(std::align(64, count * sizeof(float), p, space));
  }
};

}  // namespace shingle::kernels
