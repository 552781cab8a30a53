#include "partition/ftp.hpp"

#include <algorithm>
#include <charconv>

#include "partition/demand.hpp"
#include "partition/ftp_tiles.hpp"

namespace shingle {
namespace {

// Thieves ask every 100 ms; work is found, on average, half of that after it is there.
constexpr int64_t poll_wait_ns = 50'000'000;

// TCP shares the air among all who send: messages are cut so that none holds it for long.
constexpr int64_t piece_bytes = 64 * 1024;

constexpr int32_t most_tiles = 64, most_layers = 1000;  // along an axis; of a scheme

// A Dataflow by hand. Tiles in the order in which a node takes them.
class Script {
 public:
  Script(size_t nodes, uint32_t owner) {
    flow_.owner = owner;
    flow_.macs.assign(nodes, 0);
    flow_.weight_bytes.assign(nodes, 0);
    for (uint32_t node = 0; node < nodes; ++node) {
      flow_.homes.push_back(node);
      flow_.canvases.push_back({.node = node, .users = 1, .bytes = 0});
    }
  }

  uint32_t add(uint32_t node, int64_t compute_ns) {
    Dataflow::TileTask task;
    task.node = node;
    task.order = static_cast<uint32_t>(flow_.tiles.size());
    task.compute_ns = compute_ns;
    flow_.by_order.push_back(task.order);
    flow_.tiles.push_back(task);
    sent_.emplace_back();
    return task.order;
  }

  void send(uint32_t from, uint32_t reader, int64_t bytes) {
    for (int64_t left = bytes; left > 0; left -= piece_bytes)
      add_sent(from, {reader, std::min(left, piece_bytes), false});
  }
  // Behind everything else that the tile sends.
  void ask(uint32_t from, uint32_t reader) { add_sent(from, {reader, 0, false}); }
  void deliver(uint32_t from, int64_t bytes) { sent_[from].push_back({0, bytes, true}); }

  Dataflow finish() {
    for (uint32_t tile = 0; tile < flow_.tiles.size(); ++tile) {
      flow_.tiles[tile].leaving.begin = static_cast<uint32_t>(flow_.strip_ids.size());
      std::stable_partition(sent_[tile].begin(), sent_[tile].end(),
                            [](const Sent& sent) { return sent.bytes > 0; });
      for (const Sent& sent : sent_[tile]) strip(tile, sent);
      flow_.tiles[tile].leaving.end = static_cast<uint32_t>(flow_.strip_ids.size());
      if (flow_.tiles[tile].waits_for == 0) flow_.unprompted.push_back(tile);
    }
    return std::move(flow_);
  }

 private:
  struct Sent {
    uint32_t reader = 0;
    int64_t bytes = 0;
    bool outcome = false;
  };

  void add_sent(uint32_t from, const Sent& sent) {
    sent_[from].push_back(sent);
    ++flow_.tiles[sent.reader].waits_for;
  }

  void strip(uint32_t from, const Sent& sent) {
    Dataflow::StripTask task;
    task.from = flow_.tiles[from].node;
    task.to = sent.outcome ? flow_.owner : flow_.tiles[sent.reader].node;
    task.bytes = sent.bytes;
    if (sent.outcome) {
      ++flow_.outcomes;
    } else {
      task.target_canvas = static_cast<int32_t>(task.to);
      task.readers.begin = static_cast<uint32_t>(flow_.tile_ids.size());
      flow_.tile_ids.push_back(sent.reader);
      task.readers.end = static_cast<uint32_t>(flow_.tile_ids.size());
    }
    flow_.strip_ids.push_back(static_cast<uint32_t>(flow_.strips.size()));
    flow_.strips.push_back(task);
  }

  Dataflow flow_;
  std::vector<std::vector<Sent>> sent_;  // by tile
};

class FtpSimulation {
 public:
  FtpSimulation(const Model& model, const Cluster& cluster, const FtpScheme& scheme,
                std::vector<LayerId> layers)
      : model_(model),
        cluster_(cluster),
        scheme_(scheme),
        layers_(std::move(layers)),
        tiles_(ftp_tiles(model, layers_, scheme)),
        profiles_(profiles_of(cluster)),
        gateway_(static_cast<uint32_t>(cluster.nodes.size() - 1)),
        script_(cluster.nodes.size(), gateway_),
        last_of_(gateway_),
        free_at_(gateway_, 0) {}

  FtpRun run() {
    FtpRun run;
    count(run);
    std::vector<uint32_t> computing(tiles_.size());
    for (const bool even : {true, false})
      for (uint32_t i = 0; i < tiles_.size(); ++i)
        if (tiles_[i].is_even() == even) computing[i] = take(i, computing);
    finish(computing);
    const Dataflow flow = script_.finish();
    run.line = simulate(cluster_, {&flow}, {});
    return run;
  }

 private:
  void count(FtpRun& run) const {
    int64_t needed = 0, computed = 0;
    for (size_t i = 0; i < layers_.size(); ++i) {
      needed += macs(model_, layers_[i], whole(model_.at(model_.at(layers_[i]).output).shape));
      for (const FtpTile& tile : tiles_)
        if (!tile.computed[i].empty()) computed += macs(model_, layers_[i], tile.computed[i]);
    }
    run.redundancy =
        static_cast<double>(computed) / static_cast<double>(std::max<int64_t>(1, needed)) - 1.0;
    for (const FtpTile& tile : tiles_) {
      run.input_bytes += input_bytes(tile);
      run.shared_bytes += tile.shared_bytes;
      run.output_bytes += tile.output_bytes;
    }
  }

  static int64_t input_bytes(const FtpTile& tile) { return tile.input.elements() * 4; }

  int64_t compute_ns(const FtpTile& tile, uint32_t node) const {
    TileProgram program;
    for (size_t i = 0; i < layers_.size(); ++i) {
      if (tile.computed[i].empty()) continue;
      const Region reads = demand(model_, model_.at(layers_[i]), 0, tile.computed[i]);
      program.steps.push_back({.layer = layers_[i], .output = tile.computed[i], .inputs = {reads}});
    }
    return static_cast<int64_t>(work_of(profiles_[node], model_, program).compute_ns);
  }

  // The device that is free first takes the next tile: it says that it is done, and the gateway
  // sends what the tile needs.
  uint32_t take(uint32_t index, const std::vector<uint32_t>& computing) {
    const auto node = static_cast<uint32_t>(std::min_element(free_at_.begin(), free_at_.end()) -
                                            free_at_.begin());
    const FtpTile& tile = tiles_[index];
    const int64_t work = poll_wait_ns + scheme_.tile_overhead_ns + compute_ns(tile, node);
    const uint32_t handing_out = script_.add(gateway_, 0);
    const uint32_t computes = script_.add(node, work);
    if (last_of_[node]) script_.ask(*last_of_[node], handing_out);
    if (scheme_.reuse && !tile.is_even()) share(tile, handing_out, computing);
    script_.send(handing_out, computes, input_bytes(tile) + tile.shared_bytes);
    last_of_[node] = computes;
    free_at_[node] += work;
    return computes;
  }

  void share(const FtpTile& tile, uint32_t handing_out, const std::vector<uint32_t>& computing) {
    std::vector<uint32_t> neighbours;
    for (uint32_t i = 0; i < tiles_.size(); ++i) {
      const int32_t away =
          std::abs(tiles_[i].row - tile.row) + std::abs(tiles_[i].column - tile.column);
      if (away == 1) neighbours.push_back(computing[i]);
    }
    int64_t left = tile.shared_bytes;
    for (size_t i = 0; i < neighbours.size(); ++i) {
      const int64_t part = left / static_cast<int64_t>(neighbours.size() - i);
      script_.send(neighbours[i], handing_out, part);
      left -= part;
    }
  }

  // The outputs go to the gateway, which runs the rest.
  void finish(const std::vector<uint32_t>& computing) {
    const TileProgram all = whole_program(model_, WinogradUse::never);
    TileProgram rest;
    for (const Step& step : all.steps)
      if (step.layer.value >= layers_.size()) rest.steps.push_back(step);
    const uint32_t last = script_.add(
        gateway_, static_cast<int64_t>(work_of(profiles_[gateway_], model_, rest).compute_ns));
    for (size_t i = 0; i < tiles_.size(); ++i)
      script_.send(computing[i], last, tiles_[i].output_bytes);
    script_.deliver(last, 0);
  }

  const Model& model_;
  const Cluster& cluster_;
  const FtpScheme scheme_;
  const std::vector<LayerId> layers_;
  const std::vector<FtpTile> tiles_;
  const std::vector<NodeProfile> profiles_;
  const uint32_t gateway_;
  Script script_;
  std::vector<std::optional<uint32_t>> last_of_;  // by device: its latest tile
  std::vector<int64_t> free_at_;                  // by device, wires left out
};

}  // namespace

Result<FtpScheme> parse_ftp(std::string_view text) {
  const auto wrong = [&] {
    std::string sentence(text);
    sentence +=
        " is no FTP scheme; write ftp:ROWSxCOLUMNS:LAYERS, with +reuse behind it if odd "
        "tiles reuse what even ones made, as ftp:5x5:16+reuse";
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

Result<FtpRun> simulate_ftp(const Model& model, const Cluster& cluster, const ClusterNode& gateway,
                            const FtpScheme& scheme) {
  if (cluster.nodes.empty()) return Error{"FTP needs at least one node that computes"};
  auto layers = ftp_layers(model, scheme);
  if (!layers) return Error{layers.error()};
  Cluster with_gateway = cluster;
  with_gateway.nodes.push_back(gateway);
  return FtpSimulation(model, with_gateway, scheme, std::move(*layers)).run();
}

}  // namespace shingle
