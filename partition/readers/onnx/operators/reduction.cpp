// Operators that combine all elements of some dims: reductions, global pooling, softmax.
#include "partition/readers/onnx/operators/reduction.hpp"

#include <algorithm>

#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/operators.hpp"

namespace shingle::onnx {

Box with_channels(Node& node, const Box& box, const std::vector<bool>& marked) {
  const BoxAxes map = arranged(box.view, map_axes(sizes(box.view)));
  const bool will_do = axis_of(laid_out(box.view, map), marked) == Axis::c;
  return node.laid_out(box, will_do ? map : isolated(box.view, marked));
}

namespace {

// Along y last: of a map that is cut into rows, each node then reduces its own, and only one value
// of each row moves. Products, and sums of whole numbers, are rounded once: a row's could overflow
// or be inexact where all together are not.
Box by_axes(Node& node, Reduction::Kind kind, const Box& box, const std::array<bool, 3>& axes,
            const View& result) {
  const Shape shape = box_shape(box.view);
  const Reduction rows{.kind = kind, .y = false, .x = axes[1], .c = axes[2]};
  const bool in_rows = (axes[1] && shape.w > 1) || (axes[2] && shape.c > 1);
  const bool rounds_once = kind == Reduction::Kind::product || box.numbers != Numbers::real;
  if (!axes[0] || shape.h == 1 || !in_rows || rounds_once) {
    return node.emit(Reduction{.kind = kind, .y = axes[0], .x = axes[1], .c = axes[2]},
                     {box.tensor}, result);
  }
  const View lines = map_view({axes[2] ? 1 : shape.c, shape.h, axes[1] ? 1 : shape.w},
                              {Axis::c, Axis::y, Axis::x});
  const Box line_values = node.emit(rows, {box.tensor}, lines);
  return node.emit(Reduction{.kind = kind, .y = true}, {line_values.tensor}, result);
}

}  // namespace

Box reduced(Node& node, Reduction::Kind kind, const Box& box, const std::vector<bool>& marked) {
  const auto whole = whole_axes(box.view, marked);
  if (whole == std::array<bool, 3>{}) return {box.tensor, collapsed(box.view, marked), box.sole};
  if (whole) return by_axes(node, kind, box, *whole, collapsed(box.view, marked));
  const Box laid = with_channels(node, box, marked);
  return node.emit(Reduction{.kind = kind, .c = true}, {laid.tensor}, collapsed(laid.view, marked));
}

Box without(Box box, const std::vector<bool>& marked) {
  std::vector<std::vector<int32_t>> kept;
  for (size_t dim = 0; dim < marked.size(); ++dim) {
    if (!marked[dim]) kept.push_back(box.view.dims[dim]);
  }
  box.view.dims = std::move(kept);
  return box;
}

Box squared(Node& node, const Box& box) { return combine(node, Binary::Kind::mul, box, box); }

std::vector<bool> reduced_dims(Node& node, size_t rank) {
  const bool by_input = node.opset() >= (node.op() == "ReduceSum" ? 13 : 18);
  const Dims axes = !by_input ? node.integers("axes") : node.has(1) ? node.integer_list(1) : Dims{};
  const bool none_means_all = !by_input || node.integer("noop_with_empty_axes", 0) == 0;
  std::vector<bool> marked(rank, axes.empty() && none_means_all);
  for (const int64_t axis : axes) marked[node.axis(axis, rank)] = true;
  return marked;
}

namespace {

// log(sum(exp(x))); the largest x is subtracted first, so that no exponential overflows.
Box log_sum_exp(Node& node, const Box& box, const std::vector<bool>& marked) {
  const Box largest = reduced(node, Reduction::Kind::max, box, marked);
  const Box shifted = combine(node, Binary::Kind::sub, box, largest);
  const Box raised = node.activate(shifted, {.kind = Activation::Kind::exp});
  const Box sum = reduced(node, Reduction::Kind::sum, raised, marked);
  return combine(node, Binary::Kind::add, node.activate(sum, {.kind = Activation::Kind::log}),
                 largest);
}

int64_t marked_elements(const Box& box, const std::vector<bool>& marked) {
  int64_t count = 1;
  for (size_t dim = 0; dim < marked.size(); ++dim)
    if (marked[dim]) count *= size_of(box.view, dim);
  return count;
}

// The mean of whole numbers: their sum is exact, and the quotient nearest to the true one never
// lies beyond the whole number between.
Box whole_mean(Node& node, const Box& box, const std::vector<bool>& marked) {
  const Box sum = reduced(node, Reduction::Kind::sum, box, marked);
  return combine(node, Binary::Kind::div, sum, static_cast<float>(marked_elements(box, marked)));
}

Box reduction_of(Node& node, const Box& box, const std::vector<bool>& marked) {
  using Kind = Activation::Kind;
  const std::string_view op = node.op();
  const auto sum = [&](const Box& terms) {
    return reduced(node, Reduction::Kind::sum, terms, marked);
  };
  if (op == "ReduceMean" && box.numbers != Numbers::real) return whole_mean(node, box, marked);
  if (op == "ReduceMean") return reduced(node, Reduction::Kind::mean, box, marked);
  if (op == "ReduceProd") return reduced(node, Reduction::Kind::product, box, marked);
  if (op == "ReduceMax") return reduced(node, Reduction::Kind::max, box, marked);
  if (op == "ReduceMin") {
    const Box negated = node.activate(box, {.kind = Kind::neg});
    return node.activate(reduced(node, Reduction::Kind::max, negated, marked), {.kind = Kind::neg});
  }
  if (op == "ReduceL1") return sum(node.activate(box, {.kind = Kind::abs}));
  if (op == "ReduceL2") return node.activate(sum(squared(node, box)), {.kind = Kind::sqrt});
  if (op == "ReduceSumSquare") return sum(squared(node, box));
  if (op == "ReduceLogSum") return node.activate(sum(box), {.kind = Kind::log});
  if (op == "ReduceLogSumExp") return log_sum_exp(node, box, marked);
  return sum(box);
}

bool leaves_whole_numbers(std::string_view op) {
  return op == "ReduceMean" || op == "ReduceL2" || op == "ReduceLogSum" || op == "ReduceLogSumExp";
}

}  // namespace

void global_pool(Node& node) {
  const Box box = node.box(0);
  std::vector<bool> marked(box.view.dims.size(), true);
  if (marked.size() < 3) node.refuse("its input is " + text_of(sizes(box.view)));
  marked[0] = marked[1] = false;
  const bool average = node.op() == "GlobalAveragePool";
  node.set(reduced(node, average ? Reduction::Kind::mean : Reduction::Kind::max, box, marked));
}

void reduce(Node& node) {
  if (node.is_constant(0)) {
    const Constant& known = node.constant(0);
    return node.set(folded_reduction(node, known, reduced_dims(node, known.dims.size())));
  }
  const Box box = node.box(0);
  const size_t rank = box.view.dims.size();
  const std::vector<bool> marked = reduced_dims(node, rank);
  Box result = reduction_of(node, box, marked);
  if (box.numbers != Numbers::real && leaves_whole_numbers(node.op()))
    result = node.activate(result, {.kind = Activation::Kind::truncate});
  node.set(node.integer("keepdims", 1) == 0 ? without(result, marked) : result);
}

namespace {

// If the marked dims make up the innermost digits of the channels: how many groups of channels the
// others make.
std::optional<int64_t> groups_around(const View& view, const std::vector<bool>& marked) {
  std::vector<int32_t> innermost;
  for (size_t dim = 0; dim < marked.size(); ++dim) {
    if (marked[dim])
      innermost.insert(innermost.end(), view.dims[dim].begin(), view.dims[dim].end());
  }
  const std::vector<int32_t>& channels = view.box[static_cast<size_t>(Axis::c)];
  if (innermost.empty() || innermost.size() > channels.size()) return std::nullopt;
  const auto rest = channels.end() - std::ssize(innermost);
  if (!std::is_permutation(rest, channels.end(), innermost.begin())) return std::nullopt;
  int64_t groups = 1;
  for (auto digit = channels.begin(); digit != rest; ++digit)
    groups *= view.factors[static_cast<size_t>(*digit)];
  return groups;
}

}  // namespace

Box softmax_over(Node& node, const Box& box, const std::vector<bool>& marked, bool log) {
  const std::optional<Axis> along = axis_of(box.view, marked);
  const auto groups = along ? std::nullopt : groups_around(box.view, marked);
  const Box laid = along || groups ? box : with_channels(node, box, marked);
  const Softmax op{.axis = along.value_or(Axis::c),
                   .log = log,
                   .groups = static_cast<int32_t>(groups.value_or(1))};
  return node.emit(op, {laid.tensor}, laid.view);
}

void softmax(Node& node) {
  const Box box = node.box(0);
  const size_t rank = box.view.dims.size();
  const bool flattens = node.opset() < 13;  // then all dims from the axis on form one dim
  const size_t axis = node.axis(node.integer("axis", flattens ? 1 : -1), rank);
  std::vector<bool> marked(rank, false);
  for (size_t dim = axis; dim < (flattens ? rank : axis + 1); ++dim) marked[dim] = true;
  node.set(softmax_over(node, box, marked, node.op() == "LogSoftmax"));
}

}  // namespace shingle::onnx
