// Which part of a sweep this process runs, when several share it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "partition/base/result.hpp"

namespace shingle {

struct Shard {
  uint32_t rank = 0, size = 1;  // rank < size
  std::string source{};         // "--shard", or the environment's variable; empty: all of it
  friend bool operator==(const Shard&, const Shard&) = default;
};

using Environment = std::function<const char*(const char* name)>;  // null: not set

// `asked`: "2/4" for the second of four; empty: as MPI's launchers and Slurm tell it. Of a Slurm
// array whose tasks are themselves several processes each process has a part.
Result<Shard> shard_of(const std::string& asked, const Environment& environment);

}  // namespace shingle
