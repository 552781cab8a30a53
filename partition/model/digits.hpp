// Mixed-radix digits: an axis as a number whose digits are factors, most significant first. Used by
// Rearrange and by model outputs, which both decompose (y, x, c) into factors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace shingle {

using BoxAxes = std::array<std::vector<int32_t>, 3>;  // factor indices of y, x, c

// The product of the factors at `indices`; none if an index is off the list, a factor below 1, or
// the product above 2^31.
std::optional<int64_t> product(const std::vector<int32_t>& factors,
                               const std::vector<int32_t>& indices);

// Does every factor stand in exactly one of the three axes?
bool each_factor_once(const std::vector<int32_t>& factors, const BoxAxes& axes);

// By factor: how far one step of that digit moves along the axis it stands in.
// REQUIRES: each_factor_once, products exist.
std::vector<int64_t> strides_in_axis(const std::vector<int32_t>& factors, const BoxAxes& axes);

}  // namespace shingle
