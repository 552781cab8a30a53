// --cores, and the number of threads that follows from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "partition/base/result.hpp"

namespace CLI {
class App;
}

namespace shingle {

void describe_cores(CLI::App& verb, std::string& cores);

// Binds this process to the chosen cores and returns how many threads compute: `threads`, else one
// for each core. With an empty choice it binds nothing and returns `threads`, else `usual`. Threads
// that were started before stay on their cores.
Result<uint32_t> take_cores(const std::string& choice, std::optional<uint32_t> threads,
                            uint32_t usual);

}  // namespace shingle
