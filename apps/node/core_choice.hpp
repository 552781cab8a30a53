// --cores, and the threads that follow from it.
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

// Binds this process to the chosen cores, where it says so; how many threads compute then: as many
// as wished, else one for each core. Without a choice: as many as wished, else `usual`. Threads
// that were started before stay where they are.
Result<uint32_t> take_cores(const std::string& choice, std::optional<uint32_t> threads,
                            uint32_t usual);

}  // namespace shingle
