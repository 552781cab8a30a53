#include "partition/deepthings/ftp_simulation.hpp"

#include <algorithm>

namespace shingle {
namespace {

constexpr uint32_t source_node = 0;
constexpr Duration poll_every = std::chrono::milliseconds(100);
constexpr int64_t no_payload = 0;

}  // namespace

FtpSimulation::FtpSimulation(const Cluster& cluster, const FtpScheme& scheme,
                             const std::vector<FtpTile>& tiles,
                             const std::vector<std::vector<FtpTileTime>>& times, Duration rest)
    : scheme_(scheme),
      tiles_(tiles),
      times_(times),
      rest_(rest),
      gateway_(static_cast<uint32_t>(cluster.nodes.size() - 1)),
      time_(cluster),
      source_service_(time_),
      gateway_service_(time_),
      result_service_(time_),
      known_{.covered = std::vector<bool>(tiles.size(), false),
             .made_elsewhere = std::vector<bool>(tiles.size(), false)} {
  for (uint32_t device = 0; device < gateway_; ++device) devices_.emplace_back(time_);
  for (uint32_t tile : ftp_order(tiles)) queue_.push_back(tile);
}

FtpRun FtpSimulation::run() {
  time_.start(source());
  for (uint32_t device = 1; device < gateway_; ++device) time_.start(thief(device));
  time_.run();
  return run_;
}

Fiber FtpSimulation::source() {
  co_await time_.sleep(scheme_.loading);
  co_await connect(source_node, gateway_);
  co_await gateway_service_.enter();
  registered_ = true;
  gateway_service_.leave();
  while (const std::optional<Taken> taken = take()) {
    if (taken->reuses) co_await fetch_shared(source_node, taken->tile);
    co_await compute(source_node, *taken);
  }
}

Fiber FtpSimulation::thief(uint32_t device) {
  for (;;) {
    bool has_tiles = false;
    std::optional<Taken> taken;
    co_await ask_registry(device, has_tiles);
    if (has_tiles) co_await steal(device, taken);
    if (!taken) {
      co_await time_.sleep(poll_every);
      continue;
    }
    if (taken->reuses) co_await fetch_shared(device, taken->tile);
    co_await compute(device, *taken);
  }
}

// TCP's handshake: the server's kernel answers at once, even if its thread is busy.
Fiber FtpSimulation::connect(uint32_t from, uint32_t to) {
  co_await time_.transfer(from, to, no_payload);
  co_await time_.transfer(to, from, no_payload);
}

Fiber FtpSimulation::ask_registry(uint32_t device, bool& has_tiles) {
  co_await connect(device, gateway_);
  co_await gateway_service_.enter();
  co_await time_.transfer(device, gateway_, no_payload);
  has_tiles = registered_;
  co_await time_.transfer(gateway_, device, no_payload);
  gateway_service_.leave();
}

Fiber FtpSimulation::steal(uint32_t device, std::optional<Taken>& taken) {
  co_await connect(device, source_node);
  co_await source_service_.enter();
  co_await time_.transfer(device, source_node, no_payload);
  taken = take();
  int64_t bytes = no_payload;
  if (taken) {
    const FtpTile& tile = tiles_[taken->tile];
    bytes = (taken->reuses ? tile.reusing : tile.alone).input_bytes();
    run_.input_bytes += bytes;
  }
  co_await time_.transfer(source_node, device, bytes);
  source_service_.leave();
}

// The source keeps the data that it made itself; a thief asks for all data.
Fiber FtpSimulation::fetch_shared(uint32_t device, uint32_t tile) {
  const int64_t bytes = shared_bytes(tile, device == source_node);
  if (bytes == 0) co_return;
  run_.shared_bytes += bytes;
  co_await connect(device, gateway_);
  co_await gateway_service_.enter();
  co_await time_.transfer(device, gateway_, no_payload);
  co_await time_.transfer(gateway_, device, bytes);
  gateway_service_.leave();
}

Fiber FtpSimulation::compute(uint32_t device, Taken taken) {
  const FtpTile& tile = tiles_[taken.tile];
  const FtpTileTime& time = times_[device][taken.tile];
  if (scheme_.reuse && !tile.is_even() && !taken.reuses) ++run_.rolled_back;
  co_await time_.sleep(taken.reuses ? time.reusing : time.alone);
  if (tile.is_even() && !tile.strips.empty()) co_await hand_on_shared(device, taken.tile);
  time_.start(send_result(device, taken.tile));
}

Fiber FtpSimulation::hand_on_shared(uint32_t device, uint32_t tile) {
  const int64_t bytes = shared_bytes(tile, false);
  run_.shared_bytes += bytes;
  co_await connect(device, gateway_);
  co_await gateway_service_.enter();
  co_await time_.transfer(device, gateway_, bytes);
  if (device == source_node) {
    known_.covered[tile] = true;
  } else {
    co_await connect(gateway_, source_node);
    time_.start(tell_covered(tile));
  }
  gateway_service_.leave();
}

// The source notices it when its thread is free; it may be handing out a tile.
Fiber FtpSimulation::tell_covered(uint32_t tile) {
  co_await source_service_.enter();
  co_await time_.transfer(gateway_, source_node, no_payload);
  known_.covered[tile] = known_.made_elsewhere[tile] = true;
  source_service_.leave();
}

Fiber FtpSimulation::send_result(uint32_t device, uint32_t tile) {
  const int64_t bytes = tiles_[tile].output_bytes();
  run_.output_bytes += bytes;
  co_await devices_[device].results.enter();
  co_await connect(device, gateway_);
  co_await result_service_.enter();
  co_await time_.transfer(device, gateway_, bytes);
  result_service_.leave();
  devices_[device].results.leave();
  if (++results_ < tiles_.size()) co_return;
  run_.block_latency = time_.now() - Time{};
  co_await time_.sleep(rest_);
  run_.latency = time_.now() - Time{};
  time_.stop();
}

std::optional<FtpSimulation::Taken> FtpSimulation::take() {
  if (queue_.empty()) return std::nullopt;
  const uint32_t tile = queue_.front();
  queue_.pop_front();
  return Taken{tile, scheme_.reuse && !tiles_[tile].is_even() && is_covered(tile)};
}

bool FtpSimulation::is_covered(uint32_t tile) const {
  return std::all_of(tiles_[tile].strips.begin(), tiles_[tile].strips.end(),
                     [this](const FtpStrip& strip) { return known_.covered[strip.even]; });
}

int64_t FtpSimulation::shared_bytes(uint32_t tile, bool made_elsewhere_only) const {
  int64_t bytes = 0;
  for (const FtpStrip& strip : tiles_[tile].strips)
    if (!made_elsewhere_only || known_.made_elsewhere[strip.even]) bytes += strip.bytes();
  return bytes;
}

}  // namespace shingle
