// The number of a process and of the handles that it gives.
#pragma once

#include <cstdint>

namespace shingle {

// Of this process, as it called one of the functions here: a forked child has another one.
uint64_t process_number();
// The next number for a handle; no other handle of this process has it.
uint64_t next_handle_number();
// Was it given before this process was forked?
bool is_handle_of_parent(uint64_t number);

}  // namespace shingle
