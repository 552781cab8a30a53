// ReverseSequence: each sequence is read at indices that fall to its beginning and rise behind its
// end. Where the lengths are constant, so are the indices.
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/indexing/indexing.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"
#include "partition/readers/onnx/operators/values/logic.hpp"

namespace shingle::onnx {

namespace {

// 0, 1, ... along the time, from `first` on.
Constant steps(Node& node, const Dims& line, int64_t count, int64_t first) {
  node.store().budget.charge(count, 8);
  std::vector<int64_t> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(first + i);
  return node.store().integers(line, std::move(values));
}

void check_lengths(Node& node, int64_t count, int64_t longest) {
  if (node.dims(1) != Dims{count})
    node.refuse("it does not have one length for each of " + std::to_string(count) + " sequences");
  if (!node.is_constant(1)) return;
  for (const int64_t length : node.integer_list(1)) {
    if (length < 0 || length > longest)
      node.refuse("its length " + std::to_string(length) + " is not one of a sequence of " +
                  std::to_string(longest));
  }
}

}  // namespace

void reverse_sequence(Node& node) {
  const Dims dims = node.dims(0);
  const size_t time = node.axis(node.integer("time_axis", 0), dims.size());
  const size_t batch = node.axis(node.integer("batch_axis", 1), dims.size());
  if (time == batch) node.refuse("its time and its batch are one dimension");
  check_lengths(node, dims[batch], dims[time]);
  Dims along_time(dims.size(), 1), along_batch(dims.size(), 1);
  along_time[time] = dims[time];
  along_batch[batch] = dims[batch];
  const Value lengths = reshaped_value(node, node.value(1), along_batch);
  const Value here = steps(node, along_time, dims[time], 0);
  const Value next = steps(node, along_time, dims[time], 1);
  const Constant* known = std::get_if<Constant>(&lengths);
  if (known != nullptr) {
    const Constant within = folded_binary(node, "Less", std::get<Constant>(here), *known);
    const Constant back = folded_binary(node, "Sub", *known, std::get<Constant>(next));
    const Constant indices = folded_where(node, within, back, std::get<Constant>(here));
    return node.set(taken(node, node.value(0), time, indices));
  }
  const Value within = combine(node, Binary::Kind::less, here, lengths);
  const Value back = combine(node, Binary::Kind::sub, lengths, next);
  node.set(taken(node, node.value(0), time, either(node, within, back, here)));
}

}  // namespace shingle::onnx
