// The matrix product of two values. Each operand's layout is kept as far as the operator takes it,
// because in an attention the layouts fit already:
//
//   queries   [heads, n, d]   pixels are n, channels [heads][d]       first operand
//   keys      [heads, d, m]   pixels are m, channels [heads][d]       second operand, turned
//   scores    [heads, n, m]   pixels are n, channels [heads][m]       the product; and first
//   operand values    [heads, m, d]   pixels are m, channels [heads][d]       second operand
//
// A product whose transpose needs fewer moves is computed as that: the operands change places.
#include "partition/readers/onnx/operators/product.hpp"

#include <algorithm>

#include "partition/readers/onnx/operators/broadcast.hpp"

namespace shingle::onnx {

namespace {

using Digits = std::vector<int32_t>;  // factor indices

// An operand whose dims are told apart: those of the stack, the one that is summed, and the others.
// A leading dim that the other operand does not have is one of the others: so nothing is repeated.
struct Operand {
  Box box;
  std::vector<bool> stack, summed;  // by dim
};

Digits digits_of(const Operand& operand, const std::vector<bool>& marked) {
  Digits digits;
  for (size_t dim = 0; dim < marked.size(); ++dim) {
    const Digits& of_dim = operand.box.view.dims[dim];
    if (marked[dim]) digits.insert(digits.end(), of_dim.begin(), of_dim.end());
  }
  return digits;
}

Digits pixel_digits(const BoxAxes& box) {
  Digits pixels = box[0];
  pixels.insert(pixels.end(), box[1].begin(), box[1].end());
  return pixels;
}

const Digits& channels_of(const BoxAxes& box) { return box[static_cast<size_t>(Axis::c)]; }

Digits without(const Digits& digits, const Digits& taken) {
  Digits left;
  for (const int32_t digit : digits) {
    if (std::find(taken.begin(), taken.end(), digit) == taken.end()) left.push_back(digit);
  }
  return left;
}

// Channels are [stack][summed]: a first operand, or a second one that is turned.
BoxAxes summed_in_channels(const Operand& operand) {
  std::vector<bool> marked = operand.stack;
  for (size_t dim = 0; dim < marked.size(); ++dim) marked[dim] = marked[dim] || operand.summed[dim];
  return isolated(operand.box.view, marked);
}

// Pixels are what is summed, channels are [stack][others].
BoxAxes summed_in_pixels(const Operand& operand) {
  BoxAxes box = operand.box.view.box;
  const Digits stack = digits_of(operand, operand.stack);
  const Digits summed = digits_of(operand, operand.summed);
  Digits others = without(channels_of(box), stack);
  if (pixel_digits(box) != summed) {
    for (const Digits& axis : {box[0], box[1]}) {
      const Digits moved = without(without(axis, stack), summed);
      others.insert(others.end(), moved.begin(), moved.end());
    }
    others = without(others, summed);
    box[0] = summed;
    box[1].clear();
  }
  Digits channels = stack;
  channels.insert(channels.end(), others.begin(), others.end());
  box[static_cast<size_t>(Axis::c)] = channels;
  return box;
}

// The sizes of the digits that change their axis, added up. If few do, a part of the result needs a
// part of the box.
int64_t changed_axes(const Box& box, const BoxAxes& target) {
  int64_t sum = 0;
  for (size_t axis = 0; axis < target.size(); ++axis) {
    for (const int32_t digit : without(target[axis], box.view.box[axis]))
      sum += box.view.factors[static_cast<size_t>(digit)];
  }
  return sum;
}

// How the product is computed, how many elements move for it, and how far.
struct Way {
  bool exchanged = false;  // the transpose: the second value is the operator's first operand
  bool turned = false;
  BoxAxes first, second;
  int64_t moved = 0, changed = 0;
};

int64_t moved_elements(const Box& box, const BoxAxes& target) {
  return laid_out(box.view, target) == box.view ? 0 : box_shape(box.view).elements();
}

Way best_way(const Operand& a, const Operand& b) {
  std::optional<Way> best;
  for (const bool exchanged : {false, true}) {
    const Operand &first = exchanged ? b : a, &second = exchanged ? a : b;
    for (const bool turned : {false, true}) {
      Way way{.exchanged = exchanged,
              .turned = turned,
              .first = summed_in_channels(first),
              .second = turned ? summed_in_channels(second) : summed_in_pixels(second)};
      way.moved = moved_elements(first.box, way.first) + moved_elements(second.box, way.second);
      way.changed = changed_axes(first.box, way.first) + changed_axes(second.box, way.second);
      const auto effort = [](const Way& each) { return std::pair(each.moved, each.changed); };
      if (!best || effort(way) < effort(*best)) best = way;
    }
  }
  return *best;
}

// The view of the product of two operands that are laid out; `exchanged`: its last two dims come
// from the second and the first operand.
View view_of_product(const Operand& first, const Operand& second, const Way& way) {
  View view = first.box.view;
  const auto offset = static_cast<int32_t>(view.factors.size());
  const View& other = second.box.view;
  view.factors.insert(view.factors.end(), other.factors.begin(), other.factors.end());
  const auto append = [&](Digits& to, const Digits& from) {
    for (const int32_t digit : from) to.push_back(digit + offset);
  };
  const Digits columns = way.turned
                             ? pixel_digits(other.box)
                             : without(channels_of(other.box), digits_of(second, second.stack));
  Digits& channels = view.box[static_cast<size_t>(Axis::c)];
  channels = digits_of(first, first.stack);
  append(channels, columns);
  const size_t rank = view.dims.size();
  for (size_t dim = 0; dim + 2 < rank; ++dim)
    if (!first.stack[dim]) append(view.dims[dim], other.dims[dim]);
  const Digits rows = first.box.view.dims[way.exchanged ? rank - 1 : rank - 2];
  Digits others;
  append(others, other.dims[way.exchanged ? rank - 2 : rank - 1]);
  view.dims[rank - 2] = way.exchanged ? others : rows;
  view.dims[rank - 1] = way.exchanged ? rows : others;
  return normalised(view);
}

Dims leading(const Dims& dims) { return {dims.begin(), dims.end() - 2}; }

// `summed`: its dim that is summed, counted from the front.
Operand operand_of(const Box& box, const Dims& own, const Dims& other, size_t summed) {
  Operand operand{.box = box,
                  .stack = std::vector<bool>(own.size(), false),
                  .summed = std::vector<bool>(own.size(), false)};
  for (size_t dim = 0; dim + 2 < own.size(); ++dim) operand.stack[dim] = own[dim] == other[dim];
  operand.summed[summed] = true;
  return operand;
}

int64_t matrices(const Operand& operand) {
  int64_t count = 1;
  for (size_t dim = 0; dim < operand.stack.size(); ++dim)
    if (operand.stack[dim]) count *= size_of(operand.box.view, dim);
  return count;
}

}  // namespace

Box product(Node& node, Box a, Box b) {
  const Dims left = sizes(a.view), right = sizes(b.view);
  if (left.size() < 2 || right.size() < 2 || left.back() != right[right.size() - 2]) {
    node.refuse("its operands " + text_of(left) + " and " + text_of(right) + " do not fit");
  }
  Dims dims = broadcast(node, leading(left), leading(right));
  dims.insert(dims.end(), {left[left.size() - 2], right.back()});
  node.new_map(dims);  // refuses sizes beyond the limits
  const size_t rank = dims.size();
  a.view = padded(a.view, rank);
  b.view = padded(b.view, rank);
  const Dims of_a = sizes(a.view), of_b = sizes(b.view);
  Operand first = operand_of(a, of_a, of_b, rank - 1), second = operand_of(b, of_b, of_a, rank - 2);
  const Way way = best_way(first, second);
  if (way.exchanged) std::swap(first, second);
  first.box = node.laid_out(first.box, way.first);
  second.box = node.laid_out(second.box, way.second);
  return node.emit(
      MatrixProduct{.stack = static_cast<int32_t>(matrices(first)), .turned = way.turned},
      {first.box.tensor, second.box.tensor}, view_of_product(first, second, way));
}

}  // namespace shingle::onnx
