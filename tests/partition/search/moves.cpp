#include "tests/partition/search/moves.hpp"

#include <array>
#include <cassert>

namespace shingle {

namespace {

using Place = std::array<int32_t, 3>;  // y, x, c

size_t offset(Shape shape, Place place) {
  const auto [y, x, c] = place;
  return static_cast<size_t>((int64_t{y} * shape.w + x) * shape.c + c);
}

std::array<int32_t, 3> sizes(Shape shape) { return {shape.h, shape.w, shape.c}; }

class Run {
 public:
  explicit Run(const Model& model) : model_(model), boxes_(model.tensors.size()) {
    for (size_t i = 0; i < boxes_.size(); ++i) {
      const Tensor& tensor = model.tensors[i];
      if (!tensor.constant) continue;
      for (int64_t e = 0; e < tensor.shape.elements(); ++e) {
        boxes_[i].push_back(model.at(*tensor.constant)[e]);
      }
    }
  }

  std::vector<float>& box(TensorId id) { return boxes_[id.value]; }

  void compute(const Layer& layer) {
    assert(layer.activation.kind == Activation::Kind::none);
    const Shape shape = model_.at(layer.output).shape;
    for (int32_t y = 0; y < shape.h; ++y) {
      for (int32_t x = 0; x < shape.w; ++x) {
        for (int32_t c = 0; c < shape.c; ++c) {
          box(layer.output)
              .push_back(std::visit(
                  [&](const auto& op) {
                    return element(layer, op, Place{y, x, c});
                  },
                  layer.op));
        }
      }
    }
  }

 private:
  float read(const Layer& layer, size_t input, Place place) {
    const TensorId id = layer.inputs[input];
    return box(id)[offset(model_.at(id).shape, place)];
  }

  float element(const Layer& layer, const Elementwise&, Place place) {
    return read(layer, 0, place);
  }

  float element(const Layer& layer, const StridedSlice& op, Place place) {
    for (size_t axis = 0; axis < 3; ++axis) {
      place[axis] = op.begin[axis] + place[axis] * op.step[axis];
    }
    return read(layer, 0, place);
  }

  float element(const Layer& layer, const Gather& op, Place place) {
    int32_t& index = place[static_cast<size_t>(op.axis)];
    index = op.indices[static_cast<size_t>(index)];
    return read(layer, 0, place);
  }

  float element(const Layer& layer, const Concat& op, Place place) {
    const auto axis = static_cast<size_t>(op.axis);
    size_t input = 0;
    for (;; ++input) {
      const int32_t size = sizes(model_.at(layer.inputs[input]).shape)[axis];
      if (place[axis] < size) return read(layer, input, place);
      place[axis] -= size;
    }
  }

  float element(const Layer& layer, const Binary& op, Place place) {
    const auto operand = [&](size_t input) {
      Place own = place;
      const std::array<int32_t, 3> extent = sizes(model_.at(layer.inputs[input]).shape);
      for (size_t axis = 0; axis < 3; ++axis) {
        if (extent[axis] == 1) own[axis] = 0;
      }
      return read(layer, input, own);
    };
    assert(op.kind == Binary::Kind::add || op.kind == Binary::Kind::mul);
    return op.kind == Binary::Kind::add ? operand(0) + operand(1) : operand(0) * operand(1);
  }

  float element(const Layer& layer, const Rearrange& op, Place place) {
    std::vector<int32_t> digits(op.factors.size());
    for (size_t axis = 0; axis < 3; ++axis) {
      const std::vector<int32_t>& list = op.output_axes[axis];
      for (size_t i = list.size(); i-- > 0;) {
        const auto factor = static_cast<size_t>(list[i]);
        digits[factor] = place[axis] % op.factors[factor];
        place[axis] /= op.factors[factor];
      }
    }
    Place source{};
    for (size_t axis = 0; axis < 3; ++axis) {
      for (const int32_t factor : op.input_axes[axis]) {
        const auto index = static_cast<size_t>(factor);
        source[axis] = source[axis] * op.factors[index] + digits[index];
      }
    }
    return read(layer, 0, source);
  }

  // Convolution of one tap: each pixel's channels times a matrix.
  float element(const Layer& layer, const Convolution& op, Place place) {
    assert(op.y.kernel == 1 && op.x.kernel == 1 && op.y.stride == 1 && op.x.stride == 1);
    const int32_t channel = place[2];
    const int32_t inputs = model_.at(layer.inputs[0]).shape.c / op.groups;
    const int32_t outputs = model_.at(layer.output).shape.c / op.groups;
    float sum = op.bias ? model_.at(*op.bias)[channel] : 0.0F;
    for (int32_t i = 0; i < inputs; ++i) {
      place[2] = channel / outputs * inputs + i;
      sum += model_.at(op.weights)[int64_t{channel} * inputs + i] * read(layer, 0, place);
    }
    return sum;
  }

  template <class Other>
  float element(const Layer&, const Other&, Place) {
    assert(false);  // no operator that moves elements
    return 0;
  }

  const Model& model_;
  std::vector<std::vector<float>> boxes_;
};

}  // namespace

std::vector<float> run_moves(const Model& model, const std::vector<float>& input) {
  Run run(model);
  run.box(model.inputs[0]) = input;
  for (const Layer& layer : model.layers) run.compute(layer);
  const ModelOutput& output = model.outputs[0];
  return in_file_order(output, model.at(output.tensor).shape, run.box(output.tensor));
}

}  // namespace shingle
