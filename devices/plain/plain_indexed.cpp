// Maps that are read or changed at indices which another value gives. Where an index counts for all
// channels, whole runs of them are copied.
#include <algorithm>
#include <cstring>

#include "devices/plain/indices.hpp"
#include "devices/plain/plain_operators.hpp"

namespace shingle {

namespace {

// The coordinates of an element, with the one along `axis` replaced by `place`.
struct Moved {
  int32_t y, x, c;

  Moved(int32_t at_y, int32_t at_x, int32_t at_c, Axis axis, int32_t place)
      : y(axis == Axis::y ? place : at_y),
        x(axis == Axis::x ? place : at_x),
        c(axis == Axis::c ? place : at_c) {}
};

void take_run(const ConstTensorView& map, const Moved& from, float* out, int32_t count,
              bool exists) {
  if (!exists) {
    std::fill_n(out, count, 0.0F);
    return;
  }
  const auto bytes = static_cast<size_t>(bytes_of_floats(static_cast<size_t>(count)));
  std::memcpy(out, at(map, from.y, from.x, from.c), bytes);
}

void apply(Scatter::Kind kind, float& target, float update) {
  switch (kind) {
    case Scatter::Kind::replace:
      target = update;
      break;
    case Scatter::Kind::add:
      target += update;
      break;
    case Scatter::Kind::mul:
      target *= update;
      break;
    case Scatter::Kind::max:
      target = std::max(target, update);
      break;
    case Scatter::Kind::min:
      target = std::min(target, update);
      break;
  }
}

// The updates that lie on lines of `region`: all of them along `axis`.
Region updates_on(const Region& region, Shape updates, Axis axis) {
  const Region all = whole(updates);  // axis by axis: a region may lie beyond all along one
  Region lines{intersect(region.y, all.y), intersect(region.x, all.x), intersect(region.c, all.c)};
  if (axis == Axis::y) lines.y = all.y;
  if (axis == Axis::x) lines.x = all.x;
  if (axis == Axis::c) lines.c = all.c;
  return lines;
}

}  // namespace

void run_operator(const PlainCall& call, const Take& op) {
  const ConstTensorView& map = call.inputs[1];
  const Broadcast indices{call.inputs[0], call.model.at(call.layer.inputs[0]).shape};
  const int32_t size = size_along(call.model.at(call.layer.inputs[1]).shape, op.axis);
  const bool by_run = op.axis != Axis::c && indices.shape.c == 1;
  const Region& region = call.region;
  const int32_t run = by_run ? region.c.size() : 1;
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    for (int32_t x = region.x.begin; x < region.x.end; ++x) {
      float* out = at(call.output, y, x, region.c.begin);
      for (int32_t c = region.c.begin; c < region.c.end; c += run, out += run) {
        const int32_t place = place_of(*indices.at(y, x, c), size);
        take_run(map, Moved(y, x, c, op.axis, place), out, run, place != no_place);
      }
    }
  }
}

void run_operator(const PlainCall& call, const Scatter& op) {
  copy(call.inputs[0], call.output, call.region);
  const Broadcast indices{call.inputs[1], call.model.at(call.layer.inputs[1]).shape};
  const int32_t size = size_along(call.model.at(call.layer.output).shape, op.axis);
  const Region lines = updates_on(call.region, call.model.at(call.layer.inputs[2]).shape, op.axis);
  const Span wanted = span_along(call.region, op.axis);
  for (int32_t y = lines.y.begin; y < lines.y.end; ++y) {
    for (int32_t x = lines.x.begin; x < lines.x.end; ++x) {
      for (int32_t c = lines.c.begin; c < lines.c.end; ++c) {
        const int32_t place = place_of(*indices.at(y, x, c), size);
        if (place < wanted.begin || place >= wanted.end) continue;
        const Moved to(y, x, c, op.axis, place);
        apply(op.kind, *at(call.output, to.y, to.x, to.c), *at(call.inputs[2], y, x, c));
      }
    }
  }
}

}  // namespace shingle
