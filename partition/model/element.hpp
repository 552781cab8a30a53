// Element: one number of a tensor, and how many bytes tensors take. Code that needs the size of an
// element asks here; only devices/kernels, which compute on floats, know it themselves.
#pragma once

#include <concepts>
#include <cstdint>

#include "partition/model/region.hpp"

namespace shingle {

enum class ElementType : uint8_t { f32, u8 };

constexpr int64_t bytes_of(ElementType type) { return type == ElementType::u8 ? 1 : 4; }
inline int64_t bytes_of(const Region& region, ElementType type) {
  return region.elements() * bytes_of(type);
}
inline int64_t bytes_of(Shape shape, ElementType type) { return shape.elements() * bytes_of(type); }

// Of `count` numbers of the type f32: constants, packed weights, maps of the reference. The result
// has the type of the count.
template <std::integral Count>
constexpr Count bytes_of_floats(Count count) {
  return count * static_cast<Count>(bytes_of(ElementType::f32));
}
// How many such numbers so many bytes hold.
template <std::integral Count>
constexpr Count floats_in(Count bytes) {
  return bytes / static_cast<Count>(bytes_of(ElementType::f32));
}
static_assert(bytes_of(ElementType::f32) == sizeof(float));

}  // namespace shingle
