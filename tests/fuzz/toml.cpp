// Fuzzes the files that people write: reads each text as a cluster file and as a device profile.
// What was read can be printed and then reads the same, and its costs are finite.
#include <cmath>

#include "devices/files/cluster_file.hpp"
#include "tests/fuzz/target.hpp"

namespace shingle::fuzz {
namespace {

void expect_costs(const NodeProfile& costs) {
  for (const WorkCost& cost : costs.costs)
    expect(std::isfinite(cost.ns_per_mac) && std::isfinite(cost.ns_per_element) &&
               std::isfinite(cost.ns_per_call),
           "costs are numbers");
}

void cluster_file(std::string_view text) {
  const Result<ClusterFile> file = parse_cluster(text, "nowhere/cluster.toml");
  if (!file) return expect_sentence(file.error());
  const Result<ClusterFile> again = parse_cluster(print(*file), "nowhere/printed.toml");
  expect(again.ok(), "a printed cluster file can be read: " + (again ? "" : again.error()));
  expect(*again == *file, "a printed cluster file says the same");
  for (const ClusterFileNode& node : file->nodes) expect_costs(costs_of(node));
  expect(planner_cluster(*file).nodes.size() == file->nodes.size(), "the planner sees every node");
}

void profile_file(std::string_view text) {
  const Result<DeviceProfile> file = parse_profile(text, "profile.toml");
  if (!file) return expect_sentence(file.error());
  const Result<DeviceProfile> again = parse_profile(print(*file), "printed.toml");
  expect(again.ok(), "a printed profile can be read: " + (again ? "" : again.error()));
  expect(*again == *file, "a printed profile says the same");
  expect_costs(costs_on(*file, 1));
}

}  // namespace

void toml(Bytes bytes) {
  cluster_file(text_of(bytes));
  profile_file(text_of(bytes));
}

}  // namespace shingle::fuzz
