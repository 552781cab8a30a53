#include <algorithm>

#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/counts/carry.hpp"
#include "partition/readers/onnx/operators/counts/lists.hpp"
#include "partition/readers/onnx/operators/counts/masks.hpp"
#include "partition/readers/onnx/operators/counts/rules.hpp"
#include "partition/readers/onnx/operators/pad.hpp"

namespace shingle::onnx {

namespace {

// How many places of a dim count.
Amount places_of(const Counts& counts, size_t dim, int64_t size) {
  const Amount* count = count_of(counts, dim);
  return count != nullptr ? *count : known_amount(size);
}

// An end of a slice; a negative one counts from the end.
Amount end_of(Node& node, const Amount& end, const Amount& places) {
  const Amount zero;
  if (end.low() >= 0) return smaller(node, end, places);
  if (end.high() < 0)
    return larger(node, sum(node, places, larger(node, end, known_amount(-places.high()))), zero);
  node.refuse("its end depends on the input and may be negative or not");
}

struct SliceLists {
  std::vector<Amount> starts, ends;
  Dims axes, steps;
};

SliceLists slice_lists(Node& node, size_t rank) {
  SliceLists lists{.starts = list_at(node, 1).elements,
                   .ends = list_at(node, 2).elements,
                   .axes = node.has(3) ? node.integer_list(3) : Dims{},
                   .steps = node.has(4) ? node.integer_list(4) : Dims{}};
  const size_t count = lists.starts.size();
  if (lists.axes.empty())
    for (size_t i = 0; i < count; ++i) lists.axes.push_back(static_cast<int64_t>(i));
  if (lists.steps.empty()) lists.steps.assign(count, 1);
  if (lists.ends.size() != count || lists.axes.size() != count || lists.steps.size() != count ||
      count > rank)
    node.refuse("its starts, ends, axes and steps differ in number");
  return lists;
}

}  // namespace

void size_slice(Node& node, Translation translate) {
  const Dims dims = node.dims(0);
  Counts counts = counts_at(node, 0), after;
  if (node.opset() < 10)
    node.refuse("its input has a size that depends on the input; export it with opset 10");
  SliceLists lists = slice_lists(node, dims.size());
  for (size_t i = 0; i < lists.axes.size(); ++i) {
    const size_t dim = node.axis(lists.axes[i], dims.size());
    Amount &start = lists.starts[i], &end = lists.ends[i];
    if (count_of(counts, dim) == nullptr && start.known() && end.known()) continue;
    const Amount places = places_of(counts, dim, dims[dim]);
    if (lists.steps[i] != 1)
      node.refuse("its step is not 1 along a dimension whose size depends on the input");
    if (!start.known() || start.constant < 0)
      node.refuse("its start depends on the input, and shingle follows ends that do");
    end = end_of(node, end, places);
    const Amount count = larger(node, difference(node, end, start), Amount{});
    std::erase_if(counts, [&](const Counted& counted) { return counted.dim == dim; });
    add_count(node, after, dim, count);
    end = known_amount(end.high());
  }
  for (const Counted& counted : counts) add_count(node, after, counted.dim, counted.count);
  const Dims one{std::ssize(lists.starts)};
  node.replace(1, highest(node, {.dims = one, .elements = lists.starts}));
  node.replace(2, highest(node, {.dims = one, .elements = lists.ends}));
  translate(node);
  set_counts(node, 0, after);
}

// What stands behind the count becomes the border's value, so the border may begin anywhere.
void size_pad(Node& node, Translation translate) {
  const Dims dims = node.dims(0);
  const Counts counts = counts_at(node, 0);
  if (node.opset() < 11)
    node.refuse("its input has a size that depends on the input; export it with opset 11");
  AmountList pads = list_at(node, 1);
  const std::vector<size_t> along = padded_dims(node, dims.size());
  if (pads.elements.size() != 2 * along.size())
    node.refuse("it does not have two pads for each dimension");
  const bool is_constant = node.text("mode", "constant") == "constant";
  const float value = node.has(2) ? node.scalar(2) : 0.0F;
  Counts after;
  for (const Counted& counted : counts)
    if (std::ranges::find(along, counted.dim) == along.end())
      add_count(node, after, counted.dim, counted.count);
  for (size_t i = 0; i < along.size(); ++i) {
    const size_t dim = along[i];
    Amount &first = pads.elements[i], &last = pads.elements[along.size() + i];
    const Amount places = places_of(counts, dim, dims[dim]);
    if (first.known() && last.known() && places.known()) continue;
    if (!first.known() || first.constant < 0)
      node.refuse(
          "what it adds before its input depends on the input, and shingle follows what is "
          "added behind");
    if (!is_constant && (first != last || first != Amount{}))
      node.refuse("it mirrors or repeats a border whose place depends on the input");
    const Amount total = sum(node, sum(node, first, places), last);
    mask_dim(node, 0, dim, value);
    last = known_amount(total.high() - first.constant - dims[dim]);
    add_count(node, after, dim, larger(node, total, Amount{}));
  }
  node.replace(1, highest(node, pads));
  translate(node);
  set_counts(node, 0, after);
}

void size_expand(Node& node, Translation translate) {
  const Dims from = node.dims(0);
  const Counts counts = counts_at(node, 0);
  const AmountList wanted = list_at(node, 1);
  const size_t rank = std::max(from.size(), wanted.elements.size());
  Counts after;
  for (const Counted& counted : counts)
    add_count(node, after, counted.dim + rank - from.size(), counted.count);
  for (size_t i = 0; i < wanted.elements.size(); ++i) {
    const Amount& size = wanted.elements[i];
    const size_t dim = i + rank - wanted.elements.size();
    const bool stretches = dim + from.size() < rank || from[dim + from.size() - rank] == 1;
    if (size.known()) {
      if (stretches && size.constant > 1 && count_of(after, dim) != nullptr)
        check_broadcast(node, 1, size.constant);
      continue;
    }
    if (!stretches && count_of(after, dim) == nullptr)
      node.refuse("it expands a dimension that is not 1 to a size that depends on the input");
    add_count(node, after, dim, size);
  }
  node.replace(1, highest(node, wanted));
  translate(node);
  set_counts(node, 0, after);
}

void size_constant(Node& node, Translation translate) {
  const AmountList wanted = list_at(node, 0);
  Counts counts;
  for (size_t dim = 0; dim < wanted.elements.size(); ++dim)
    add_count(node, counts, dim, wanted.elements[dim]);
  node.replace(0, highest(node, wanted));
  translate(node);
  set_counts(node, 0, counts);
}

// A range from 0 by the same steps, of the highest length, and the start added.
void size_range(Node& node, Translation translate) {
  const Amount start = amount_at(node, 0), limit = amount_at(node, 1), step = amount_at(node, 2);
  if (!step.known() || step.constant == 0) node.refuse("its step is 0 or depends on the input");
  const int64_t by = step.constant, width = by < 0 ? -by : by;
  const Amount reach = by > 0 ? difference(node, limit, start) : difference(node, start, limit);
  const Amount round = sum(node, reach, known_amount(width - 1));
  const Amount count = larger(node, quotient(node, round, width), Amount{});
  if (count.high() < 1) node.refuse("nothing is left of its range");
  const auto number = [&](int64_t value) { return node.store().integers({}, {value}); };
  node.replace(0, number(0));
  node.replace(1, number(product(node, known_amount(count.high()), step).constant));
  translate(node);
  const Value offsets = *node.made(0);
  const Box first{.tensor = tensor_of(node, start), .view = map_view({})};
  if (start.known())
    node.set(folded_binary(node, "Add", std::get<Constant>(offsets), number(start.constant)));
  else
    node.set(combine(node, Binary::Kind::add, offsets, first));
  Counts counts;
  add_count(node, counts, 0, count);
  set_counts(node, 0, counts);
}

void size_tile(Node& node, Translation translate) {
  const Counts counts = counts_at(node, 0);
  const Dims times = node.integer_list(1);
  for (const Counted& counted : counts)
    if (counted.dim < times.size() && times[counted.dim] != 1)
      node.refuse("it repeats a dimension whose size depends on the input");
  translate(node);
  set_counts(node, 0, counts);
}

}  // namespace shingle::onnx
