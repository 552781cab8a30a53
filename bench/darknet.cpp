// Darknet networks: compares raw maps with OpenCV's Darknet importer, and tiles with whole
// networks.
#include <cstdio>

#include "apps/run/choose_plan.hpp"
#include "bench/measure.hpp"
#include "tests/apps/heads/darknet_oracle.hpp"
#include "tests/apps/tiled.hpp"

namespace {

using namespace shingle;

constexpr double allowed = 1e-4;
constexpr uint32_t nodes = 4;

// -1: the frame was not delivered.
int64_t differing_bytes(const networks::DarknetFiles& files) {
  const DarknetModel darknet = must_read(files);
  const Plan plan = bench::must(make_plan(darknet.model, equal_nodes(nodes)));
  return tiled_differing_bytes(darknet.model, plan, nodes).value_or(-1);
}

}  // namespace

int main(int argc, char** argv) {
  const bench::CommandLine line = bench::parse(argc, argv);
  std::string errors, differing;
  bool good = true;
  std::printf("At 416. Difference from OpenCV: the largest, of the map's largest magnitude\n");
  for (const char* name : {"yolov2", "yolov2_tiny", "yolov3", "yolov3_tiny"}) {
    const networks::DarknetFiles files = bench::must(networks::make_darknet(name, 416));
    const double error = darknet_error(files, 1);
    const int64_t bytes = differing_bytes(files);
    std::printf("  %-12s %.2g (at most %.0e); tiles of four nodes: %lld differing bytes\n", name,
                error, allowed, static_cast<long long>(bytes));
    good = good && error <= allowed && bytes == 0;
    const std::string key = (errors.empty() ? "\"" : ",\"") + std::string(name) + "\":";
    char value[32];
    std::snprintf(value, sizeof value, "%.3g", error);
    errors += key + value;
    differing += key + std::to_string(bytes);
  }
  if (line.json) {
    std::printf("{\"darknet_max_relative_error\":{%s},\"darknet_differing_bytes\":{%s}}\n",
                errors.c_str(), differing.c_str());
  }
  return good ? 0 : 1;
}
