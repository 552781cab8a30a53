// The cases of `bench plan`: network, cluster, goal, and the figure that is wanted.
#pragma once

#include "bench/measure.hpp"
#include "devices/budget/memory_cap.hpp"
#include "partition/search/rotation_search.hpp"
#include "tests/networks/networks.hpp"
#include "tests/places.hpp"

namespace shingle::bench {

struct PlanCase {
  std::string name;  // its key in the JSON
  std::string network;
  int32_t size = 0;     // 0: the network's usual one
  std::string cluster;  // in devices/clusters/
  size_t nodes = 6;     // the first so many of them
  Goal goal{};
  double wanted = 0.0;  // times as fast as one node; for unequal nodes a part of their sum
  bool of_the_sum = false;
};

inline Goal stream_goal(int32_t open_frames) {
  return {.kind = Goal::Kind::throughput, .open_frames = open_frames};
}

inline std::vector<PlanCase> plan_cases() {
  std::vector<PlanCase> cases{
      {"front", "yolov2_front", 608, "pi3x6", 6, {}, 4.8},
      {"whole", "yolov2", 608, "pi3x6", 6, {}, 5.1},
      {"stream", "yolov2", 608, "pi3x6", 6, stream_goal(6), 5.85},
      {"stream_2_open", "yolov2", 608, "pi3x6", 6, stream_goal(2), 5.4},
      {"hetero_stream", "yolov2", 608, "pi3x6_unequal", 6, stream_goal(6), 0.95, true},
      {"hetero", "yolov2", 608, "pi3x6_unequal", 6, {}, 0.85, true},
      {"shared", "yolov2", 608, "pi3x6_shared", 6, {}, 4.2}};
  for (const char* network : {"yolov3_tiny", "resnet50", "mobilenetv2", "unet", "yolov8n"}) {
    const bool thin = std::string(network) == "mobilenetv2";
    const int32_t size = std::string(network) == "unet" ? 512 : 0;
    cases.push_back({network, network, size, "pi3x6", 4, {}, thin ? 1.5 : 2.5});
  }
  return cases;
}

// The network with an input of bytes, as from a camera.
inline Model picture_model(const std::string& network, int32_t size) {
  Model model = must(networks::make(network, size));
  take_image(model, {1 / 255.0F, 1 / 255.0F, 1 / 255.0F}, {0.0F, 0.0F, 0.0F});
  return model;
}

inline Cluster virtual_boards(const std::string& name, size_t nodes) {
  Cluster cluster =
      planner_cluster(must(load_cluster(source_folder() + "/devices/clusters/" + name + ".toml")));
  cluster.nodes.resize(std::min(nodes, cluster.nodes.size()));
  return cluster;
}

}  // namespace shingle::bench
