// Cores: which of a machine's cores compute. On big.LITTLE machines their speeds differ, and a tile
// that all cores share equally waits for the slowest.
//
// A choice is "all", "big" (the cores at least three quarters as capable as the most capable one),
// or a list such as "0,2-3".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle {

struct Core {
  int number = 0;
  // In the kernel's units (cpu_capacity), or else kHz of the fastest clock. 0 if neither is known:
  // then all cores count as equal.
  int64_t capacity = 0;
  friend bool operator==(const Core&, const Core&) = default;
};

// The cores that are online, ascending, from Linux's files in `folder`.
std::vector<Core> read_cores(const std::string& folder = "/sys/devices/system/cpu");

// Is it one of the three forms? The text may be hostile.
bool is_core_choice(const std::string& choice);
// The end of an error about any other text.
inline constexpr const char* core_choices = " chooses no cores; write all, big or a list as 0,2-3";

// The numbers of the chosen cores, ascending, at least one. The error names a core that is not in
// `cores`. REQUIRES: is_core_choice(choice).
Result<std::vector<int>> chosen_cores(const std::string& choice, const std::vector<Core>& cores);

// The cores of this list on which this process may run.
std::vector<Core> allowed(std::vector<Core> cores);

// Binds the calling thread, and threads that it starts from now on, to these cores.
Status run_on(const std::vector<int>& cores);

}  // namespace shingle
