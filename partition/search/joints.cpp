#include "partition/search/joints.hpp"

#include <algorithm>

#include "partition/model/demand.hpp"

namespace shingle {
namespace {

// A map with this many columns per row counts as a row.
constexpr int32_t thin = 16;

Span along(const Region& region, Axis axis) { return axis == Axis::x ? region.x : region.y; }
int32_t length(Shape shape, Axis axis) { return axis == Axis::x ? shape.w : shape.h; }

// True if the output before (after) the place needs exactly the input before (after) it.
bool parts_at(const Model& model, const Layer& layer, size_t input, int32_t place) {
  const Shape shape = model.at(layer.output).shape;
  const Shape from = model.at(layer.inputs[input]).shape;
  const Axis axis = *long_axis(shape);
  if (long_axis(from) != axis || length(from, axis) != length(shape, axis)) return false;
  for (const Span part : {Span{0, place}, Span{place, length(shape, axis)}}) {
    Region output = whole(shape);
    (axis == Axis::x ? output.x : output.y) = part;
    if (!(along(demand(model, layer, input, output), axis) == part)) return false;
  }
  return true;
}

std::vector<int32_t> joints_behind(const Model& model, const Layer& layer, const Joints& joints) {
  std::vector<int32_t> found;
  const auto* concat = std::get_if<Concat>(&layer.op);
  const Axis axis = *long_axis(model.at(layer.output).shape);
  const bool end_to_end = concat != nullptr && concat->axis == axis;
  int32_t begin = 0;
  for (size_t i = 0; i < layer.inputs.size(); ++i) {
    const std::vector<int32_t>& own = joints[layer.inputs[i].value];
    if (!end_to_end) {
      for (int32_t place : own) {
        if (parts_at(model, layer, i, place)) found.push_back(place);
      }
      continue;
    }
    if (begin > 0) found.push_back(begin);
    for (int32_t place : own) found.push_back(begin + place);
    begin += length(model.at(layer.inputs[i]).shape, axis);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

std::optional<Axis> long_axis(Shape shape) {
  if (shape.h == 1 && shape.w == 1) return std::nullopt;
  if (shape.h == 1 || shape.w / thin >= shape.h) return Axis::x;
  if (shape.w == 1 || shape.h / thin >= shape.w) return Axis::y;
  return std::nullopt;
}

Joints joints_of(const Model& model) {
  Joints joints(model.tensors.size());
  for (const Layer& layer : model.layers) {
    if (!long_axis(model.at(layer.output).shape)) continue;
    joints[layer.output.value] = joints_behind(model, layer, joints);
  }
  return joints;
}

}  // namespace shingle
