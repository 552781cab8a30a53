// A life: a random number that each process draws at its start. It tells one run of a node from
// another.
//
// A clock would not do: two runs may begin within a second, and a board without a battery may begin
// its second run at an earlier date than its first. So two lives are equal or not, and only the
// connections tell which one is newer (docs/decisions/0037-a-life-is-drawn.md).
#pragma once

#include <cstdint>

namespace shingle {

// From the kernel's generator; waits until the kernel has seeded it. Throws std::system_error if
// there is none.
uint64_t draw_life();

}  // namespace shingle
