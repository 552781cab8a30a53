// The places of elements that are not 0. The input is read once, in order; nothing is kept.
#include <algorithm>

#include "devices/executor/view.hpp"
#include "devices/plain/plain_operators.hpp"

namespace shingle {

namespace {

constexpr float no_place = -1.0F;

// Calls visit(place) for each element that is not 0, in order, until it returns false.
template <class Visit>
void each_non_zero(const ConstTensorView& map, Shape shape, Visit visit) {
  int32_t place = 0;
  for (int32_t y = 0; y < shape.h; ++y) {
    for (int32_t x = 0; x < shape.w; ++x) {
      const float* pixel = at(map, y, x, 0);
      for (int32_t c = 0; c < shape.c; ++c, ++place)
        if (pixel[c] != 0.0F && !visit(place)) return;
    }
  }
}

}  // namespace

void run_operator(const PlainCall& call, const NonZero&) {
  const Span columns = call.region.x;
  int32_t column = 0;
  each_non_zero(call.inputs[0], call.model.at(call.layer.inputs[0]).shape, [&](int32_t place) {
    if (column >= columns.begin) *at(call.output, 0, column, 0) = static_cast<float>(place);
    return ++column < columns.end;
  });
  for (column = std::max(column, columns.begin); column < columns.end; ++column)
    *at(call.output, 0, column, 0) = no_place;
}

}  // namespace shingle
