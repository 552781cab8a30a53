// Numbers of processes and of handles.
#pragma once

#include <cstdint>

namespace shingle {

// The number of the calling process. A forked child has another number than its parent.
uint64_t process_number();
// The next number for a handle; no other handle of this process has it.
uint64_t next_handle_number();
// Was it given before this process was forked?
bool is_handle_of_parent(uint64_t number);

}  // namespace shingle
