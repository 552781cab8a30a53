#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/kernels/panel.cpp"
#include "devices/kernels/targets.hpp"
// clang-format off
#include <hwy/foreach_target.h>
// clang-format on
#include "devices/kernels/block-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace shingle::kernels::HWY_NAMESPACE {

int32_t lanes_of_target() { return static_cast<int32_t>(lanes); }
int32_t vectors_of_target() { return static_cast<int32_t>(block_vectors); }

}  // namespace shingle::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <bit>
#include <string_view>

#include "devices/kernels/panel.hpp"

namespace shingle::kernels {
HWY_EXPORT(lanes_of_target);
HWY_EXPORT(vectors_of_target);

int32_t vector_floats() { return HWY_DYNAMIC_DISPATCH(lanes_of_target)(); }
int32_t panel_channels() { return vector_floats() * HWY_DYNAMIC_DISPATCH(vectors_of_target)(); }

// The lowest set bit is the best target; bits above the supported ones mean "not yet asked".
const char* target_name() {
  const int64_t supported = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(supported & -supported);
}

bool fuses_multiply_add() {
  const std::string_view name = target_name();
  return name.starts_with("AVX") || name.starts_with("NEON");
}

namespace {

std::size_t rounded_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::size_t taps(const FilterShape& shape) {
  return static_cast<std::size_t>(shape.kernel_y) * static_cast<std::size_t>(shape.kernel_x);
}

}  // namespace

std::size_t packed_floats(const FilterShape& shape) {
  const auto groups = static_cast<std::size_t>(shape.groups);
  const std::size_t group_outputs = static_cast<std::size_t>(shape.outputs) / groups;
  const std::size_t rows = 1 + taps(shape) * static_cast<std::size_t>(shape.inputs);
  return groups * rounded_up(group_outputs, static_cast<std::size_t>(vector_floats())) * rows;
}

void pack(const FilterShape& shape, const float* weights, std::span<const float> bias,
          float* packed) {
  const auto inputs = static_cast<std::size_t>(shape.inputs);
  const std::size_t group_outputs = static_cast<std::size_t>(shape.outputs / shape.groups);
  const auto full = static_cast<std::size_t>(panel_channels());
  const auto vector = static_cast<std::size_t>(vector_floats());
  float* to = packed;
  for (std::size_t group = 0; group < static_cast<std::size_t>(shape.groups); ++group) {
    for (std::size_t c = 0; c < group_outputs; c += full) {
      const std::size_t count = std::min(full, group_outputs - c);
      const std::size_t width = rounded_up(count, vector);
      const std::size_t first = group * group_outputs + c;
      for (std::size_t i = 0; i < width; ++i)
        *to++ = i < count && !bias.empty() ? bias[first + i] + 0.0F : 0.0F;  // no -0
      for (std::size_t t = 0; t < taps(shape); ++t)
        for (std::size_t k = 0; k < inputs; ++k)
          for (std::size_t i = 0; i < width; ++i)
            *to++ = i < count ? weights[((first + i) * inputs + k) * taps(shape) + t] : 0.0F;
    }
  }
}

bool supported(const Activation& activation) {
  using Kind = Activation::Kind;
  switch (activation.kind) {
    case Kind::none:
    case Kind::relu:
    case Kind::leaky_relu:
    case Kind::clip:
    case Kind::sigmoid:
    case Kind::silu:
    case Kind::hard_sigmoid:
    case Kind::hard_swish:
      return true;
    default:
      return false;
  }
}

}  // namespace shingle::kernels
#endif
