#include <algorithm>

#include "devices/files/profile_file.hpp"

#include "partition/cluster/scaled_cost.hpp"

namespace shingle {

Result<DeviceProfile> find_profile(const std::string& name, const std::string& folder) {
  if (const auto ready = profile_text(name)) return parse_profile(*ready, name);
  if (name.ends_with(".toml"))
    return load_profile(name.starts_with("/") || folder.empty() ? name : folder + "/" + name);
  std::string known;
  for (const std::string& each : profile_names()) known += " " + each;
  return bad_input("there is no ready-made profile '" + name + "'; there are" + known +
                   ", and a file's name ends in .toml");
}

double gflops_of(const NodeProfile& costs) {
  const double ns_per_mac = costs.at(WorkKind::convolution).ns_per_mac;
  return ns_per_mac > 0.0 ? 2.0 / ns_per_mac : 0.0;
}

// speedup(n) = n / (1 + serial * (n - 1)), where `serial` makes it the measured one at all cores.
NodeProfile costs_on(const DeviceProfile& profile, int32_t cores) {
  const double all = profile.cores, used = std::min(cores, profile.cores);
  const double serial = all > 1.0 ? (all / profile.speedup - 1.0) / (all - 1.0) : 0.0;
  const double speedup = used / (1.0 + serial * (used - 1.0));
  return slowed(profile.costs, profile.speedup / speedup);
}

NodeProfile slowed(NodeProfile costs, double factor) {
  for (WorkCost& cost : costs.costs) cost = scaled(cost, factor);
  return costs;
}

}  // namespace shingle
