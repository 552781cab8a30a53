#include "partition/model/shape.hpp"

#include "partition/model/each_constant.hpp"
#include "partition/model/shape_inference.hpp"

namespace shingle {

namespace {

bool within_limits(const Extent& extent) {
  for (int64_t size : extent) {
    if (size < 1 || size > max_axis) return false;
  }
  // Two axes of at most 2^30 make at most 2^60; the third is compared by division.
  return extent[0] * extent[1] <= max_elements / extent[2];
}

constexpr size_t any_number = SIZE_MAX;

struct InputCount {
  size_t least = 1, most = 1;
};

struct Inputs {
  InputCount operator()(const Concat&) const { return {1, any_number}; }
  InputCount operator()(const Binary&) const { return {2, 2}; }
  InputCount operator()(const MatrixProduct&) const { return {2, 2}; }
  InputCount operator()(const GridSample&) const { return {2, 2}; }
  InputCount operator()(const Take&) const { return {2, 2}; }
  InputCount operator()(const Scatter&) const { return {3, 3}; }
  InputCount operator()(const Suppression&) const { return {2, 2}; }
  InputCount operator()(const Recurrence&) const { return {1, 2}; }
  template <class Other>
  InputCount operator()(const Other&) const {
    return {1, 1};
  }
};

Status check_inputs(const Model& model, const Operator& op, std::span<const TensorId> inputs) {
  const InputCount wanted = std::visit(Inputs{}, op);
  if (inputs.size() < wanted.least || inputs.size() > wanted.most) {
    const char* rest = wanted.most == any_number    ? " or more"
                       : wanted.most > wanted.least ? " or 2"
                                                    : "";
    return Error{"it has " + std::to_string(inputs.size()) + " inputs where " +
                 std::to_string(wanted.least) + rest + " are needed"};
  }
  const ElementType type = std::holds_alternative<Convert>(op) ? ElementType::u8 : ElementType::f32;
  for (TensorId input : inputs) {
    if (input.value >= model.tensors.size()) return Error{"it reads a tensor that is not there"};
    const Tensor& tensor = model.at(input);
    if (!within_limits(tensor.shape)) {
      return Error{"its input '" + tensor.name + "' has no valid shape"};
    }
    if (tensor.type != type) {
      return Error{"its input '" + tensor.name + "' has the wrong element type"};
    }
  }
  return success();
}

ShapeResult allowed_shapes(const Model& model, const Operator& op,
                           std::span<const TensorId> inputs) {
  const Status status = check_inputs(model, op, inputs);
  if (!status) return status.failure();
  return std::visit(Inference{model, inputs}, op);
}

}  // namespace

std::optional<int64_t> count_of(const Model& model, ConstantId id) {
  if (id.value >= model.constants.size()) return std::nullopt;
  const int64_t count = model.at(id).count;
  return count < 0 ? std::nullopt : std::optional<int64_t>(count);
}

Status check_groups(int32_t groups, Shape input) {
  if (groups >= 1 && input.c % groups == 0) return success();
  return Error{"its " + std::to_string(input.c) + " input channels do not divide into " +
               std::to_string(groups) + " groups"};
}

bool within_limits(Shape shape) { return within_limits(extent_of(shape)); }

Result<Shape> infer_shape(const Model& model, const Operator& op,
                          std::span<const TensorId> inputs) {
  const ShapeResult allowed = allowed_shapes(model, op, inputs);
  if (!allowed) return allowed.failure();
  const Extent usual = allowed->usual;
  if (!within_limits(usual)) {
    return Error{"its output would be " + std::to_string(usual[0]) + "x" +
                 std::to_string(usual[1]) + "x" + std::to_string(usual[2]) +
                 ", which is empty or too large"};
  }
  return Shape{static_cast<int32_t>(usual[0]), static_cast<int32_t>(usual[1]),
               static_cast<int32_t>(usual[2])};
}

Status check_shape(const Model& model, const Layer& layer) {
  const ShapeResult allowed = allowed_shapes(model, layer.op, layer.inputs);
  if (!allowed) return allowed.failure();
  const Shape shape = model.at(layer.output).shape;
  const Extent given = extent_of(shape);
  bool fits = within_limits(given);
  for (size_t axis = 0; axis < 3; ++axis) {
    fits = fits && given[axis] >= allowed->least[axis] && given[axis] <= allowed->most[axis];
  }
  if (fits) return success();
  return Error{"its output cannot be " + to_string(shape)};
}

std::vector<ConstantId> constants_of(const Operator& op) {
  std::vector<ConstantId> ids;
  each_constant(op, [&](ConstantId id) { ids.push_back(id); });
  return ids;
}

}  // namespace shingle
