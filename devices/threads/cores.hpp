// Cores: which of a machine's cores compute. On big.LITTLE machines they differ, and a tile that is
// shared out evenly waits for the slowest.
//
// A choice is "all", "big" (the cores at least three quarters as capable as the most capable one),
// or a list as "0,2-3".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle {

struct Core {
  int number = 0;
  // Of the kernel's units (cpu_capacity), or else kHz of its fastest clock; 0 where neither is
  // told: all such cores are alike.
  int64_t capacity = 0;
  friend bool operator==(const Core&, const Core&) = default;
};

// The cores that are online, ascending, as Linux tells of them in `folder`.
std::vector<Core> read_cores(const std::string& folder = "/sys/devices/system/cpu");

// Is it one of the three? The text may be hostile.
bool is_core_choice(const std::string& choice);
// How a sentence about one that is none goes on.
inline constexpr const char* core_choices = " chooses no cores; write all, big or a list as 0,2-3";

// Numbers of the chosen ones among `cores`, ascending, at least one. The sentence names a core that
// is not there. REQUIRES: is_core_choice(choice).
Result<std::vector<int>> chosen_cores(const std::string& choice, const std::vector<Core>& cores);

// Those of `cores` on which this process may run.
std::vector<Core> allowed(std::vector<Core> cores);

// The calling thread, and threads that it starts from now on, run on these alone.
Status run_on(const std::vector<int>& cores);

}  // namespace shingle
