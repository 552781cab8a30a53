#include "partition/model/demand.hpp"

#include <cassert>

#include "partition/model/rearrange.hpp"
#include "partition/model/resample.hpp"

namespace shingle {

namespace {

// Input channels of the groups that contain the output channels `out`.
Span group_channels(Span out, int32_t groups, int32_t output_channels, int32_t input_channels) {
  const int32_t outputs = output_channels / groups, inputs = input_channels / groups;
  return {out.begin / outputs * inputs, ((out.end - 1) / outputs + 1) * inputs};
}

Span shifted(Span span, int32_t by) { return {span.begin + by, span.end + by}; }

Span broadcast(Span out, int32_t input_size) { return input_size == 1 ? Span{0, 1} : out; }

Span strided(Span out, int32_t begin, int32_t step) {
  const int64_t first = begin + int64_t{out.begin} * step;
  const int64_t last = begin + int64_t{out.end - 1} * step;
  return {static_cast<int32_t>(std::min(first, last)),
          static_cast<int32_t>(std::max(first, last) + 1)};
}

Span gathered(Span out, const std::vector<int32_t>& indices) {
  const auto [low, high] =
      std::minmax_element(indices.begin() + out.begin, indices.begin() + out.end);
  return {*low, *high + 1};
}

// True if no step is longer than two equal steps that cross the whole axis.
bool goes_in_small_steps(const std::vector<int32_t>& indices, int32_t size) {
  const int64_t longest =
      2 * (size / std::max<int64_t>(static_cast<int64_t>(indices.size()), 1) + 1);
  for (size_t i = 1; i < indices.size(); ++i) {
    if (std::abs(int64_t{indices[i]} - indices[i - 1]) > longest) return false;
  }
  return true;
}

// The pixels [span) of a map, counted row by row: rows and columns of their hull.
std::pair<Span, Span> pixel_hull(Span pixels, int32_t width) {
  const Span rows{pixels.begin / width, (pixels.end - 1) / width + 1};
  if (rows.size() > 1) return {rows, {0, width}};
  return {rows, {pixels.begin % width, (pixels.end - 1) % width + 1}};
}

// The columns of a product's matrices that the output channels `out` hold.
Span product_columns(Span out, int32_t columns) {
  const bool one_matrix = out.begin / columns == (out.end - 1) / columns;
  if (!one_matrix) return {0, columns};  // the last ones of one, the first ones of the next
  return {out.begin % columns, (out.end - 1) % columns + 1};
}

Span resampled(Span out, const ResizeAxis& axis) {
  return {resize_taps(axis, out.begin).first, resize_taps(axis, out.end - 1).second + 1};
}

Span& along(Region& region, Axis axis) {
  switch (axis) {
    case Axis::y:
      return region.y;
    case Axis::x:
      return region.x;
    case Axis::c:
      break;
  }
  return region.c;
}

// What of a map that is as large as the output, or 1 along an axis, an operator reads that needs
// all of `axis`.
Region all_along(Axis axis, const Region& out, Shape in) {
  Region region{broadcast(out.y, in.h), broadcast(out.x, in.w), broadcast(out.c, in.c)};
  Region all = whole(in);
  along(region, axis) = along(all, axis);
  return region;
}

struct Demand {
  const Model& model;
  const Layer& layer;
  size_t input;
  const Region& out;

  Shape in() const { return model.at(layer.inputs[input]).shape; }
  Shape result() const { return model.at(layer.output).shape; }

  Region operator()(const Convolution& op) const {
    return {shingle::demand(op.y, out.y, in().h).span, shingle::demand(op.x, out.x, in().w).span,
            group_channels(out.c, op.groups, result().c, in().c)};
  }
  Region operator()(const TransposedConvolution& op) const {
    return {transposed_demand(op.y, out.y, in().h), transposed_demand(op.x, out.x, in().w),
            group_channels(out.c, op.groups, result().c, in().c)};
  }
  Region operator()(const Pooling& op) const {
    return {shingle::demand(op.y, out.y, in().h).span, shingle::demand(op.x, out.x, in().w).span,
            out.c};
  }
  Region operator()(const Reduction& op) const {
    const Region all = whole(in());
    return {op.y ? all.y : out.y, op.x ? all.x : out.x, op.c ? all.c : out.c};
  }
  Region operator()(const Elementwise&) const { return out; }
  Region operator()(const Binary&) const {
    return {broadcast(out.y, in().h), broadcast(out.x, in().w), broadcast(out.c, in().c)};
  }
  Region operator()(const Concat& op) const {
    Region region = out;
    Span& span = along(region, op.axis);
    for (size_t earlier = 0; earlier < input; ++earlier) {
      Region before = whole(model.at(layer.inputs[earlier]).shape);
      span = shifted(span, -along(before, op.axis).size());
    }
    return region;  // clamped by the caller
  }
  Region operator()(const StridedSlice& op) const {
    return {strided(out.y, op.begin[0], op.step[0]), strided(out.x, op.begin[1], op.step[1]),
            strided(out.c, op.begin[2], op.step[2])};
  }
  Region operator()(const Gather& op) const {
    Region region = out;
    Span& span = along(region, op.axis);
    span = gathered(span, op.indices);
    return region;
  }
  Region operator()(const Pad& op) const {
    return {shifted(out.y, -op.before[0]), shifted(out.x, -op.before[1]),
            shifted(out.c, -op.before[2])};
  }
  Region operator()(const Resize& op) const {
    return {resampled(out.y, resize_axis_y(op, in(), result())),
            resampled(out.x, resize_axis_x(op, in(), result())), out.c};
  }
  Region operator()(const Rearrange& op) const { return rearrange_demand(op, out); }
  Region operator()(const Softmax& op) const {
    Region region = out, all = whole(in());
    along(region, op.axis) = along(all, op.axis);
    if (op.axis == Axis::c) region.c = group_channels(out.c, op.groups, in().c, in().c);
    return region;
  }
  Region operator()(const Convert&) const { return out; }
  Region operator()(const MatrixProduct& op) const {
    const Span depth = group_channels(out.c, op.stack, result().c, in().c);
    if (input == 0) return {out.y, out.x, depth};
    if (!op.turned) return {{0, in().h}, {0, in().w}, out.c};
    const auto [y, x] = pixel_hull(product_columns(out.c, in().h * in().w), in().w);
    return {y, x, depth};
  }
  Region operator()(const GridSample&) const {
    if (input == 0) return {out.y, out.x, {0, 2}};
    return {{0, in().h}, {0, in().w}, out.c};
  }
  Region operator()(const Order& op) const { return all_along(op.axis, out, in()); }
  Region operator()(const Take& op) const {
    if (input == 1) return all_along(op.axis, out, in());
    return {broadcast(out.y, in().h), broadcast(out.x, in().w), broadcast(out.c, in().c)};
  }
  // Indices and updates may be smaller than the map; the caller cuts what is beyond them.
  Region operator()(const Scatter& op) const {
    Region region = out;
    if (input == 0) return region;
    return all_along(op.axis, region, in());
  }
  Region operator()(const Suppression&) const { return whole(in()); }
  Region operator()(const NonZero&) const { return whole(in()); }
  // All steps before, and all gates of the step.
  Region operator()(const Recurrence& op) const {
    const Span all{0, in().c};
    if (input == 1) return {out.y, {0, 1}, all};
    return {out.y, op.backward ? Span{out.x.begin, in().w} : Span{0, out.x.end}, all};
  }
};

struct SpatiallyLocal {
  const Model& model;
  const Layer& layer;
  Shape input;

  bool operator()(const Reduction& op) const {
    return (!op.y || input.h == 1) && (!op.x || input.w == 1);
  }
  bool operator()(const Softmax& op) const { return has_one_along(op.axis, input); }
  // Indices may jump; those of a mirrored border or a resize advance in small steps.
  bool operator()(const Gather& op) const {
    const int32_t size = op.axis == Axis::y ? input.h : input.w;
    return op.axis == Axis::c || size == 1 || goes_in_small_steps(op.indices, size);
  }
  bool operator()(const Rearrange& op) const { return keeps_neighbours(op); }
  bool operator()(const Convolution&) const { return true; }
  bool operator()(const TransposedConvolution&) const { return true; }
  bool operator()(const Pooling&) const { return true; }
  bool operator()(const Elementwise&) const { return true; }
  bool operator()(const Binary&) const { return true; }
  bool operator()(const Concat&) const { return true; }
  bool operator()(const StridedSlice&) const { return true; }
  bool operator()(const Pad&) const { return true; }
  bool operator()(const Resize&) const { return true; }
  bool operator()(const Convert&) const { return true; }
  bool operator()(const MatrixProduct&) const { return second_is_one_pixel(); }
  bool operator()(const GridSample&) const { return second_is_one_pixel(); }
  bool operator()(const Order& op) const { return has_one_along(op.axis, input); }
  bool operator()(const Take& op) const {
    return has_one_along(op.axis, model.at(layer.inputs[1]).shape);
  }
  bool operator()(const Scatter& op) const { return has_one_along(op.axis, input); }
  bool operator()(const Suppression&) const { return false; }
  bool operator()(const NonZero&) const { return false; }
  bool operator()(const Recurrence&) const { return input.w == 1; }

  static bool has_one_along(Axis axis, Shape shape) {
    return axis == Axis::c || (axis == Axis::y ? shape.h : shape.w) == 1;
  }

  bool second_is_one_pixel() const {
    const Shape second = model.at(layer.inputs[1]).shape;
    return second.h == 1 && second.w == 1;
  }
};

}  // namespace

Region demand(const Model& model, const Layer& layer, size_t input, const Region& output) {
  assert(!output.empty() && contains(whole(model.at(layer.output).shape), output));
  assert(input < layer.inputs.size());
  const Region needed = std::visit(Demand{model, layer, input, output}, layer.op);
  return intersect(needed, whole(model.at(layer.inputs[input]).shape));
}

bool is_spatially_local(const Model& model, const Layer& layer) {
  return std::visit(SpatiallyLocal{model, layer, model.at(layer.inputs[0]).shape}, layer.op);
}

bool goes_along_first_input(const Model& model, const Layer& layer) {
  return std::holds_alternative<MatrixProduct>(layer.op) ||
         std::holds_alternative<GridSample>(layer.op) || std::holds_alternative<Take>(layer.op) ||
         is_spatially_local(model, layer);
}

}  // namespace shingle
