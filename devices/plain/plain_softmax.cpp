// The softmax of lines: along an axis, or along c in groups. A line's exponentials are summed as
// LaneSum says, and each is multiplied by the inverse of the sum, rounded to a float. So no bit
// depends on how much of a line is wanted.
#include <algorithm>
#include <array>
#include <limits>

#include "devices/executor/view.hpp"
#include "devices/plain/elementwise.hpp"
#include "devices/plain/float_math.hpp"
#include "devices/plain/lane_sum.hpp"
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

  float factor() const { return static_cast<float>(1.0 / sum); }
};

// Exponentials are taken a few at a time, as the vectorised loops take them.
constexpr int32_t batch = 64;
using Batch = std::array<float, batch>;

void take_exp(Batch& values, int32_t count) {
  activate({.kind = Activation::Kind::exp}, values.data(), values.data(), count);
}

float larger(float a, float b) { return b > a ? b : a; }  // `a` where b is not a number

float maximum_of(const Line& line) {
  float maximum = lowest;
  for (int32_t i = 0; i < line.size; ++i) maximum = larger(maximum, line.in[i * line.stride]);
  return maximum;
}

static_assert(batch % LaneSum::lanes == 0);

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
  return float_math::exp(shifted) * line.factor();
}

// Lines along c that start at channel `line.begin`; `wanted`: channels.
void softmax_of_lines(const PlainCall& call, bool log, Span line, Span wanted) {
  const Region& region = call.region;
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    for (int32_t x = region.x.begin; x < region.x.end; ++x) {
      const float* in = at(call.inputs[0], y, x, line.begin);
      float* out = at(call.output, y, x, wanted.begin);
      if (wanted == line && !log) {
        softmax(in, out, line.size());
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
    const Span line{begin, begin + size};
    softmax_of_lines(call, op.log, line, intersect(line, channels));
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
