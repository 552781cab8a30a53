// Operators that gather many elements into few: pooling, reductions. Sums and products are in
// double, in (y, x, c) order, rounded once; but the channels of a pixel are summed as LaneSum says.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "devices/executor/view.hpp"
#include "devices/plain/elementwise.hpp"
#include "devices/plain/plain_operators.hpp"

namespace shingle {

namespace {

constexpr int32_t lanes = 64;  // channels taken side by side: 512 bytes of the stack
constexpr float lowest = -std::numeric_limits<float>::infinity();

// The taps of one output along an axis that lie on the map, and where the first one reads.
struct Taps {
  int64_t first = 0;    // input index
  int32_t count = 0;    // on the map
  int32_t counted = 0;  // within the declared padding
};

int64_t divided_up(int64_t value, int64_t by) { return value <= 0 ? 0 : (value + by - 1) / by; }

Taps taps_of(const Window& window, int32_t output, int32_t size) {
  const int64_t start = int64_t{output} * window.stride - window.pad_begin;
  const auto below = [&](int64_t limit) {  // taps that read before `limit`
    return std::min<int64_t>(divided_up(limit - start, window.dilation), window.kernel);
  };
  const int64_t off_map = below(0), on_map = below(size);
  return {start + off_map * window.dilation, static_cast<int32_t>(on_map - off_map),
          static_cast<int32_t>(below(int64_t{size} + window.pad_end))};
}

// A rectangle of inputs at regular distances, and the channels to gather.
struct Field {
  const ConstTensorView& in;
  Taps y, x;
  int32_t step_y = 1, step_x = 1;
};

template <class Visit>
void for_each_pixel(const Field& field, int32_t c, Visit visit) {
  for (int32_t i = 0; i < field.y.count; ++i) {
    for (int32_t j = 0; j < field.x.count; ++j) {
      const auto y = static_cast<int32_t>(field.y.first) + i * field.step_y;
      const auto x = static_cast<int32_t>(field.x.first) + j * field.step_x;
      visit(at(field.in, y, x, c));
    }
  }
}

void gather_maximum(const Field& field, Span channels, float* out) {
  std::fill_n(out, channels.size(), lowest);
  for_each_pixel(field, channels.begin, [&](const float* pixel) {
    for (int32_t i = 0; i < channels.size(); ++i) out[i] = pixel[i] > out[i] ? pixel[i] : out[i];
  });
}

void gather_sum(const Field& field, Span channels, double divisor, float* out) {
  constexpr int32_t together = 256;  // channels: 2 KiB of the stack
  const int64_t step = int64_t{field.step_x} * field.in.region.c.size();
  const auto x = static_cast<int32_t>(field.x.first);
  for (int32_t c = channels.begin; c < channels.end; c += together) {
    const int32_t run = std::min(together, channels.end - c);
    std::array<double, together> sums;
    std::fill_n(sums.begin(), run, 0.0);
    for (int32_t i = 0; field.x.count > 0 && i < field.y.count; ++i) {
      const auto y = static_cast<int32_t>(field.y.first) + i * field.step_y;
      add_pixels({at(field.in, y, x, c), step, field.x.count}, run, sums.data());
    }
    for (int32_t i = 0; i < run; ++i)
      *out++ = static_cast<float>(sums[static_cast<size_t>(i)] / divisor);
  }
}

void gather_product(const Field& field, Span channels, float* out) {
  for (int32_t c = channels.begin; c < channels.end; c += lanes) {
    const int32_t run = std::min(lanes, channels.end - c);
    std::array<double, lanes> products;
    products.fill(1.0);
    for_each_pixel(field, c, [&](const float* pixel) {
      for (int32_t i = 0; i < run; ++i)
        products[static_cast<size_t>(i)] *= static_cast<double>(pixel[i]);
    });
    for (int32_t i = 0; i < run; ++i) *out++ = static_cast<float>(products[static_cast<size_t>(i)]);
  }
}

// By channel: the number, in the field's order, of the first pixel that holds its maximum.
void gather_arg_max(const Field& field, Span channels, float* out) {
  std::fill_n(out, channels.size(), 0.0F);
  for (int32_t c = channels.begin; c < channels.end; c += lanes, out += lanes) {
    const int32_t run = std::min(lanes, channels.end - c);
    std::array<float, lanes> maxima;
    maxima.fill(lowest);
    int32_t index = 0;
    for_each_pixel(field, c, [&](const float* pixel) {
      for (int32_t i = 0; i < run; ++i) {
        float& maximum = maxima[static_cast<size_t>(i)];
        if (!(pixel[i] > maximum)) continue;
        maximum = pixel[i];
        out[i] = static_cast<float>(index);
      }
      ++index;
    });
  }
}

bool comes_before(float value, float maximum) {
  return value > maximum || (std::isnan(value) && !std::isnan(maximum));
}

// By channel: where the first tap that holds the maximum lies on a map of `width`; NaN counts as
// the largest.
void gather_place(const Field& field, int32_t width, Span channels, float* out) {
  const auto place = [&](int32_t tap) {
    const int64_t y = field.y.first + int64_t{tap / field.x.count} * field.step_y;
    const int64_t x = field.x.first + int64_t{tap % field.x.count} * field.step_x;
    return static_cast<float>(y * width + x);
  };
  const bool on_map = field.y.count > 0 && field.x.count > 0;
  std::fill_n(out, channels.size(), on_map ? place(0) : 0.0F);
  for (int32_t c = channels.begin; c < channels.end; c += lanes, out += lanes) {
    const int32_t run = std::min(lanes, channels.end - c);
    std::array<float, lanes> maxima;
    maxima.fill(lowest);
    int32_t tap = 0;
    for_each_pixel(field, c, [&](const float* pixel) {
      for (int32_t i = 0; i < run; ++i) {
        float& maximum = maxima[static_cast<size_t>(i)];
        if (!comes_before(pixel[i], maximum)) continue;
        maximum = pixel[i];
        out[i] = place(tap);
      }
      ++tap;
    });
  }
}

template <class Compute>
void for_each_output_pixel(const Region& region, Compute compute) {
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    for (int32_t x = region.x.begin; x < region.x.end; ++x) compute(y, x);
  }
}

}  // namespace

void run_operator(const PlainCall& call, const Pooling& op) {
  const Shape in = call.model.at(call.layer.inputs[0]).shape;
  const Span channels = call.region.c;
  for_each_output_pixel(call.region, [&](int32_t y, int32_t x) {
    const Field field{call.inputs[0], taps_of(op.y, y, in.h), taps_of(op.x, x, in.w), op.y.dilation,
                      op.x.dilation};
    float* out = at(call.output, y, x, channels.begin);
    if (op.kind == Pooling::Kind::max) return gather_maximum(field, channels, out);
    if (op.kind == Pooling::Kind::max_place) return gather_place(field, in.w, channels, out);
    const int64_t divisor = op.count_padding ? int64_t{field.y.counted} * field.x.counted
                                             : int64_t{field.y.count} * field.x.count;
    // No tap on the map: the sum of nothing, divided by one, is 0.
    gather_sum(field, channels, static_cast<double>(std::max<int64_t>(divisor, 1)), out);
  });
}

namespace {

// The field's channels 0 to `channels`, as one number each.
double sum_of_all(const Field& field, int32_t channels) {
  double sum = 0.0;
  for_each_pixel(field, 0, [&](const float* pixel) { sum += sum_of(pixel, channels); });
  return sum;
}

double product_of_all(const Field& field, int32_t channels) {
  double product = 1.0;
  for_each_pixel(field, 0, [&](const float* pixel) {
    for (int32_t c = 0; c < channels; ++c) product *= static_cast<double>(pixel[c]);
  });
  return product;
}

struct Largest {
  float value = lowest;
  int32_t channel = 0;  // of the first one; counts where the field is one pixel
};

Largest largest_of_all(const Field& field, int32_t channels) {
  Largest found;
  for_each_pixel(field, 0, [&](const float* pixel) {
    for (int32_t c = 0; c < channels; ++c) {
      if (pixel[c] > found.value) found = {pixel[c], c};
    }
  });
  return found;
}

float reduce_all(Reduction::Kind kind, const Field& field, int32_t channels) {
  const auto count = static_cast<double>(int64_t{field.y.count} * field.x.count * channels);
  switch (kind) {
    case Reduction::Kind::max:
      return largest_of_all(field, channels).value;
    case Reduction::Kind::arg_max:
      return static_cast<float>(largest_of_all(field, channels).channel);
    case Reduction::Kind::mean:
      return static_cast<float>(sum_of_all(field, channels) / count);
    case Reduction::Kind::product:
      return static_cast<float>(product_of_all(field, channels));
    case Reduction::Kind::sum:
      break;
  }
  return static_cast<float>(sum_of_all(field, channels));
}

}  // namespace

void run_operator(const PlainCall& call, const Reduction& op) {
  const Shape in = call.model.at(call.layer.inputs[0]).shape;
  const Span channels = call.region.c;
  const auto range = [](bool all, int32_t size, int32_t output) {
    return all ? Taps{0, size, size} : Taps{output, 1, 1};
  };
  for_each_output_pixel(call.region, [&](int32_t y, int32_t x) {
    const Field field{call.inputs[0], range(op.y, in.h, y), range(op.x, in.w, x)};
    float* out = at(call.output, y, x, channels.begin);
    if (op.c) {
      *out = reduce_all(op.kind, field, in.c);
    } else if (op.kind == Reduction::Kind::max) {
      gather_maximum(field, channels, out);
    } else if (op.kind == Reduction::Kind::arg_max) {
      gather_arg_max(field, channels, out);
    } else if (op.kind == Reduction::Kind::product) {
      gather_product(field, channels, out);
    } else {
      const int64_t count = int64_t{field.y.count} * field.x.count;
      gather_sum(field, channels,
                 op.kind == Reduction::Kind::mean ? static_cast<double>(count) : 1.0, out);
    }
  });
}

}  // namespace shingle
