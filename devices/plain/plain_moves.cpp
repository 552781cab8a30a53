// Operators that move elements without changing them.
#include <cstring>

#include "devices/executor/view.hpp"
#include "devices/plain/plain_operators.hpp"
#include "partition/model/resample.hpp"

namespace shingle {

namespace {

// Follows the layer's tables: how far each output index moves the place that is read.
void move_by_tables(const PlainCall& call) {
  const ConstTensorView& in = call.inputs[0];
  const Region &box = in.region, &region = call.region;
  const auto& [along_y, along_x, along_c] = call.constants.moves;
  const auto elements = [&](Coordinate step) {
    return (int64_t{step.y} * box.x.size() + step.x) * box.c.size() + step.c;
  };
  const int64_t origin = elements({box.y.begin, box.x.begin, box.c.begin});
  const float* base = reinterpret_cast<const float*>(in.data);
  const auto limit = box.elements();
  const auto from = [&](int64_t place) {
    assert(place >= 0 && place < limit);
    return base + place;
  };
  const Coordinate* channels = along_c.data() + region.c.begin;
  const auto run_bytes = bytes_of_floats(static_cast<size_t>(region.c.size()));
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    const int64_t row = elements(along_y[static_cast<size_t>(y)]) - origin;
    float* target = at(call.output, y, region.x.begin, region.c.begin);
    for (int32_t x = region.x.begin; x < region.x.end; ++x, target += call.output.region.c.size()) {
      const int64_t pixel = row + elements(along_x[static_cast<size_t>(x)]);
      if (call.constants.whole_runs) {
        std::memcpy(target, from(pixel + elements(channels[0])), run_bytes);
        continue;
      }
      for (int32_t c = 0; c < region.c.size(); ++c)
        target[c] = *from(pixel + elements(channels[c]));
    }
  }
}

Region shifted(Region region, Coordinate by) {
  region.y = {region.y.begin + by.y, region.y.end + by.y};
  region.x = {region.x.begin + by.x, region.x.end + by.x};
  region.c = {region.c.begin + by.c, region.c.end + by.c};
  return region;
}

// Copies what of `region` the input, put down at `place` in the output, covers. A view in other
// coordinates is the same memory under a shifted region.
void put_down(const PlainCall& call, size_t input, Coordinate place) {
  ConstTensorView source = call.inputs[input];
  const Region map = whole(call.model.at(call.layer.inputs[input]).shape);
  source.region = shifted(source.region, place);
  copy(source, call.output, intersect(call.region, shifted(map, place)));
}

}  // namespace

void run_operator(const PlainCall& call, const StridedSlice&) { move_by_tables(call); }
void run_operator(const PlainCall& call, const Gather&) { move_by_tables(call); }
void run_operator(const PlainCall& call, const Rearrange&) { move_by_tables(call); }

void run_operator(const PlainCall& call, const Concat& op) {
  Coordinate place;
  for (size_t input = 0; input < call.inputs.size(); ++input) {
    const Shape shape = call.model.at(call.layer.inputs[input]).shape;
    put_down(call, input, place);
    switch (op.axis) {
      case Axis::y:
        place.y += shape.h;
        break;
      case Axis::x:
        place.x += shape.w;
        break;
      case Axis::c:
        place.c += shape.c;
        break;
    }
  }
}

void run_operator(const PlainCall& call, const Pad& op) {
  const Region& region = call.region;
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    for (int32_t x = region.x.begin; x < region.x.end; ++x) {
      std::fill_n(at(call.output, y, x, region.c.begin), region.c.size(), op.value);
    }
  }
  put_down(call, 0, {op.before[0], op.before[1], op.before[2]});
}

namespace {

void interpolate(const PlainCall& call, const Resize& op) {
  const Shape in = call.model.at(call.layer.inputs[0]).shape;
  const Shape out = call.model.at(call.layer.output).shape;
  const ResizeAxis axis_y = resize_axis_y(op, in, out), axis_x = resize_axis_x(op, in, out);
  const Region& region = call.region;
  const int32_t c = region.c.begin;
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    const ResizeTaps ty = resize_taps(axis_y, y);
    for (int32_t x = region.x.begin; x < region.x.end; ++x) {
      const ResizeTaps tx = resize_taps(axis_x, x);
      const float* top_left = at(call.inputs[0], ty.first, tx.first, c);
      const float* top_right = at(call.inputs[0], ty.first, tx.second, c);
      const float* bottom_left = at(call.inputs[0], ty.second, tx.first, c);
      const float* bottom_right = at(call.inputs[0], ty.second, tx.second, c);
      float* target = at(call.output, y, x, c);
      for (int32_t i = 0; i < region.c.size(); ++i) {
        const float top = top_left[i] * (1.0F - tx.weight) + top_right[i] * tx.weight;
        const float bottom = bottom_left[i] * (1.0F - tx.weight) + bottom_right[i] * tx.weight;
        target[i] = top * (1.0F - ty.weight) + bottom * ty.weight;
      }
    }
  }
}

}  // namespace

void run_operator(const PlainCall& call, const Resize& op) {
  if (op.kind == Resize::Kind::nearest) return move_by_tables(call);
  interpolate(call, op);
}

}  // namespace shingle
