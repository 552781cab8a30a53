// Reads how much memory this process uses, and makes malloc keep little of what is free.
//
// A process under a memory cap (`--memory`, `memory` in the cluster file) must not keep large free
// buffers. keep_little() makes malloc return blocks of at least a quarter MiB at once, return free
// memory at the end of its heaps soon, and use at most two heaps. Processes without a cap keep the
// settings that transport/ chose for speed. After read_own_code() the program's code counts as part
// of the bare process; otherwise the kernel and its file cache decide how much of it a plan makes
// resident.
#pragma once

#include <cstdint>

namespace shingle {

int64_t physical_memory();  // of this machine, in bytes

// Resident bytes: now, and the most since the process began or forget_peak().
int64_t resident_bytes();
int64_t most_resident_bytes();
void forget_peak();

void keep_little();

// Makes the pages of the program's own code resident, but not those of its libraries.
void read_own_code();

// Returns free memory to the kernel, also from the middle of heaps.
void return_free_memory();

}  // namespace shingle
