#include "partition/readers/onnx/operators/selection/parts.hpp"

#include <algorithm>
#include <cassert>

#include "partition/model/shape.hpp"

namespace shingle::onnx {

namespace {

constexpr int most_visits = 64;  // each level of joins within joins may double the visits

class Search {
 public:
  explicit Search(Node& node) : node_(node) {}

  std::optional<Part> part(TensorId tensor, Axis axis, int32_t begin, int32_t count) {
    if (node_.model().at(tensor).constant) return std::nullopt;  // a layer reads something else
    if (begin == 0 && count == along(tensor, axis)) return Part{tensor};
    const Layer* layer = node_.maker(tensor);
    if (layer == nullptr || layer->activation.kind != Activation::Kind::none) return std::nullopt;
    if (++visits_ > most_visits) return std::nullopt;
    // These are copies: adding a layer may move the others in memory.
    if (const Concat* found = std::get_if<Concat>(&layer->op)) {
      const Concat join = *found;
      const std::vector<TensorId> inputs = layer->inputs;
      node_.store().budget.charge(static_cast<int64_t>(inputs.size()));
      return join.axis == axis ? of_operand(inputs, axis, begin, count)
                               : of_each(join, inputs, axis, begin, count);
    }
    if (const Rearrange* move = std::get_if<Rearrange>(&layer->op))
      return before_move(*move, layer->inputs[0], axis, begin, count);
    return std::nullopt;
  }

 private:
  int32_t along(TensorId tensor, Axis axis) const {
    const Shape& shape = node_.model().at(tensor).shape;
    return axis == Axis::y ? shape.h : axis == Axis::x ? shape.w : shape.c;
  }

  Part made(Operator op, std::vector<TensorId> inputs) {
    const Result<Shape> shape = infer_shape(node_.model(), op, inputs);
    assert(shape.ok());  // as that of the whole, but along one axis
    const View view = map_view({shape->c, shape->h, shape->w}, {Axis::c, Axis::y, Axis::x});
    return {.tensor = node_.emit(std::move(op), std::move(inputs), view).tensor, .is_new = true};
  }

  std::optional<Part> of_operand(const std::vector<TensorId>& operands, Axis axis, int32_t begin,
                                 int32_t count) {
    for (const TensorId operand : operands) {
      const int32_t size = along(operand, axis);
      if (begin < size) {
        if (begin + count > size) return std::nullopt;
        return part(operand, axis, begin, count);
      }
      begin -= size;
    }
    return std::nullopt;
  }

  std::optional<Part> of_each(const Concat& join, const std::vector<TensorId>& operands, Axis axis,
                              int32_t begin, int32_t count) {
    std::vector<TensorId> parts;
    for (const TensorId operand : operands) {
      const std::optional<Part> found = part(operand, axis, begin, count);
      if (!found) return std::nullopt;
      parts.push_back(found->tensor);
    }
    return made(join, std::move(parts));
  }

  // The part before a move. The move must keep the digits of the axis together and in order, and
  // the part must be a run of the outermost digit.
  std::optional<Part> before_move(Rearrange move, TensorId input, Axis axis, int32_t begin,
                                  int32_t count) {
    const std::vector<int32_t>& digits = move.output_axes[static_cast<size_t>(axis)];
    const auto from = std::ranges::find(move.input_axes, digits);
    if (digits.empty() || from == move.input_axes.end()) return std::nullopt;
    int32_t& outermost = move.factors[static_cast<size_t>(digits.front())];
    const int32_t inner = along(input, axis_at(from - move.input_axes.begin())) / outermost;
    if (begin % inner != 0 || count % inner != 0) return std::nullopt;
    outermost = count / inner;
    const std::optional<Part> found =
        part(input, axis_at(from - move.input_axes.begin()), begin, count);
    if (!found) return std::nullopt;
    return made(std::move(move), {found->tensor});
  }

  static Axis axis_at(std::ptrdiff_t index) { return static_cast<Axis>(index); }

  Node& node_;
  int visits_ = 0;
};

}  // namespace

std::optional<Part> whole_part(Node& node, TensorId tensor, Axis axis, int32_t begin,
                               int32_t count) {
  return Search(node).part(tensor, axis, begin, count);
}

}  // namespace shingle::onnx
