#include "devices/pass/fuse_steps.hpp"

#include <algorithm>

namespace shingle {

namespace {

bool halves(const Window& window) {
  return window.kernel == 2 && window.stride == 2 && window.dilation == 1 && window.pad_begin == 0;
}

class Fuser {
 public:
  Fuser(const Model& model, const TileProgram& program, const FusionRules& rules)
      : model_(model), program_(program), rules_(rules) {}

  std::vector<FusedStep> fuse() {
    std::vector<bool> taken(program_.steps.size(), false);
    std::vector<FusedStep> fused;
    // From the end: of two convolutions that are added, the later one takes the addition.
    for (size_t i = program_.steps.size(); i-- > 0;) {
      if (taken[i]) continue;
      const FusedStep step = with_producer(i);
      taken[step.main] = true;
      fused.push_back(step);
    }
    std::reverse(fused.begin(), fused.end());
    return fused;
  }

 private:
  const Layer& layer_of(size_t step) const { return model_.at(program_.steps[step].layer); }

  std::optional<size_t> producer(TensorId tensor, size_t before) const {
    for (size_t i = before; i-- > 0;) {
      if (layer_of(i).output == tensor) return i;
    }
    return std::nullopt;
  }

  // Is the tensor read once in this program, and put out by nobody?
  bool is_passing(TensorId tensor) const {
    int64_t uses = 0;
    for (const Slice& output : program_.outputs) uses += output.tensor == tensor ? 1 : 0;
    for (const Step& step : program_.steps) {
      const std::vector<TensorId>& inputs = model_.at(step.layer).inputs;
      uses += std::count(inputs.begin(), inputs.end(), tensor);
    }
    return uses == 1;
  }

  // The convolution whose map this step may take straight from the registers.
  std::optional<size_t> fusible(TensorId tensor, size_t before) const {
    const std::optional<size_t> main = producer(tensor, before);
    if (!main || !is_passing(tensor)) return std::nullopt;
    return main;
  }

  FusedStep with_producer(size_t step) const {
    const Layer& layer = layer_of(step);
    if (const auto* op = std::get_if<Pooling>(&layer.op)) return with_pool(step, *op);
    if (const auto* op = std::get_if<Binary>(&layer.op)) return with_addition(step, *op);
    return {.main = step};
  }

  FusedStep with_pool(size_t step, const Pooling& op) const {
    const Layer& layer = layer_of(step);
    const bool takes = op.kind == Pooling::Kind::max && halves(op.y) && halves(op.x) &&
                       layer.activation.kind == Activation::Kind::none;
    const std::optional<size_t> main =
        takes ? fusible(layer.inputs[0], step) : std::optional<size_t>();
    if (!main || !rules_.takes_pool(program_.steps[*main])) return {.main = step};
    const Region& pooled = program_.steps[step].output;
    const Region& map = program_.steps[*main].output;
    const bool whole_windows = map.y == Span{2 * pooled.y.begin, 2 * pooled.y.end} &&
                               map.x == Span{2 * pooled.x.begin, 2 * pooled.x.end};
    if (!whole_windows) return {.main = step};
    return {.main = *main, .pool = step, .addition = {}};
  }

  FusedStep with_addition(size_t step, const Binary& op) const {
    const Layer& layer = layer_of(step);
    const Shape shape = model_.at(layer.output).shape;
    const auto same = [&](TensorId tensor) { return model_.at(tensor).shape == shape; };
    const bool takes =
        op.kind == Binary::Kind::add && same(layer.inputs[0]) && same(layer.inputs[1]);
    if (!takes) return {.main = step};
    FusedStep best{.main = step};
    for (size_t input = 0; input < 2; ++input) {
      const std::optional<size_t> main = fusible(layer.inputs[input], step);
      if (!main || !rules_.takes_addition(program_.steps[*main], layer.activation)) continue;
      const bool one_activation = layer_of(*main).activation.kind == Activation::Kind::none ||
                                  layer.activation.kind == Activation::Kind::none;
      if (!one_activation || (best.addition && *main < best.main)) continue;
      best = {.main = *main, .pool = {}, .addition = step, .added_input = 1 - input};
    }
    return best;
  }

  const Model& model_;
  const TileProgram& program_;
  const FusionRules& rules_;
};

}  // namespace

std::vector<FusedStep> fuse_steps(const Model& model, const TileProgram& program,
                                  const FusionRules& rules) {
  return Fuser(model, program, rules).fuse();
}

}  // namespace shingle
