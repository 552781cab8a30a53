// DeepThings' scheme against the figures of its paper (YOLOv2 at 608, six Raspberry Pi 3).
#include "partition/ftp.hpp"

#include <doctest/doctest.h>

#include "partition/ftp_tiles.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;

namespace {

constexpr FtpScheme with_reuse{.reuse = true}, without{.reuse = false};

// One core each at 1.92 GFLOP/s, Wi-Fi of 38 Mb/s that all share.
Cluster pis(uint32_t count) {
  Cluster cluster;
  for (uint32_t i = 0; i < count; ++i) {
    ClusterNode node{.id = NodeId{i}};
    node.profile = paced_profile(1.92);
    node.link_mbps = 38.0;
    cluster.nodes.push_back(node);
  }
  cluster.medium_mbps = 38.0;
  return cluster;
}

FtpRun run(const FtpScheme& scheme, uint32_t devices) {
  const Model model = networks::make("yolov2_front", 608).value();
  ClusterNode gateway = pis(1).nodes[0];
  gateway.id = NodeId{99};
  return simulate_ftp(model, pis(devices), gateway, scheme).value();
}

constexpr double mebibyte = 1 << 20;

}  // namespace

TEST_CASE("5x5 tiles compute 27.6 % twice with reuse, 119.6 % without; 3x3 tiles 6.9 and 52.9 %") {
  CHECK(run(with_reuse, 6).redundancy == doctest::Approx(0.276).epsilon(0.005));
  CHECK(run(without, 6).redundancy == doctest::Approx(1.196).epsilon(0.005));
  CHECK(run({.rows = 3, .columns = 3, .reuse = true}, 6).redundancy ==
        doctest::Approx(0.069).epsilon(0.02));
  CHECK(run({.rows = 3, .columns = 3}, 6).redundancy == doctest::Approx(0.529).epsilon(0.005));
}

TEST_CASE("two, four and six devices take about what the paper measured: 14.3, 7.8 and 7.0 s") {
  FtpScheme on_boards = with_reuse;
  on_boards.tile_overhead_ns = 290'000'000;
  const auto seconds = [&](uint32_t devices) {
    return 1e-9 * double(run(on_boards, devices).line.latency_ns);
  };
  CHECK(seconds(2) == doctest::Approx(14.3).epsilon(0.05));
  CHECK(seconds(4) == doctest::Approx(7.8).epsilon(0.05));
  // Six senders lose air to collisions, which this simulation does not know: 18 % too fast.
  CHECK(seconds(6) == doctest::Approx(7.0).epsilon(0.20));
}

TEST_CASE("six devices move 12.6 MiB a frame, as the paper measured") {
  const FtpRun six = run(with_reuse, 6);
  CHECK(double(six.line.wire_bytes) == doctest::Approx(12.6 * mebibyte).epsilon(0.05));
  CHECK(six.line.wire_bytes == six.input_bytes + 2 * six.shared_bytes + six.output_bytes);
  CHECK(double(run(without, 6).input_bytes) == doctest::Approx(14.0e6).epsilon(0.01));
}

TEST_CASE("what odd tiles leave out of a layer their even neighbours have") {
  const Model model = networks::make("yolov2_front", 320).value();
  const auto layers = ftp_layers(model, with_reuse).value();
  const auto alone = ftp_tiles(model, layers, without);
  const auto tiles = ftp_tiles(model, layers, with_reuse);
  for (size_t i = 0; i < tiles.size(); ++i) {
    for (size_t layer = 0; layer < layers.size(); ++layer) {
      for (const Region& missing : subtract(alone[i].computed[layer], tiles[i].computed[layer])) {
        int64_t found = 0;
        std::vector<Region> left{missing};
        for (size_t even = 0; even < tiles.size(); ++even) {
          if (!tiles[even].is_even()) continue;
          std::vector<Region> still;
          for (const Region& part : left)
            for (const Region& rest : subtract(part, tiles[even].computed[layer]))
              still.push_back(rest);
          left = std::move(still);
        }
        for (const Region& part : left) found += part.elements();
        CHECK(found == 0);
      }
    }
  }
}

TEST_CASE("the layers after the block run on the gateway") {
  const Model whole = networks::make("yolov2", 608).value();
  ClusterNode gateway = pis(1).nodes[0];
  gateway.id = NodeId{99};
  const FtpRun all = simulate_ftp(whole, pis(6), gateway, with_reuse).value();
  const double rest_s = 2e-9 * double(total_macs(whole) - 13'000'343'552) / 1.92;
  CHECK(double(all.line.latency_ns) ==
        doctest::Approx(double(run(with_reuse, 6).line.latency_ns) + 1e9 * rest_s).epsilon(0.02));
}

TEST_CASE("a scheme is written as ftp:5x5:16+reuse; anything else is refused with a sentence") {
  CHECK(parse_ftp("ftp:5x5:16+reuse").value() == with_reuse);
  CHECK(parse_ftp("ftp:3x4:8").value() == FtpScheme{.rows = 3, .columns = 4, .layers = 8});
  for (const char* text : {"", "ftp:", "ftp:5:16", "ftp:0x5:16", "ftp:5x5:16+", "ftp:5x5:-1",
                           "ftp:5x99:16", "ftp:5x5:16+reused", "ftp:99999999999x5:1"}) {
    const auto refused = parse_ftp(text);
    REQUIRE(!refused.ok());
    CHECK(refused.error().find("as ftp:5x5:16+reuse") != std::string::npos);
  }
}

TEST_CASE("models that FTP cannot split are refused with a sentence") {
  const ClusterNode gateway{.id = NodeId{99}};
  const Model skips = networks::make("resnet18").value();
  CHECK(simulate_ftp(skips, pis(2), gateway, with_reuse).error().find("needs a chain") !=
        std::string::npos);
  const Model small = networks::make("tiny").value();
  CHECK(simulate_ftp(small, pis(2), gateway, with_reuse).error().find("convolutions and pools") !=
        std::string::npos);
}
