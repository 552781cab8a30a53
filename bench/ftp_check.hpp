// The simulation of DeepThings' scheme held against its paper: six Pi 3, one core each, Wi-Fi of
// 38 Mb/s, four frames (docs/understand/devices.md).
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/measure.hpp"
#include "partition/deepthings/ftp_frame.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::bench {

struct FtpCheck {
  double redundancy = 0.0, mebibytes = 0.0, seconds = 0.0;
  bool good() const {
    return std::abs(redundancy - 0.276) <= 0.01 && std::abs(mebibytes / 12.6 - 1.0) <= 0.10 &&
           std::abs(seconds / 7.0 - 1.0) <= 0.15;
  }
};

inline FtpCheck ftp_check() {
  Cluster cluster;
  for (uint32_t i = 0; i < 6; ++i)
    cluster.nodes.push_back(
        {.id = NodeId{i}, .gflops = 1.92, .link_mbps = 38.0, .link_latency_us = pi3_latency_us});
  cluster.medium_mbps = 38.0;
  ClusterNode gateway = cluster.nodes[0];
  gateway.id = NodeId{6};
  const FtpScheme scheme = as_on_pi3(must(parse_ftp("ftp:5x5:16+reuse")));
  const Model model = must(networks::make("yolov2_front", 608));
  const FtpBlock block = must(ftp_block(model, scheme));
  FtpFrame frame = must(ftp_frame(model, block, cluster, gateway));
  frame.frames = 4;
  const FtpRun run = run_ftp_frame(frame);
  return {.redundancy = run.redundancy,
          .mebibytes = static_cast<double>(run.wire_bytes()) / (1 << 20) / frame.frames,
          .seconds = 1e-9 * in_nanoseconds(run.latency) / frame.frames};
}

inline nlohmann::ordered_json json_of(const FtpCheck& check) {
  return {{"redundancy", check.redundancy}, {"mib", check.mebibytes}, {"seconds", check.seconds}};
}

}  // namespace shingle::bench
