// DeviceProfile: the speed and size of one kind of machine, as a TOML file. `shingle profile`
// measures one; ready-made ones lie in devices/profiles/ (compiled in, each figure with its
// source).
//
//   name = "Raspberry Pi 3B"
//   cores = 4                       # used by one tile
//   speedup = 2.66                  # optional: of all cores against one; without it, `cores`
//   run_on = "big"                  # optional: which cores: "all" (cores.hpp), "big", "0,2-3"
//   memory = "1 GiB"                # optional; 0: not known
//   memory_gbps = 2.3               # optional: GB/s of a copy, both directions; 0: not known
//   link_mbps = 100.0               # optional: its port's line rate
//   idle_watts = 1.4                # optional, as busy_watts
//   busy_watts = 3.7
//
//   [cost.convolution]              # also winograd, pointwise, depthwise, pooling, elementwise,
//                                   # movement; product (optional: that of pointwise)
//   ns_per_mac = 0.25               # a step takes ns_per_call + macs * ns_per_mac
//   ns_per_element = 0.0            #              + output elements * ns_per_element
//   ns_per_weight = 0.0             # optional     + weights that it reads * ns_per_weight
//   ns_per_call = 20000.0
//   granule = [1, 1, 16]            # optional: rows, columns, channels that are computed together
//
// Every other key is an error that names its line. Parsing the printed text gives the same value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partition/base/result.hpp"
#include "partition/cluster/node_profile.hpp"

namespace shingle {

struct DeviceProfile {
  std::string name;
  int32_t cores = 1;
  double speedup = 1.0;  // of all cores over one
  std::string run_on{};  // a choice of cores (cores.hpp); empty: the system chooses
  int64_t memory_bytes = 0;
  double memory_gbps = 0.0;
  double link_mbps = 1000.0;
  NodeProfile costs;
  friend bool operator==(const DeviceProfile&, const DeviceProfile&) = default;
};

// `file_name` is only for the error: "pi.toml:7: ...". The text may be hostile.
Result<DeviceProfile> parse_profile(std::string_view text, std::string_view file_name);
std::string print(const DeviceProfile& profile);

// Reads the file and parses it.
Result<DeviceProfile> load_profile(const std::string& path);

// --- ready-made ----------------------------------------------------------------------------------

// The names of devices/profiles/ without ".toml": "pi3b", ...
std::vector<std::string> profile_names();
std::optional<std::string_view> profile_text(std::string_view name);

// The profile that `profile` of a cluster file names: a ready-made one, or a file "....toml" in
// `folder`.
Result<DeviceProfile> find_profile(const std::string& name, const std::string& folder);

// --- what follows from a profile -----------------------------------------------------------------

// GFLOP/s on convolutions.
double gflops_of(const NodeProfile& costs);

// The costs when a tile is computed on `cores` of the machine's cores. Amdahl's law, fitted to the
// speeds of one core and of all cores.
// REQUIRES: 1 <= cores.
NodeProfile costs_on(const DeviceProfile& profile, int32_t cores);

// The costs of a machine that is `factor` times slower at everything.
NodeProfile slowed(NodeProfile costs, double factor);

}  // namespace shingle
