// Exchange: how a request reaches a network simulator in another process and its answer comes back.
// Both are lines without their newline. Whoever starts the process provides it (apps/system has
// LineProcess); sim/ starts nothing.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "partition/base/result.hpp"

namespace shingle::sim {

inline constexpr size_t longest_line = 4096;  // bytes, with its newline

// The provider limits the length of an answer and the time until it comes. Its errors are
// sentences that name the process.
using Exchange = std::function<Result<std::string>(const std::string& request)>;

}  // namespace shingle::sim
