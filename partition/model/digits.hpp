// Mixed-radix digits: an axis index as a number whose digits have the factors as radices, most
// significant first. Rearrange and model outputs both decompose (y, x, c) into factors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace shingle {

using BoxAxes = std::array<std::vector<int32_t>, 3>;  // factor indices of y, x, c

// The product of the factors at `indices`; none if an index is out of range, a factor is below 1,
// or the product is above 2^31.
std::optional<int64_t> product(const std::vector<int32_t>& factors,
                               const std::vector<int32_t>& indices);

// True if every factor stands in exactly one of the three axes.
bool each_factor_once(const std::vector<int32_t>& factors, const BoxAxes& axes);

// For each factor: how far one step of that digit moves along its axis. REQUIRES:
// each_factor_once(); all products exist.
std::vector<int64_t> strides_in_axis(const std::vector<int32_t>& factors, const BoxAxes& axes);

}  // namespace shingle
