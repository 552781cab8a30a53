#include "partition/readers/onnx/operators/recurrent/layout.hpp"

namespace shingle::onnx {

namespace {

enum Output : size_t { y, y_h, y_c };

// Parts of the directions' maps side by side, read as [steps, directions, batch, hidden].
class Outputs {
 public:
  Outputs(Node& node, const RecurrentLayout& all, const std::vector<Box>& directions,
          const std::vector<int32_t>& lengths)
      : node_(node), all_(all), directions_(directions), lengths_(lengths) {}

  void set(Output output) {
    if (!node_.wants(output)) return;
    const bool last = output != y;
    const int64_t steps = last ? 1 : all_.steps;
    std::vector<TensorId> parts;
    for (size_t direction = 0; direction < directions_.size(); ++direction)
      parts.push_back(part(direction, output == y_c, last));
    const View side_by_side = map_view({steps, all_.batch, all_.directions, all_.hidden},
                                       {Axis::x, Axis::y, Axis::c, Axis::c});
    Box box{.tensor = parts[0], .view = side_by_side};
    if (parts.size() > 1) box = node_.emit(Concat{Axis::c}, parts, side_by_side);
    const Dims order = all_.batch_first ? Dims{1, 0, 2, 3} : Dims{0, 2, 1, 3};
    box.view = transposed(box.view, order);
    if (last) box.view.dims.erase(box.view.dims.begin() + (all_.batch_first ? 1 : 0));
    node_.set(output, box);
  }

 private:
  TensorId part(size_t direction, bool cell, bool last) {
    const Box& box = directions_[direction];
    const auto hidden = static_cast<int32_t>(all_.hidden), batch = static_cast<int32_t>(all_.batch);
    const auto steps = static_cast<int32_t>(all_.steps);
    const bool backward = all_.backward || direction == 1;  // then step 0 is the last one
    const bool one = last && (backward || lengths_.empty());
    const int32_t step = one && !backward ? steps - 1 : 0, count = one ? 1 : steps;
    TensorId part = box.tensor;
    if (all_.kind == Recurrence::Kind::lstm || count != steps) {
      const View view = map_view({count, batch, hidden}, {Axis::x, Axis::y, Axis::c});
      const StridedSlice slice{.begin = {0, step, cell ? hidden : 0}};
      part = node_.emit(slice, {part}, view, {batch, count, hidden}).tensor;
    }
    return last && !one ? last_of_each(part) : part;
  }

  // Sequences end at different steps: all steps but the last one of each become 0, and are summed.
  TensorId last_of_each(TensorId part) {
    const auto batch = static_cast<int32_t>(all_.batch), steps = static_cast<int32_t>(all_.steps);
    node_.store().budget.charge(int64_t{batch} * steps);
    std::vector<float> ends(static_cast<size_t>(batch) * static_cast<size_t>(steps), 0.0F);
    for (int64_t row = 0; row < batch; ++row) {
      const int32_t length = lengths_[static_cast<size_t>(row)];
      if (length > 0) ends[static_cast<size_t>(row * steps + length - 1)] = 1.0F;
    }
    const TensorId mask = node_.constant_tensor({batch, steps, 1}, std::move(ends));
    const auto view = [&](int64_t count) {
      return map_view({count, all_.batch, all_.hidden}, {Axis::x, Axis::y, Axis::c});
    };
    const Box kept = node_.emit(Binary{Binary::Kind::keep}, {part, mask}, view(steps));
    const Reduction sum{.kind = Reduction::Kind::sum, .x = true};
    return node_.emit(sum, {kept.tensor}, view(1)).tensor;
  }

  Node& node_;
  const RecurrentLayout& all_;
  const std::vector<Box>& directions_;
  const std::vector<int32_t>& lengths_;
};

}  // namespace

void set_outputs(Node& node, const RecurrentLayout& all, const std::vector<Box>& directions,
                 const std::vector<int32_t>& lengths) {
  Outputs outputs(node, all, directions, lengths);
  for (const Output output : {y, y_h}) outputs.set(output);
  if (all.kind == Recurrence::Kind::lstm) outputs.set(y_c);
}

}  // namespace shingle::onnx
