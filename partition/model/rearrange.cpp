#include "partition/model/rearrange.hpp"

#include <algorithm>
#include <optional>

#include "partition/model/digits.hpp"

namespace shingle {

namespace {

// The smallest and the largest value of a sum of weighted digits over a range of indices.
struct Extremes {
  int64_t least = 0, most = 0;
};

// One digit of an output axis: its radix, and how far it moves along the input axis in question (0:
// it belongs to another axis).
struct Digit {
  int32_t radix = 1;
  int64_t weight = 0;
};

// Extremes over the indices [first, last] of the digits from `at` on (most significant first). If a
// digit takes several values, the lower digits reach their maximum below its last value and zero
// above its first value. So only the two ends of the range are examined further.
Extremes digit_extremes(const std::vector<Digit>& digits, size_t at, int64_t first, int64_t last) {
  if (at == digits.size()) return {};
  int64_t below = 1,
          all_below = 0;  // number of indices, and weighted sum, that the lower digits reach
  for (size_t i = at + 1; i < digits.size(); ++i) {
    below *= digits[i].radix;
    all_below += digits[i].weight * (digits[i].radix - 1);
  }
  const int64_t weight = digits[at].weight;
  if (first == 0 && last == below * digits[at].radix - 1) {
    return {0, all_below +
                   weight * (digits[at].radix - 1)};  // otherwise both ends would be split again
  }
  const int64_t low = first / below, high = last / below;
  if (low == high) {
    const Extremes rest = digit_extremes(digits, at + 1, first % below, last % below);
    return {low * weight + rest.least, low * weight + rest.most};
  }
  const Extremes start = digit_extremes(digits, at + 1, first % below, below - 1);
  const Extremes end = digit_extremes(digits, at + 1, 0, last % below);
  return {std::min(low * weight + start.least, (low + 1) * weight),
          std::max(high * weight + end.most, (high - 1) * weight + all_below)};
}

// The most significant factor above 1 of an axis; none for an axis of size 1.
std::optional<int32_t> leading_factor(const Rearrange& op, const std::vector<int32_t>& axis) {
  for (int32_t factor : axis) {
    if (op.factors[static_cast<size_t>(factor)] > 1) return factor;
  }
  return std::nullopt;
}

}  // namespace

// The digits of the three output axes move an input index independently, so their extremes add up.
Region rearrange_demand(const Rearrange& op, const Region& output) {
  const std::vector<int64_t> strides = strides_in_axis(op.factors, op.input_axes);
  const std::array<Span, 3> out{output.y, output.x, output.c};
  std::array<Span, 3> in;
  for (size_t input_axis = 0; input_axis < 3; ++input_axis) {
    std::vector<int64_t> weights(op.factors.size(), 0);
    for (int32_t factor : op.input_axes[input_axis]) {
      weights[static_cast<size_t>(factor)] = strides[static_cast<size_t>(factor)];
    }
    Extremes sum;
    for (size_t output_axis = 0; output_axis < 3; ++output_axis) {
      std::vector<Digit> digits;
      for (int32_t factor : op.output_axes[output_axis]) {
        const auto index = static_cast<size_t>(factor);
        digits.push_back({op.factors[index], weights[index]});
      }
      const Extremes part =
          digit_extremes(digits, 0, out[output_axis].begin, out[output_axis].end - 1);
      sum = {sum.least + part.least, sum.most + part.most};
    }
    in[input_axis] = {static_cast<int32_t>(sum.least), static_cast<int32_t>(sum.most + 1)};
  }
  return {in[0], in[1], in[2]};
}

bool keeps_neighbours(const Rearrange& op) {
  const std::optional<int32_t> output_y = leading_factor(op, op.output_axes[0]);
  const std::optional<int32_t> output_x = leading_factor(op, op.output_axes[1]);
  for (size_t axis = 0; axis < 2; ++axis) {
    const std::optional<int32_t> input = leading_factor(op, op.input_axes[axis]);
    if (input && input != output_y && input != output_x) return false;
  }
  return true;
}

}  // namespace shingle
