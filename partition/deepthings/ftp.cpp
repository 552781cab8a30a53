#include "partition/deepthings/ftp.hpp"

#include <algorithm>
#include <charconv>

#include "partition/deepthings/ftp_darknet.hpp"
#include "partition/deepthings/ftp_frame.hpp"
#include "partition/simulation/cluster_network.hpp"

namespace shingle {
namespace {

constexpr int32_t most_tiles = 64, most_layers = 1000;  // along an axis; of a scheme

constexpr double inside_mbps = 1e5;  // from the access point to its own program: no limit

using Layers = std::vector<LayerId>;

// `shingle profile --fit` of the shared tables, 3x3 and 4x4 grids together.
constexpr DarknetCost one_core{.ns_per_mac = 0.6049,
                               .ns_per_gathered = 43.56,
                               .ns_per_pointwise = 56.52,
                               .ns_per_element = 18.34,
                               .ns_per_weight = 30.84,
                               .ns_per_pooled = 54.71,
                               .ns_per_stitched = 6.480};
constexpr DarknetCost two_cores{.ns_per_mac = 0.2852,
                                .ns_per_gathered = 13.19,
                                .ns_per_pointwise = 48.61,
                                .ns_per_element = 67.27,
                                .ns_per_weight = 17.88,
                                .ns_per_pooled = 0.0,
                                .ns_per_stitched = 8.158};
// Four cores are 2.66 times as fast as one, measured (devices/profiles/pi3b.toml).
constexpr double all_cores = 4.0, all_speedup = 2.66;

TileProgram program_of(const Model& model, const Layers& layers, const FtpWay& way) {
  TileProgram program;
  for (size_t i = 0; i < layers.size(); ++i) {
    if (way.computed[i].empty()) continue;
    const Region reads = ftp_reads(model, layers[i], way.computed[i]);
    program.steps.push_back({.layer = layers[i], .output = way.computed[i], .inputs = {reads}});
  }
  return program;
}

Duration time_of(const NodeProfile& profile, const Model& model, const TileProgram& program) {
  return Duration(static_cast<int64_t>(work_of(profile, model, program).compute_ns));
}

// The cluster's nodes are stations; the gateway, the last host, is the access point.
NetworkTopology cell_of(const Cluster& cluster) {
  NetworkTopology network;
  network.resources.push_back(
      {.bytes_per_second = bytes_per_second(*cluster.medium_mbps), .half_duplex = true});
  const auto own_latency = [](const ClusterNode& node) {
    return Duration(static_cast<int64_t>(1000.0 * std::clamp(node.link_latency_us, 0.0, 1e9)));
  };
  for (const ClusterNode& node : cluster.nodes) {
    const Way way{.resource = 0, .latency = own_latency(node)};
    network.hosts.push_back({.point = 0, .up = way, .down = way});
  }
  const double inside = bytes_per_second(inside_mbps);
  add_host(network, 0, {.up_bytes_per_second = inside, .down_bytes_per_second = inside});
  return network;
}

double redundancy(const Model& model, const Layers& layers, const std::vector<FtpTile>& tiles) {
  int64_t needed = 0, computed = 0;
  for (size_t i = 0; i < layers.size(); ++i) {
    needed += macs(model, layers[i], whole(model.at(model.at(layers[i]).output).shape));
    for (const FtpTile& tile : tiles)
      if (!tile.reusing.computed[i].empty())
        computed += macs(model, layers[i], tile.reusing.computed[i]);
  }
  return static_cast<double>(computed) / static_cast<double>(std::max<int64_t>(1, needed)) - 1.0;
}

}  // namespace

Result<FtpScheme> parse_ftp(std::string_view text) {
  const auto wrong = [&] {
    std::string sentence(text);
    sentence +=
        " is no FTP scheme; write ftp:ROWSxCOLUMNS:LAYERS, followed by +reuse if odd "
        "tiles reuse data of even ones and +pi3 for DeepThings' own program on Pi 3 boards, as in "
        "ftp:5x5:16+reuse";
    return Error{std::move(sentence)};
  };
  FtpScheme scheme;
  std::string_view left = text;
  const auto word = [&](std::string_view expected) {
    const bool there = left.starts_with(expected);
    if (there) left.remove_prefix(expected.size());
    return there;
  };
  const auto number = [&](int32_t& value, int32_t most) {
    const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), value);
    left.remove_prefix(static_cast<size_t>(end - left.data()));
    return error == std::errc() && value >= 1 && value <= most;
  };
  const bool read = word("ftp:") && number(scheme.rows, most_tiles) && word("x") &&
                    number(scheme.columns, most_tiles) && word(":") &&
                    number(scheme.layers, most_layers);
  if (!read) return wrong();
  scheme.reuse = word("+reuse");
  const bool on_pi3 = word("+pi3");
  if (!left.empty()) return wrong();
  return on_pi3 ? as_on_pi3(scheme) : scheme;
}

FtpScheme as_on_pi3(FtpScheme scheme) {
  scheme.darknet = pi3_darknet(1);
  scheme.loading = std::chrono::milliseconds(126);
  scheme.boards = {.send_packet = std::chrono::microseconds(40),
                   .receive_packet = std::chrono::microseconds(84),
                   .radio_sleeps_after = std::chrono::milliseconds(200),
                   .beacon_interval = std::chrono::microseconds(102'400),
                   .two_writes = true,
                   .gateway_is_access_point = true};
  return scheme;
}

DarknetCost pi3_darknet(int32_t cores) {
  if (cores == 1) return one_core;
  if (cores == 2) return two_cores;
  const double serial = (all_cores / all_speedup - 1.0) / (all_cores - 1.0);
  const double speedup = cores / (1.0 + serial * (cores - 1.0));
  auto costs = values_of(one_core);
  for (double& cost : costs) cost /= speedup;
  DarknetCost several = darknet_cost(costs);
  several.ns_per_stitched = one_core.ns_per_stitched;
  return several;
}

Result<FtpBlock> ftp_block(const Model& model, const FtpScheme& scheme) {
  auto layers = ftp_layers(model, scheme);
  if (!layers) return layers.failure();
  FtpBlock block{.scheme = scheme, .layers = std::move(*layers)};
  block.tiles = ftp_tiles(model, block.layers, scheme);
  block.redundancy = redundancy(model, block.layers, block.tiles);
  return block;
}

std::vector<FtpTileTime> ftp_times(const Model& model, const FtpBlock& block,
                                   const FtpDevice& device) {
  const auto took = [&](const FtpWay& way) {
    return device.darknet ? darknet_time(*device.darknet, model, block.layers, way)
                          : time_of(device.profile, model, program_of(model, block.layers, way));
  };
  std::vector<FtpTileTime> times;
  times.reserve(block.tiles.size());
  for (const FtpTile& tile : block.tiles) times.push_back({took(tile.alone), took(tile.reusing)});
  return times;
}

Duration ftp_rest_time(const Model& model, const FtpBlock& block, const FtpDevice& gateway) {
  const TileProgram rest = ftp_rest(model, block.layers);
  if (!gateway.darknet) return time_of(gateway.profile, model, rest);
  std::vector<LayerId> layers;
  FtpWay way;
  for (const Step& step : rest.steps) {
    layers.push_back(step.layer);
    way.computed.push_back(step.output);
  }
  return darknet_time(*gateway.darknet, model, layers, way);
}

Result<FtpFrame> ftp_frame(const Model& model, const FtpBlock& block, const Cluster& cluster,
                           const ClusterNode& gateway, const std::vector<FtpTileTime>& measured) {
  if (cluster.nodes.empty()) return Error{"FTP needs at least one node that computes"};
  if (!measured.empty() && measured.size() != block.tiles.size())
    return Error{"the grid has " + std::to_string(block.tiles.size()) +
                 " tiles, and times are given for " + std::to_string(measured.size())};
  const bool is_cell = block.scheme.boards.gateway_is_access_point && cluster.medium_mbps;
  Cluster all = cluster;
  all.nodes.push_back(gateway);
  FtpFrame frame{.block = block,
                 .network = is_cell ? cell_of(cluster) : network_of(all),
                 .times = {},
                 .gateway_sleeps = !is_cell};
  for (const ClusterNode& node : cluster.nodes)
    frame.times.push_back(measured.empty()
                              ? ftp_times(model, block, {profile_of(node), block.scheme.darknet})
                              : measured);
  frame.rest = ftp_rest_time(model, block, {.profile = profile_of(gateway)});
  return frame;
}

Result<FtpRun> simulate_ftp(const Model& model, const Cluster& cluster, const ClusterNode& gateway,
                            const FtpScheme& scheme, const std::vector<FtpTileTime>& measured) {
  const auto block = ftp_block(model, scheme);
  if (!block) return block.failure();
  const auto frame = ftp_frame(model, *block, cluster, gateway, measured);
  if (!frame) return frame.failure();
  return run_ftp_frame(*frame);
}

}  // namespace shingle
