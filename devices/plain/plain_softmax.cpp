// The softmax of lines: along an axis, or along c in groups. A line's exponentials are summed in
// double, element i in sum i mod 8; then the eight are added. What is divided is the same float
// that was summed, so no bit depends on how much of a line is wanted.
#include <algorithm>
#include <array>
#include <limits>

#include "devices/executor/view.hpp"
#include "devices/plain/elementwise.hpp"
#include "devices/plain/float_math.hpp"
#include "devices/plain/plain_operators.hpp"

namespace shingle {

namespace {

constexpr float lowest = -std::numeric_limits<float>::infinity();

// The elements along the softmax's axis through one place.
struct Line {
  const float* in = nullptr;
  int64_t stride = 1;
  int32_t size = 0;
};

struct LineSummary {
  float maximum = lowest;
  double sum = 0.0;  // of exp(element - maximum)
};

// Exponentials are taken a few at a time, as the vectorised loops take them.
constexpr int32_t batch = 64;
using Batch = std::array<float, batch>;

void take_exp(Batch& values, int32_t count) {
  activate({.kind = Activation::Kind::exp}, values.data(), values.data(), count);
}

constexpr int32_t lanes = 8;
static_assert(batch % lanes == 0);

float larger(float a, float b) { return b > a ? b : a; }  // `a` where b is not a number

float maximum_of(const Line& line) {
  float maximum = lowest;
  int32_t i = 0;
  if (line.stride == 1) {
    std::array<float, lanes> maxima;
    maxima.fill(lowest);
    for (; i + lanes <= line.size; i += lanes) {
      for (size_t lane = 0; lane < lanes; ++lane)
        maxima[lane] = larger(maxima[lane], line.in[i + static_cast<int32_t>(lane)]);
    }
    for (const float value : maxima) maximum = larger(maximum, value);
  }
  for (; i < line.size; ++i) maximum = larger(maximum, line.in[i * line.stride]);
  return maximum;
}

class LaneSum {
 public:
  // REQUIRES: every call but the last one adds a multiple of the lanes.
  void add(const float* values, int32_t count) {
    int32_t i = 0;
    for (; i + lanes <= count; i += lanes) {
      for (size_t lane = 0; lane < lanes; ++lane)
        sums_[lane] += static_cast<double>(values[i + static_cast<int32_t>(lane)]);
    }
    for (size_t lane = 0; i < count; ++i, ++lane) sums_[lane] += static_cast<double>(values[i]);
  }

  double total() const {
    return ((sums_[0] + sums_[4]) + (sums_[2] + sums_[6])) +
           ((sums_[1] + sums_[5]) + (sums_[3] + sums_[7]));
  }

 private:
  std::array<double, lanes> sums_{};
};

double sum_of(const float* values, int32_t count) {
  LaneSum sum;
  sum.add(values, count);
  return sum.total();
}

LineSummary summarise(const Line& line) {
  LineSummary result{.maximum = maximum_of(line), .sum = 0.0};
  Batch values;
  LaneSum sum;
  for (int32_t first = 0; first < line.size; first += batch) {
    const int32_t count = std::min(batch, line.size - first);
    for (int32_t i = 0; i < count; ++i) {
      values[static_cast<size_t>(i)] = line.in[(first + i) * line.stride] - result.maximum;
    }
    take_exp(values, count);
    sum.add(values.data(), count);
  }
  result.sum = sum.total();
  return result;
}

float softmax_of(float value, const LineSummary& line, bool log) {
  const float shifted = value - line.maximum;
  if (log) return shifted - float_math::log(static_cast<float>(line.sum));
  return static_cast<float>(static_cast<double>(float_math::exp(shifted)) / line.sum);
}

// A line along c whose every element is wanted: its exponentials wait in the output.
void softmax_of_whole_line(const float* in, int32_t size, float* out) {
  const float maximum = maximum_of({in, 1, size});
  for (int32_t i = 0; i < size; ++i) out[i] = in[i] - maximum;
  activate({.kind = Activation::Kind::exp}, out, out, size);
  const double sum = sum_of(out, size);
  for (int32_t i = 0; i < size; ++i) {
    out[i] = static_cast<float>(static_cast<double>(out[i]) / sum);
  }
}

// Lines along c, one for each of a few pixels beside each other, that a batch holds together: every
// exponential is taken once.
struct ShortLines {
  const float* in = nullptr;
  int64_t pixel = 0;  // from one to the next
  int32_t size = 0, count = 0;
};

// `wanted`: of each line.
void softmax_of(const ShortLines& lines, Span wanted, float* out, int64_t out_pixel) {
  Batch values;
  float* value = values.data();
  for (int32_t line = 0; line < lines.count; ++line) {
    const float* in = lines.in + line * lines.pixel;
    const float maximum = maximum_of({in, 1, lines.size});
    for (int32_t i = 0; i < lines.size; ++i) *value++ = in[i] - maximum;
  }
  take_exp(values, lines.size * lines.count);
  for (int32_t line = 0; line < lines.count; ++line, out += out_pixel) {
    const float* of_line = values.data() + line * lines.size;
    const double sum = sum_of(of_line, lines.size);
    for (int32_t i = wanted.begin; i < wanted.end; ++i) {
      out[i - wanted.begin] = static_cast<float>(static_cast<double>(of_line[i]) / sum);
    }
  }
}

// Lines along c that start at channel `line.begin`; `wanted`: channels.
void softmax_of_short_lines(const PlainCall& call, Span line, Span wanted) {
  const ConstTensorView& in = call.inputs[0];
  const Region& region = call.region;
  const int32_t most = batch / line.size();
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    for (int32_t x = region.x.begin; x < region.x.end; x += most) {
      softmax_of({.in = at(in, y, x, line.begin),
                  .pixel = in.region.c.size(),
                  .size = line.size(),
                  .count = std::min(most, region.x.end - x)},
                 {wanted.begin - line.begin, wanted.end - line.begin},
                 at(call.output, y, x, wanted.begin), call.output.region.c.size());
    }
  }
}

void softmax_of_long_lines(const PlainCall& call, bool log, Span line, Span wanted) {
  const Region& region = call.region;
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    for (int32_t x = region.x.begin; x < region.x.end; ++x) {
      const float* in = at(call.inputs[0], y, x, line.begin);
      float* out = at(call.output, y, x, wanted.begin);
      if (wanted == line && !log) {
        softmax_of_whole_line(in, line.size(), out);
        continue;
      }
      const LineSummary summary = summarise({in, 1, line.size()});
      for (int32_t c = wanted.begin; c < wanted.end; ++c)
        *out++ = softmax_of(in[c - line.begin], summary, log);
    }
  }
}

void softmax_along_channels(const PlainCall& call, const Softmax& op) {
  const int32_t size = call.model.at(call.layer.inputs[0]).shape.c / op.groups;
  const Span channels = call.region.c;
  for (int32_t begin = channels.begin / size * size; begin < channels.end; begin += size) {
    const Span line{begin, begin + size}, wanted = intersect(line, channels);
    if (size <= batch && !op.log) {
      softmax_of_short_lines(call, line, wanted);
    } else {
      softmax_of_long_lines(call, op.log, line, wanted);
    }
  }
}

}  // namespace

void run_operator(const PlainCall& call, const Softmax& op) {
  if (op.axis == Axis::c) return softmax_along_channels(call, op);
  const ConstTensorView& in = call.inputs[0];
  const Shape shape = call.model.at(call.layer.inputs[0]).shape;
  const Region &region = call.region, &box = in.region;
  const bool down = op.axis == Axis::y;
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    for (int32_t x = region.x.begin; x < region.x.end; ++x) {
      for (int32_t c = region.c.begin; c < region.c.end; ++c) {
        const LineSummary line =
            down ? summarise({at(in, 0, x, c), int64_t{box.x.size()} * box.c.size(), shape.h})
                 : summarise({at(in, y, 0, c), box.c.size(), shape.w});
        *at(call.output, y, x, c) = softmax_of(*at(in, y, x, c), line, op.log);
      }
    }
  }
}

}  // namespace shingle
