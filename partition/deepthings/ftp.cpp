#include "partition/deepthings/ftp.hpp"

#include <algorithm>
#include <charconv>

#include "partition/deepthings/ftp_darknet.hpp"
#include "partition/deepthings/ftp_simulation.hpp"

namespace shingle {
namespace {

constexpr int32_t most_tiles = 64, most_layers = 1000;  // along an axis; of a scheme

using Layers = std::vector<LayerId>;

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

std::vector<FtpTileTime> times_of(const Model& model, const Layers& layers,
                                  const std::vector<FtpTile>& tiles, const FtpScheme& scheme,
                                  const NodeProfile& profile) {
  const auto took = [&](const FtpWay& way) {
    return scheme.darknet ? darknet_time(*scheme.darknet, model, layers, way)
                          : time_of(profile, model, program_of(model, layers, way));
  };
  std::vector<FtpTileTime> times;
  for (const FtpTile& tile : tiles) times.push_back({took(tile.alone), took(tile.reusing)});
  return times;
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
        "tiles reuse data of even ones, as in ftp:5x5:16+reuse";
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
  if (!left.empty()) return wrong();
  return scheme;
}

FtpScheme as_on_pi3(FtpScheme scheme) {
  scheme.darknet = {.ns_per_mac = 0.5754,
                    .ns_per_gathered = 55.47,
                    .ns_per_element = 26.46,
                    .ns_per_weight = 35.96};
  scheme.loading = std::chrono::milliseconds(126);
  return scheme;
}

Result<FtpRun> simulate_ftp(const Model& model, const Cluster& cluster, const ClusterNode& gateway,
                            const FtpScheme& scheme) {
  if (cluster.nodes.empty()) return Error{"FTP needs at least one node that computes"};
  const auto layers = ftp_layers(model, scheme);
  if (!layers) return layers.failure();
  Cluster all = cluster;
  all.nodes.push_back(gateway);
  const std::vector<FtpTile> tiles = ftp_tiles(model, *layers, scheme);
  std::vector<std::vector<FtpTileTime>> times;
  for (const ClusterNode& node : cluster.nodes)
    times.push_back(times_of(model, *layers, tiles, scheme, profile_of(node)));
  const Duration rest = time_of(profile_of(gateway), model, ftp_rest(model, *layers));
  FtpRun run = FtpSimulation(all, scheme, tiles, times, rest).run();
  run.redundancy = redundancy(model, *layers, tiles);
  return run;
}

}  // namespace shingle
