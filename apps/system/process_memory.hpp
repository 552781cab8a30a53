// What the kernel says this process holds, and how malloc is told to hold little.
//
// A process under a cap (`--memory`, `memory` in the cluster file) keeps no large buffer that
// nobody uses: keep_little() makes malloc return blocks of a quarter MiB and more at once and what
// lies free at the end of its heaps soon, and lets it have two heaps. Processes without a cap keep
// what transport/ sets for speed. read_own_code() counts the program's code with the bare process:
// how much of it a plan would make resident otherwise depends on the kernel and on its file cache.
#pragma once

#include <cstdint>

namespace shingle {

int64_t physical_memory();  // of this machine, in bytes

// Resident bytes: now, and the most since the process began or forget_peak().
int64_t resident_bytes();
int64_t most_resident_bytes();
void forget_peak();

void keep_little();

// Makes the pages of the program's own code resident, without those of its libraries.
void read_own_code();

// Free memory in the middle of heaps goes back too.
void return_free_memory();

}  // namespace shingle
