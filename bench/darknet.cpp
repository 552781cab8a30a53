// Darknet networks: raw maps against OpenCV's Darknet importer, and tiles against the whole.
#include <cstdio>

#include "bench/measure.hpp"
#include "tests/apps/darknet_oracle.hpp"

namespace {

using namespace shingle;

constexpr double allowed = 1e-4;

}  // namespace

int main(int argc, char** argv) {
  const bench::CommandLine line = bench::parse(argc, argv);
  std::string json;
  bool good = true;
  std::printf("Largest difference from OpenCV, as a part of the map's largest magnitude\n");
  for (const char* name : {"yolov2", "yolov2_tiny", "yolov3", "yolov3_tiny"}) {
    const double error = darknet_error(bench::must(networks::make_darknet(name, 416)), 1);
    std::printf("  %-12s at 416  %.2g (at most %.0e)\n", name, error, allowed);
    good = good && error <= allowed;
    char entry[64];
    std::snprintf(entry, sizeof entry, "%s\"%s\":%.3g", json.empty() ? "" : ",", name, error);
    json += entry;
  }
  if (line.json) std::printf("{\"darknet_max_relative_error\":{%s}}\n", json.c_str());
  return good ? 0 : 1;
}
