// DeepThings' scheme compared with the numbers of its paper (YOLOv2 at 608, six Raspberry Pi 3).
#include "partition/deepthings/ftp.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "partition/deepthings/ftp_darknet.hpp"
#include "partition/deepthings/ftp_frame.hpp"
#include "tests/networks/networks.hpp"
#include "tests/places.hpp"

using namespace shingle;

namespace {

constexpr FtpScheme with_reuse{.reuse = true}, without{.reuse = false};

// One core each at 1.92 GFLOP/s; all share one Wi-Fi of 38 Mb/s.
Cluster pis(uint32_t count) {
  Cluster cluster;
  for (uint32_t i = 0; i < count; ++i) {
    ClusterNode node{.id = NodeId{i}};
    node.profile = paced_profile(1.92);
    node.link_mbps = 38.0;
    node.link_latency_us = pi3_latency_us;
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

// As the paper's figures were made (docs/understand/devices.md): the mean of four frames, of many
// draws.
struct Course {
  double seconds = 0.0, mebibytes = 0.0;  // a frame
};

Course course(const FtpScheme& scheme, uint32_t devices) {
  constexpr uint32_t frames = 4, draws = 60;
  const Model model = networks::make("yolov2_front", 608).value();
  ClusterNode gateway = pis(1).nodes[0];
  gateway.id = NodeId{99};
  const FtpBlock block = ftp_block(model, scheme).value();
  FtpFrame frame = ftp_frame(model, block, pis(devices), gateway).value();
  frame.frames = frames;
  FtpChance chance{.jitter = std::vector<double>(devices, 0.002), .phases = true};
  Course mean;
  for (; chance.seed < draws; ++chance.seed) {
    const FtpRun run = run_ftp_frame(frame, chance);
    mean.seconds += 1e-9 * in_nanoseconds(run.latency) / (frames * draws);
    mean.mebibytes += double(run.wire_bytes()) / (1 << 20) / (frames * draws);
  }
  return mean;
}

struct MeasuredTile {
  size_t index = 0;
  bool reuse = false;
  double ns = 0.0;
};

// Folder of the tile times by DeepThings' authors; empty if it is not there.
std::string measured_folder() {
  const char* data = std::getenv("SHINGLE_DATA");
  const std::string folder = (data != nullptr ? data : source_folder() + "/../shared/data") +
                             std::string("/pi3-tile-times");
  return std::ifstream(folder + "/3x3_grid_16_layers_1_core.prof") ? folder : std::string();
}

// One core. Columns: function, frame, tile, reuse, calls, microseconds.
std::vector<MeasuredTile> measured(const std::string& folder, int32_t grid, int32_t depth) {
  const std::string side = std::to_string(grid);
  std::ifstream file(folder + "/" + side + "x" + side + "_grid_" + std::to_string(depth) +
                     "_layers_1_core.prof");
  std::vector<MeasuredTile> tiles;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string function;
    MeasuredTile tile;
    int frame = 0, calls = 0;
    double microseconds = 0.0;
    words >> function >> frame >> tile.index >> tile.reuse >> calls >> microseconds;
    tile.ns = 1e3 * microseconds;
    if (words && function == "forward_partition") tiles.push_back(tile);
  }
  return tiles;
}

}  // namespace

TEST_CASE("5x5 tiles compute 27.6 % twice with reuse, 119.6 % without; 3x3 tiles 6.9 and 52.9 %") {
  CHECK(run(with_reuse, 6).redundancy == doctest::Approx(0.276).epsilon(0.005));
  CHECK(run(without, 6).redundancy == doctest::Approx(1.196).epsilon(0.005));
  CHECK(run({.rows = 3, .columns = 3, .reuse = true}, 6).redundancy ==
        doctest::Approx(0.069).epsilon(0.02));
  CHECK(run({.rows = 3, .columns = 3}, 6).redundancy == doctest::Approx(0.529).epsilon(0.005));
}

TEST_CASE("one to six Pi 3 take what the paper measured: 4 % off in the mean, none 10 %") {
  struct Case {
    int32_t grid;
    uint32_t devices;
    double seconds;
  };
  double sum = 0.0;
  constexpr Case cases[] = {{3, 1, 18.2}, {3, 2, 11.5}, {3, 4, 7.2}, {3, 6, 6.3},
                            {5, 1, 24.9}, {5, 2, 14.3}, {5, 4, 7.8}, {5, 6, 7.0}};
  for (const Case& at : cases) {
    const FtpScheme scheme{.rows = at.grid, .columns = at.grid, .reuse = true};
    const double seconds = course(as_on_pi3(scheme), at.devices).seconds;
    const double error = std::abs(seconds / at.seconds - 1.0);
    INFO(at.grid << "x" << at.grid << ", " << at.devices << " devices: " << seconds);
    CHECK(error <= 0.10);
    sum += error;
  }
  CHECK(sum / 8.0 <= 0.04);
}

TEST_CASE("a source takes its next frame while thieves compute the last tiles of the one before") {
  const Model model = networks::make("yolov2_front", 608).value();
  const FtpScheme scheme = as_on_pi3({.rows = 3, .columns = 3});
  ClusterNode gateway = pis(1).nodes[0];
  gateway.id = NodeId{99};
  const FtpBlock block = ftp_block(model, scheme).value();
  const auto seconds = [&](uint32_t devices, uint32_t frames) {
    FtpFrame frame = ftp_frame(model, block, pis(devices), gateway).value();
    frame.frames = frames;
    return 1e-9 * in_nanoseconds(run_ftp_frame(frame).latency);
  };
  CHECK(seconds(1, 3) == doctest::Approx(3.0 * seconds(1, 1)).epsilon(0.005));
  // Six devices take nine tiles in two rounds; three of them would rest in the second one.
  CHECK(seconds(6, 3) < 0.9 * 3.0 * seconds(6, 1));
}

TEST_CASE("the layers after the block run on the gateway, one frame after the other") {
  const Model model = networks::make("yolov2", 608).value();
  const FtpScheme scheme{.reuse = true};
  ClusterNode gateway = pis(1).nodes[0];
  gateway.id = NodeId{99};
  const FtpBlock block = ftp_block(model, scheme).value();
  FtpFrame frame = ftp_frame(model, block, pis(6), gateway).value();
  frame.rest = std::chrono::seconds(100);
  const Duration one = run_ftp_frame(frame).latency;
  frame.frames = 3;
  CHECK(run_ftp_frame(frame).latency == one + 2 * frame.rest);
}

TEST_CASE("a radio that sleeps delays what is sent to it until the next beacon") {
  const auto latency = [](Duration sleeps_after, Duration beacon, bool is_access_point) {
    FtpScheme scheme = as_on_pi3({.rows = 3, .columns = 3, .reuse = true});
    scheme.boards.radio_sleeps_after = sleeps_after;
    scheme.boards.beacon_interval = beacon;
    scheme.boards.gateway_is_access_point = is_access_point;
    return run(scheme, 1).latency;
  };
  using std::chrono::milliseconds;
  const Duration never = latency({}, {}, false);
  const Duration often = latency(milliseconds(200), milliseconds(100), false);
  const Duration awake = latency(std::chrono::hours(1), milliseconds(100), false);
  CHECK(awake == never);
  // Registering, and the strips of five even tiles: each time the gateway has long been silent.
  CHECK(often > never + milliseconds(100));
  CHECK(often < never + milliseconds(600));
  // An access point sends the beacons.
  CHECK(latency(milliseconds(200), milliseconds(100), true) == latency({}, {}, true));
}

TEST_CASE("what a board sends another crosses the air of an access point twice") {
  FtpScheme scheme{.rows = 1, .columns = 2, .layers = 12};
  scheme.darknet = pi3_darknet(1);
  const auto seconds = [&](bool is_access_point, uint32_t devices) {
    scheme.boards.gateway_is_access_point = is_access_point;
    return 1e-9 * in_nanoseconds(run(scheme, devices).latency);
  };
  CHECK(seconds(true, 1) == doctest::Approx(seconds(false, 1)).epsilon(0.001));
  // The thief takes one of the two tiles, and ends last.
  const auto input = ftp_block(yolov2_block(), scheme).value().tiles[1].alone.input_bytes();
  CHECK(seconds(true, 2) - seconds(false, 2) ==
        doctest::Approx(8.0 * double(input) / 38e6).epsilon(0.1));
}

TEST_CASE("packets take time from the tiles of a board with one core") {
  const auto latency = [](Duration each) {
    FtpScheme scheme = as_on_pi3({.rows = 3, .columns = 3, .reuse = true});
    scheme.boards = {.send_packet = each, .receive_packet = each};
    return run(scheme, 1).latency;
  };
  const Duration none = latency({}), some = latency(std::chrono::microseconds(100));
  // Results are sent while the next tile runs: 8 of 173 KB or less, 1.5 packets' time for each.
  CHECK(some > none + std::chrono::milliseconds(80));
  CHECK(some < none + std::chrono::milliseconds(250));
}

TEST_CASE("measured times replace what costs give; a table of another grid is refused") {
  const Model model = networks::make("yolov2_front", 608).value();
  ClusterNode gateway = pis(1).nodes[0];
  gateway.id = NodeId{99};
  const FtpScheme scheme{.rows = 3, .columns = 3};
  const std::vector<FtpTileTime> second(9, {std::chrono::seconds(1), std::chrono::seconds(1)});
  const double seconds =
      1e-9 * in_nanoseconds(simulate_ftp(model, pis(1), gateway, scheme, second).value().latency);
  CHECK(seconds > 9.0);
  CHECK(seconds < 9.2);
  CHECK(simulate_ftp(model, pis(1), gateway, with_reuse, second).error().find("has 25 tiles") !=
        std::string::npos);
}

TEST_CASE("more cores of a Pi 3 take less time, four of them 2.66 times less than one") {
  const auto layers = ftp_layers(yolov2_block(), without).value();
  const Model model = yolov2_block();
  const auto tiles = ftp_tiles(model, layers, {.rows = 1, .columns = 1});
  const auto ns = [&](int32_t cores) {
    return in_nanoseconds(darknet_time(pi3_darknet(cores), model, layers, tiles[0].alone));
  };
  for (int32_t cores = 2; cores <= 4; ++cores) CHECK(ns(cores) < ns(cores - 1));
  CHECK(ns(1) / ns(4) == doctest::Approx(2.66));
}

TEST_CASE("the block that DeepThings' tiles are of is YOLOv2's") {
  const Model block = yolov2_block(), front = networks::make("yolov2_front", 608).value();
  REQUIRE(block.layers.size() == front.layers.size());
  CHECK(total_macs(block) == total_macs(front));
  for (uint32_t i = 0; i < block.layers.size(); ++i)
    CHECK(block.at(block.layers[i].output).shape == front.at(front.layers[i].output).shape);
}

TEST_CASE("one to six devices move about what the paper measured: 4.1, 8.6, 10.7 and 12.6 MiB") {
  const auto off = [](uint32_t devices, double measured) {
    return std::abs(course(as_on_pi3(with_reuse), devices).mebibytes / measured - 1.0);
  };
  CHECK(off(1, 4.1) <= 0.02);
  CHECK(off(2, 8.6) <= 0.10);
  CHECK(off(4, 10.7) <= 0.10);
  CHECK(off(6, 12.6) <= 0.10);
}

TEST_CASE("Darknet's costs give the untiled block's 13.6 s on one core of a Pi 3") {
  const Model model = networks::make("yolov2_front", 608).value();
  const auto layers = ftp_layers(model, without).value();
  const auto tiles = ftp_tiles(model, layers, {.rows = 1, .columns = 1});
  const double ns =
      in_nanoseconds(darknet_time(*as_on_pi3(without).darknet, model, layers, tiles[0].alone));
  CHECK(std::abs(1e-9 * ns / 13.6 - 1.0) <= 0.01);
}

TEST_CASE("Darknet's costs give what every tile took that was measured on a Pi 3, within 5 %") {
  const std::string folder = measured_folder();
  if (folder.empty()) {
    MESSAGE("skipped: no pi3-tile-times in the shared data");
    return;
  }
  const Model model = networks::make("yolov2_front", 608).value();
  size_t count = 0;
  for (int32_t grid : {3, 4}) {
    for (int32_t depth : {4, 8, 12, 16}) {
      FtpScheme scheme{.rows = grid, .columns = grid, .layers = depth, .reuse = true};
      scheme = as_on_pi3(scheme);
      const auto layers = ftp_layers(model, scheme).value();
      const auto tiles = ftp_tiles(model, layers, scheme);
      for (const MeasuredTile& tile : measured(folder, grid, depth)) {
        const FtpWay& way = tile.reuse ? tiles[tile.index].reusing : tiles[tile.index].alone;
        const double ns = in_nanoseconds(darknet_time(*scheme.darknet, model, layers, way));
        INFO(grid << "x" << grid << ", " << depth << " layers, tile " << tile.index);
        CHECK(std::abs(ns / tile.ns - 1.0) <= 0.05);
        ++count;
      }
    }
  }
  CHECK(count > 400);
}

TEST_CASE("an odd tile is computed alone if its neighbours' data are not there when it is taken") {
  const FtpRun one = run(with_reuse, 1), six = run(with_reuse, 6);
  CHECK(one.rolled_back == 0);  // the tiles run one after the other, even ones first
  CHECK(one.input_bytes == 0);
  CHECK(six.rolled_back > 0);
  CHECK(run(without, 6).rolled_back == 0);
  CHECK(run(without, 6).shared_bytes == 0);
}

TEST_CASE("each pixel that an odd tile takes comes from one even neighbour that computes it") {
  const Model model = networks::make("yolov2_front", 320).value();
  const auto layers = ftp_layers(model, with_reuse).value();
  const auto tiles = ftp_tiles(model, layers, with_reuse);
  int64_t input_bytes = 0;
  for (uint32_t i = 0; i < tiles.size(); ++i) {
    input_bytes += tiles[i].alone.input_bytes();
    if (tiles[i].is_even()) continue;
    for (size_t layer = 1; layer < layers.size(); ++layer) {
      const Region reads = ftp_reads(model, layers[layer], tiles[i].reusing.computed[layer]);
      int64_t read = intersect(reads, tiles[i].reusing.computed[layer - 1]).elements();
      for (const FtpStrip& strip : tiles[i].strips) {
        if (strip.layer != layer - 1) continue;
        CHECK(strip.odd == i);
        CHECK(contains(reads, strip.region));
        CHECK(contains(tiles[strip.even].alone.computed[strip.layer], strip.region));
        CHECK(tiles[strip.even].is_even());
        read += strip.region.elements();
      }
      CHECK(read == reads.elements());
    }
  }
  CHECK(input_bytes > int64_t{320} * 320 * 3 * 4);
}

TEST_CASE("what odd tiles leave out of a layer their even neighbours have") {
  const Model model = networks::make("yolov2_front", 320).value();
  const auto layers = ftp_layers(model, with_reuse).value();
  const auto tiles = ftp_tiles(model, layers, with_reuse);
  for (size_t i = 0; i < tiles.size(); ++i) {
    for (size_t layer = 0; layer < layers.size(); ++layer) {
      for (const Region& missing :
           subtract(tiles[i].alone.computed[layer], tiles[i].reusing.computed[layer])) {
        int64_t found = 0;
        std::vector<Region> left{missing};
        for (size_t even = 0; even < tiles.size(); ++even) {
          if (!tiles[even].is_even()) continue;
          std::vector<Region> still;
          for (const Region& part : left)
            for (const Region& rest : subtract(part, tiles[even].alone.computed[layer]))
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
  CHECK(in_nanoseconds(all.latency) ==
        doctest::Approx(in_nanoseconds(run(with_reuse, 6).latency) + 1e9 * rest_s).epsilon(0.02));
}

TEST_CASE("a scheme is written as ftp:5x5:16+reuse; anything else is refused with a sentence") {
  CHECK(parse_ftp("ftp:5x5:16+reuse").value() == with_reuse);
  CHECK(parse_ftp("ftp:3x4:8").value() == FtpScheme{.rows = 3, .columns = 4, .layers = 8});
  for (const char* text : {"", "ftp:", "ftp:5:16", "ftp:0x5:16", "ftp:5x5:16+", "ftp:5x5:-1",
                           "ftp:5x99:16", "ftp:5x5:16+reused", "ftp:99999999999x5:1"}) {
    const auto refused = parse_ftp(text);
    REQUIRE(!refused.ok());
    CHECK(refused.error().find("as in ftp:5x5:16+reuse") != std::string::npos);
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
