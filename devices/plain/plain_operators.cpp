#include "devices/plain/plain_operators.hpp"

#include "devices/executor/view.hpp"
#include "devices/plain/elementwise.hpp"

namespace shingle {

namespace {

void activate_rows(const Activation& activation, const TensorView& view, const Region& region) {
  if (activation.kind == Activation::Kind::none) return;
  const bool dense = dense_rows(view.region, region);
  const int32_t run_pixels = dense ? region.x.size() : 1;
  const int64_t run = int64_t{run_pixels} * region.c.size();
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    for (int32_t x = region.x.begin; x < region.x.end; x += run_pixels) {
      float* values = at(view, y, x, region.c.begin);
      activate(activation, values, values, run);
    }
  }
}

}  // namespace

void run_plain(const PlainCall& call) {
  assert(!call.region.empty() && contains(call.output.region, call.region));
  std::visit([&](const auto& op) { run_operator(call, op); }, call.layer.op);
  activate_rows(call.layer.activation, call.output, call.region);
}

void run_operator(const PlainCall& call, const Elementwise&) {
  copy(call.inputs[0], call.output, call.region);
}

void run_operator(const PlainCall& call, const Convert& op) {
  const ConstTensorView& in = call.inputs[0];
  const Region& region = call.region;
  assert(in.type == ElementType::u8);
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    for (int32_t x = region.x.begin; x < region.x.end; ++x) {
      const std::byte* source = in.data + offset_in(in.region, y, x, region.c.begin);
      float* target = at(call.output, y, x, region.c.begin);
      for (int32_t c = region.c.begin; c < region.c.end; ++c) {
        const auto channel = static_cast<size_t>(c);
        const auto value = static_cast<float>(std::to_integer<int>(*source++));
        *target++ = value * op.scale[channel] + op.offset[channel];
      }
    }
  }
}

namespace {

// The operand's run for output pixel (y, x) from channel c on, and where that of (y, x + 1) is.
Operand operand_at(const ConstTensorView& view, Shape shape, int32_t y, int32_t x, int32_t c) {
  const bool broadcast = shape.c == 1;
  return {at(view, shape.h == 1 ? 0 : y, shape.w == 1 ? 0 : x, broadcast ? 0 : c), broadcast,
          shape.w == 1 ? 0 : view.region.c.size()};
}

}  // namespace

void run_operator(const PlainCall& call, const Binary& op) {
  const Region& region = call.region;
  const Shape out = call.model.at(call.layer.output).shape;
  const Shape left = call.model.at(call.layer.inputs[0]).shape;
  const Shape right = call.model.at(call.layer.inputs[1]).shape;
  // A row is one pixel where nothing is broadcast and nothing lies between the pixels.
  const bool rows = left == out && right == out && dense_rows(call.inputs[0].region, region) &&
                    dense_rows(call.inputs[1].region, region) &&
                    dense_rows(call.output.region, region);
  const int64_t width = region.x.size(), channels = region.c.size();
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    Operand a = operand_at(call.inputs[0], left, y, region.x.begin, region.c.begin);
    Operand b = operand_at(call.inputs[1], right, y, region.x.begin, region.c.begin);
    if (rows) a.broadcast = b.broadcast = false;
    combine(op.kind, a, b,
            {.values = at(call.output, y, region.x.begin, region.c.begin),
             .count = rows ? width * channels : channels,
             .pixels = rows ? 1 : width,
             .step = call.output.region.c.size()});
  }
}

}  // namespace shingle
