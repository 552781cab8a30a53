// The order of the elements of lines. The places of the output are a heap of indices, so that no
// other memory is needed: a line of n elements costs n steps and, for the k that are wanted, about
// k log(k) log(n/k) more. Where the output begins behind the first place, four counts of the line
// find the element that it begins with.
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "devices/plain/indices.hpp"
#include "devices/plain/plain_operators.hpp"

namespace shingle {

namespace {

constexpr int32_t digit_bits = 8, digits = 4;
constexpr size_t digit_values = size_t{1} << digit_bits;

// Rises with the number. Both zeros are equal, and nothing is above NaN.
uint32_t rank_of(float value) {
  if (std::isnan(value)) return UINT32_MAX;
  constexpr uint32_t sign = 0x80000000U;
  const auto bits = std::bit_cast<uint32_t>(value + 0.0F);  // -0 + 0 is 0
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

// One line of the input. Of two elements, the one with the lower key comes first, of two with the
// same key the one with the lower index.
struct Line {
  const float* first;
  int64_t step;
  int32_t size;
  uint32_t flipped;  // all bits if the largest come first

  uint32_t key(int32_t i) const { return rank_of(first[i * step]) ^ flipped; }
  bool before(int32_t a, int32_t b) const {
    const uint32_t left = key(a), right = key(b);
    return left != right ? left < right : a < b;
  }
};

// The element at a place of the sorted line: its key, and how many with this key come before it.
struct Begin {
  uint32_t key = 0;
  int32_t equal = 0;
};

// Finds the key from its highest digit to its lowest one.
Begin element_at(const Line& line, int32_t place) {
  uint32_t found = 0, mask = 0;
  int32_t rest = place;  // among the keys that have the digits found so far
  for (int32_t digit = digits; digit-- > 0;) {
    const int32_t shift = digit * digit_bits;
    std::array<int32_t, digit_values> counts{};
    for (int32_t i = 0; i < line.size; ++i) {
      const uint32_t key = line.key(i);
      if ((key & mask) == found) ++counts[(key >> shift) % digit_values];
    }
    uint32_t value = 0;
    while (rest >= counts[value]) rest -= counts[value++];
    found |= value << shift;
    mask |= static_cast<uint32_t>(digit_values - 1) << shift;
  }
  return {found, rest};
}

// Places of the output, `step` apart, that hold indices as floats. The root of the heap is the one
// of them that comes last.
class Heap {
 public:
  Heap(const Line& line, float* first, int64_t step) : line_(line), first_(first), step_(step) {}

  int32_t size() const { return size_; }
  uint32_t last_key() const { return line_.key(at(0)); }

  void append(int32_t index) {
    int32_t place = size_++;
    while (place > 0 && line_.before(at((place - 1) / 2), index)) {
      put(place, at((place - 1) / 2));
      place = (place - 1) / 2;
    }
    put(place, index);
  }

  void replace_last(int32_t index) { sink(index, size_); }

  void sort() {
    for (int32_t left = size_ - 1; left > 0; --left) {
      const int32_t index = at(left);
      put(left, at(0));
      sink(index, left);
    }
  }

 private:
  int32_t at(int32_t place) const { return static_cast<int32_t>(first_[place * step_]); }
  void put(int32_t place, int32_t index) { first_[place * step_] = static_cast<float>(index); }

  // Puts `index` in the place of the root of the first `size` places.
  void sink(int32_t index, int32_t size) {
    int32_t place = 0;
    for (int32_t child = 1; child < size; child = 2 * place + 1) {
      if (child + 1 < size && line_.before(at(child), at(child + 1))) ++child;
      if (!line_.before(index, at(child))) break;
      put(place, at(child));
      place = child;
    }
    put(place, index);
  }

  const Line& line_;
  float* first_;
  int64_t step_;
  int32_t size_ = 0;
};

// The indices at places [wanted) of the sorted line.
void sort_part(const Line& line, Span wanted, Heap heap) {
  Begin begin = wanted.begin > 0 ? element_at(line, wanted.begin) : Begin{};
  uint32_t last = 0;  // the key of the heap's root
  for (int32_t i = 0; i < line.size; ++i) {
    const uint32_t key = line.key(i);
    const bool full = heap.size() == wanted.size();
    // Of equal elements, those in the heap come first.
    if (key < begin.key || (full && key >= last)) continue;
    if (key == begin.key && begin.equal > 0) {
      --begin.equal;
      continue;
    }
    if (full)
      heap.replace_last(i);
    else
      heap.append(i);
    last = heap.last_key();
  }
  heap.sort();
}

}  // namespace

void run_operator(const PlainCall& call, const Order& op) {
  const ConstTensorView& in = call.inputs[0];
  const Span wanted = span_along(call.region, op.axis);
  Region starts = call.region;  // one element of each line
  Span& along = op.axis == Axis::y ? starts.y : op.axis == Axis::x ? starts.x : starts.c;
  along.end = along.begin + 1;
  const int64_t step = step_along(in.region, op.axis);
  const int64_t out_step = step_along(call.output.region, op.axis);
  const int32_t size = size_along(call.model.at(call.layer.inputs[0]).shape, op.axis);
  for (int32_t y = starts.y.begin; y < starts.y.end; ++y) {
    for (int32_t x = starts.x.begin; x < starts.x.end; ++x) {
      for (int32_t c = starts.c.begin; c < starts.c.end; ++c) {
        const float* first = at(in, op.axis == Axis::y ? 0 : y, op.axis == Axis::x ? 0 : x,
                                op.axis == Axis::c ? 0 : c);
        const Line line{first, step, size, op.largest ? UINT32_MAX : 0};
        sort_part(line, wanted, Heap(line, at(call.output, y, x, c), out_step));
      }
    }
  }
}

}  // namespace shingle
