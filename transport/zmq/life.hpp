// What tells one life of a process from another: a number that each draws at its start.
//
// Clocks cannot give it: two lives may begin within a second, and a board without a battery may
// begin its second life at an earlier date than its first. So lives are the same or not, and which
// of two is the newer one only the connections say (docs/decisions/0037-a-life-is-drawn.md).
#pragma once

#include <cstdint>

namespace shingle {

// From the kernel's generator; waits, at a machine's start, until that has been seeded. Throws
// std::system_error where there is none.
uint64_t draw_life();

}  // namespace shingle
