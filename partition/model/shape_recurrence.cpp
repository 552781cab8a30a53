// Shapes of recurrent layers.
#include "partition/model/shape_inference.hpp"

namespace shingle {

ShapeResult Inference::operator()(const Recurrence& op) const {
  const Shape gates = shape(0);
  if (op.hidden < 1 || op.hidden > max_axis / 4) return Error{"its hidden size is out of range"};
  const int64_t hidden = op.hidden, count = gates_of(op.kind);
  if (gates.c != count * hidden) {
    return Error{"its " + std::to_string(gates.c) + " channels are not " + std::to_string(count) +
                 " gates of " + std::to_string(hidden)};
  }
  const auto holds = [&](std::optional<ConstantId> id, int64_t values) {
    return !id || count_of(model, *id) == values;
  };
  if (hidden * hidden > max_elements / count || !holds(op.weights, count * hidden * hidden) ||
      !holds(op.state_bias, hidden) || !holds(op.peepholes, 3 * hidden)) {
    return Error{"its weights do not fit its hidden size " + std::to_string(hidden)};
  }
  const int64_t state = op.kind == Recurrence::Kind::lstm ? 2 * hidden : hidden;
  if (inputs.size() == 2 && extent_of(shape(1)) != Extent{gates.h, 1, state}) {
    return Error{"its first state " + to_string(shape(1)) + " does not fit its gates " +
                 to_string(gates)};
  }
  if (!op.lengths.empty() && std::ssize(op.lengths) != gates.h) {
    return Error{"it has not one length for each of " + std::to_string(gates.h) + " sequences"};
  }
  for (const int32_t length : op.lengths) {
    if (length < 0 || length > gates.w)
      return Error{"its length " + std::to_string(length) + " is out of range"};
  }
  return exactly({gates.h, gates.w, state});
}

int32_t gates_of(Recurrence::Kind kind) {
  switch (kind) {
    case Recurrence::Kind::rnn:
      return 1;
    case Recurrence::Kind::gru:
      return 3;
    case Recurrence::Kind::lstm:
      break;
  }
  return 4;
}

}  // namespace shingle
