// GroupNormalization: mean 0 and deviation 1 over each group of channels and all places.
#include "partition/readers/onnx/operators/broadcast.hpp"
#include "partition/readers/onnx/operators/operators.hpp"
#include "partition/readers/onnx/operators/reduction.hpp"
#include "partition/readers/onnx/operators/reshape.hpp"

namespace shingle::onnx {

namespace {

using Kind = Binary::Kind;

// Scale or shift by channel, shaped to fit a value of `rank` dims. Before opset 21 the file has one
// number for each group.
Constant by_channel(Node& node, size_t input, int64_t channels, int64_t groups, size_t rank) {
  const Constant& given = node.floats(input);
  const int64_t count = node.opset() < 21 ? groups : channels;
  if (given.count() != count) {
    node.refuse("its input " + std::to_string(input) + " does not hold one value for each of " +
                std::to_string(count) + (count == groups ? " groups" : " channels"));
  }
  node.store().budget.charge(channels);
  std::vector<float> values;
  for (int64_t c = 0; c < channels; ++c) {
    values.push_back(given.floats[count == channels ? c : c / (channels / groups)]);
  }
  Dims dims(rank - 1, 1);
  dims[0] = channels;
  return node.store().floats(dims, std::move(values));
}

// The mean over each group of equally many channels is the mean of its channels' means. So only the
// small map of these is laid out anew, and the large one stays where it is.
Box mean_of_groups(Node& node, const Box& box) {
  const size_t rank = box.view.dims.size();  // batch, group, channel of the group, places
  std::vector<bool> places(rank, true), channel(rank, false);
  places[0] = places[1] = places[2] = false;
  channel[2] = true;
  return reduced(node, Reduction::Kind::mean, reduced(node, Reduction::Kind::mean, box, places),
                 channel);
}

}  // namespace

void group_normalization(Node& node) {
  const Box box = node.box(0);
  const Dims dims = sizes(box.view);
  if (dims.size() < 3) node.refuse("its input is " + text_of(dims));
  const int64_t channels = dims[1], groups = node.integer("num_groups", 0);
  if (groups < 1 || channels % groups != 0) {
    node.refuse("its " + std::to_string(channels) + " channels do not divide into " +
                std::to_string(groups) + " groups");
  }
  Dims grouped = dims;
  grouped[1] = channels / groups;
  grouped.insert(grouped.begin() + 1, groups);
  Box parts = reshaped_box(node, box, grouped);
  parts.sole = false;
  const Box centred = combine(node, Kind::sub, parts, mean_of_groups(node, parts));
  const Box variance = mean_of_groups(node, squared(node, centred));
  const Box root = node.activate(combine(node, Kind::add, variance, node.number("epsilon", 1e-5F)),
                                 {.kind = Activation::Kind::sqrt});
  const Box normal = reshaped_box(node, combine(node, Kind::div, centred, root), dims);
  const Constant scale = by_channel(node, 1, channels, groups, dims.size());
  const Constant shift = by_channel(node, 2, channels, groups, dims.size());
  node.set(combine(node, Kind::add, combine(node, Kind::mul, normal, scale), shift));
}

}  // namespace shingle::onnx
