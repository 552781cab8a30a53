#include "partition/deepthings/ftp_simulation.hpp"

#include <algorithm>
#include <utility>

namespace shingle {
namespace {

constexpr uint32_t source_node = 0;
constexpr Duration poll_every = std::chrono::milliseconds(100);
constexpr int64_t no_payload = 0;
constexpr int64_t whole_packet = 1448;  // bytes of payload: 1500 less IP's and TCP's headers
constexpr double packet_bytes = whole_packet;
constexpr double packets_per_acknowledgement = 2.0;
// Of a message that the kernel has just taken whole (ftp.hpp): after k round trips 2^k - 1 windows
// of the first one's size have arrived, and 2 * 2^k more fit into the buffer.
constexpr int64_t arrived_part = 3;

}  // namespace

FtpSimulation::FtpSimulation(const FtpFrame& frame, const FtpChance& chance)
    : frame_(frame),
      chance_(chance),
      scheme_(frame.block.scheme),
      tiles_(frame.block.tiles),
      gateway_(static_cast<uint32_t>(frame.times.size())),
      dice_(mixed_bits(chance.seed)),
      time_(frame.network),
      source_service_(time_),
      gateway_service_(time_),
      result_service_(time_),
      merging_(time_),
      known_(frame.frames, {.covered = std::vector<bool>(tiles_.size(), false),
                            .made_elsewhere = std::vector<bool>(tiles_.size(), false)}) {
  devices_.reserve(gateway_ + 1);  // fibers wait at them, so they may not move
  for (uint32_t device = 0; device <= gateway_; ++device) devices_.emplace_back(time_);
}

FtpRun FtpSimulation::run() {
  const auto phase = [this](Duration period) {
    if (!chance_.phases) return Duration{};
    return Duration(static_cast<int64_t>(dice_.unit() * in_nanoseconds(period)));
  };
  beacon_offset_ = phase(scheme_.boards.beacon_interval);
  time_.start(source());
  for (uint32_t device = 1; device < gateway_; ++device)
    time_.start(thief(device, phase(poll_every)));
  time_.run();
  for (const Device& device : devices_) run_.devices.push_back(device.use);
  return run_;
}

// Twelve uniform numbers have the variance 1, and their sum is close to a normal one.
Duration FtpSimulation::drawn(uint32_t device, Duration time) {
  if (chance_.jitter.empty() || chance_.jitter[device] <= 0.0) return time;
  double normal = -6.0;
  for (int i = 0; i < 12; ++i) normal += dice_.unit();
  const double factor = std::max(0.0, 1.0 + chance_.jitter[device] * normal);
  return Duration(static_cast<int64_t>(in_nanoseconds(time) * factor));
}

Fiber FtpSimulation::source() {
  for (uint32_t frame = 0; frame < frame_.frames; ++frame) {
    co_await time_.sleep(scheme_.loading);
    for (uint32_t tile : ftp_order(tiles_)) queue_.push_back({frame, tile});
    co_await connect(source_node, gateway_);
    time_.start(change_registry(true));
    while (const std::optional<Taken> taken = take()) {
      if (taken->reuses) co_await fetch_shared(source_node, taken->task);
      co_await compute(source_node, *taken);
    }
    co_await connect(source_node, gateway_);
    time_.start(change_registry(false));
  }
}

// The source does not wait for it.
Fiber FtpSimulation::change_registry(bool has_tiles) {
  co_await gateway_service_.enter();
  co_await answer(source_node, gateway_);
  registered_ = has_tiles;
  gateway_service_.leave();
}

Fiber FtpSimulation::thief(uint32_t device, Duration begins) {
  if (begins > Duration::zero()) co_await time_.sleep(begins);
  for (;;) {
    bool has_tiles = false;
    std::optional<Taken> taken;
    co_await ask_registry(device, has_tiles);
    if (has_tiles) co_await steal(device, taken);
    if (!taken) {
      co_await time_.sleep(poll_every);
      continue;
    }
    if (taken->reuses) co_await fetch_shared(device, taken->task);
    co_await compute(device, *taken);
  }
}

// TCP's handshake: the server's kernel answers at once, even if its thread is busy.
FtpSimulation::Exchange FtpSimulation::connect(uint32_t from, uint32_t to) {
  return {*this, from, to, no_payload, 2};
}

// A request that waits for its answer. Where it is several writes, all but the first wait for the
// acknowledgement of that.
FtpSimulation::Exchange FtpSimulation::ask(uint32_t from, uint32_t to) {
  return {*this, from, to, no_payload, scheme_.boards.two_writes ? 3 : 1};
}

// A small message after which the connection is closed.
FtpSimulation::Exchange FtpSimulation::answer(uint32_t from, uint32_t to) {
  return {*this, from, to, no_payload, 1};
}

FtpSimulation::Exchange FtpSimulation::transfer(uint32_t from, uint32_t to, int64_t bytes,
                                                OneAtATime& sender) {
  return {*this, from, to, bytes, 1, &sender};
}

void FtpSimulation::Exchange::begin() {
  all_.devices_[from_].radio_used = all_.time_.now();
  const Duration asleep = all_.sleeping(to_);
  if (asleep == Duration::zero()) return send();
  all_.time_.call(all_.time_.now() + asleep,
                  {this, [](void* of) { static_cast<Exchange*>(of)->send(); }});
}

void FtpSimulation::Exchange::send() {
  all_.use_processors(from_, to_, bytes_);
  const int64_t first = sender_ == nullptr ? 0 : bytes_ / arrived_part;
  if (sender_ != nullptr)
    all_.time_.send(from_, to_, first,
                    {sender_, [](void* of) { static_cast<OneAtATime*>(of)->leave(); }});
  all_.time_.send(from_, to_, bytes_ - first,
                  {this, [](void* of) { static_cast<Exchange*>(of)->arrive(); }});
}

// The fiber may end, and this object with it.
void FtpSimulation::Exchange::arrive() {
  all_.devices_[from_].radio_used = all_.devices_[to_].radio_used = all_.time_.now();
  if (--left_ == 0) return fiber_.resume();
  std::swap(from_, to_);
  begin();
}

// Until the device's radio hears what is sent to it now.
Duration FtpSimulation::sleeping(uint32_t device) {
  const Duration interval = scheme_.boards.beacon_interval;
  if (device == gateway_ && !frame_.gateway_sleeps) return {};
  const bool sleeps = interval > Duration::zero() &&
                      time_.now() - devices_[device].radio_used > scheme_.boards.radio_sleeps_after;
  devices_[device].radio_used = time_.now();
  if (!sleeps) return Duration::zero();
  return interval - (time_.now() - Time{} + beacon_offset_) % interval;
}

void FtpSimulation::use_processors(uint32_t from, uint32_t to, int64_t bytes) {
  const double packets = std::max(1.0, static_cast<double>(bytes) / packet_bytes);
  const double answers = packets / packets_per_acknowledgement;
  const auto time = [&](double sent, double received) {
    return Duration(static_cast<int64_t>(sent * in_nanoseconds(scheme_.boards.send_packet) +
                                         received * in_nanoseconds(scheme_.boards.receive_packet)));
  };
  devices_[from].packet_time += time(packets, answers);
  devices_[to].packet_time += time(answers, packets);
  FtpUse &sender = devices_[from].use, &receiver = devices_[to].use;
  sender.sent_bytes += bytes;
  receiver.received_bytes += bytes;
  const int64_t whole_packets = std::max<int64_t>(1, (bytes + whole_packet - 1) / whole_packet);
  const int64_t whole_answers = (whole_packets + 1) / 2;
  sender.sent_packets += whole_packets;
  receiver.received_packets += whole_packets;
  sender.received_packets += whole_answers;
  receiver.sent_packets += whole_answers;
}

// Packets come before the tile: it ends later by the time that they take.
Fiber FtpSimulation::run_tile(uint32_t device, Duration time) {
  const Time begin = time_.now();
  devices_[device].packet_time = {};
  co_await time_.sleep(time);
  while (devices_[device].packet_time > Duration::zero())
    co_await time_.sleep(std::exchange(devices_[device].packet_time, Duration{}));
  devices_[device].use.computing += time_.now() - begin;
  ++devices_[device].use.tiles;
}

Fiber FtpSimulation::ask_registry(uint32_t device, bool& has_tiles) {
  co_await connect(device, gateway_);
  co_await gateway_service_.enter();
  co_await ask(device, gateway_);
  has_tiles = registered_;
  gateway_service_.leave();
  co_await answer(gateway_, device);
}

Fiber FtpSimulation::steal(uint32_t device, std::optional<Taken>& taken) {
  co_await connect(device, source_node);
  co_await source_service_.enter();
  co_await ask(device, source_node);
  taken = take();
  if (!taken) {
    source_service_.leave();
    co_await answer(source_node, device);
    co_return;
  }
  const FtpTile& tile = tiles_[taken->task.tile];
  const int64_t bytes = (taken->reuses ? tile.reusing : tile.alone).input_bytes();
  run_.input_bytes += bytes;
  co_await transfer(source_node, device, bytes, source_service_);
}

// The source keeps the data that it made itself; a thief asks for all data.
Fiber FtpSimulation::fetch_shared(uint32_t device, Task task) {
  const int64_t bytes = shared_bytes(task, device == source_node);
  if (bytes == 0) co_return;
  run_.shared_bytes += bytes;
  co_await connect(device, gateway_);
  co_await gateway_service_.enter();
  co_await ask(device, gateway_);
  co_await transfer(gateway_, device, bytes, gateway_service_);
}

Fiber FtpSimulation::compute(uint32_t device, Taken taken) {
  const FtpTile& tile = tiles_[taken.task.tile];
  const FtpTileTime& time = frame_.times[device][taken.task.tile];
  if (scheme_.reuse && !tile.is_even() && !taken.reuses) ++run_.rolled_back;
  co_await run_tile(device, drawn(device, taken.reuses ? time.reusing : time.alone));
  if (tile.is_even() && !tile.strips.empty()) co_await hand_on_shared(device, taken.task);
  time_.start(send_result(device, taken.task.tile));
}

// The source counts on its own strips before they have arrived: the gateway serves its connection
// before that of whoever asks for them.
Fiber FtpSimulation::hand_on_shared(uint32_t device, Task task) {
  if (device == source_node) known_[task.frame].covered[task.tile] = true;
  co_await connect(device, gateway_);
  OneAtATime& handing_on = devices_[device].handing_on;
  co_await handing_on.enter();
  time_.start(deliver_shared(device, task));
  co_await handing_on.enter();
  handing_on.leave();
}

Fiber FtpSimulation::deliver_shared(uint32_t device, Task task) {
  const int64_t bytes = shared_bytes(task, false);
  run_.shared_bytes += bytes;
  co_await gateway_service_.enter();
  co_await transfer(device, gateway_, bytes, devices_[device].handing_on);
  if (device != source_node) {
    co_await connect(gateway_, source_node);
    time_.start(tell_covered(task));
  }
  gateway_service_.leave();
}

// The source notices it when its thread is free; it may be handing out a tile.
Fiber FtpSimulation::tell_covered(Task task) {
  co_await source_service_.enter();
  co_await answer(gateway_, source_node);
  Known& known = known_[task.frame];
  known.covered[task.tile] = known.made_elsewhere[task.tile] = true;
  source_service_.leave();
}

Fiber FtpSimulation::send_result(uint32_t device, uint32_t tile) {
  const int64_t bytes = tiles_[tile].output_bytes();
  run_.output_bytes += bytes;
  co_await devices_[device].results.enter();
  co_await connect(device, gateway_);
  co_await result_service_.enter();
  co_await transfer(device, gateway_, bytes, devices_[device].results);
  result_service_.leave();
  if (++results_ % tiles_.size() == 0) time_.start(merge());
}

// Computes the layers after the block for a frame.
Fiber FtpSimulation::merge() {
  run_.block_latency = time_.now() - Time{};
  co_await merging_.enter();
  co_await time_.sleep(frame_.rest);
  merging_.leave();
  devices_[gateway_].use.computing += frame_.rest;
  if (++merged_ < frame_.frames) co_return;
  run_.latency = time_.now() - Time{};
  time_.stop();
}

std::optional<FtpSimulation::Taken> FtpSimulation::take() {
  if (queue_.empty()) return std::nullopt;
  const Task task = queue_.front();
  queue_.pop_front();
  return Taken{task, scheme_.reuse && !tiles_[task.tile].is_even() && is_covered(task)};
}

bool FtpSimulation::is_covered(Task task) const {
  const std::vector<FtpStrip>& strips = tiles_[task.tile].strips;
  const std::vector<bool>& covered = known_[task.frame].covered;
  return std::all_of(strips.begin(), strips.end(),
                     [&](const FtpStrip& strip) { return covered[strip.even]; });
}

int64_t FtpSimulation::shared_bytes(Task task, bool made_elsewhere_only) const {
  int64_t bytes = 0;
  for (const FtpStrip& strip : tiles_[task.tile].strips)
    if (!made_elsewhere_only || known_[task.frame].made_elsewhere[strip.even])
      bytes += strip.bytes();
  return bytes;
}

FtpRun run_ftp_frame(const FtpFrame& frame, const FtpChance& chance) {
  FtpRun run = FtpSimulation(frame, chance).run();
  run.redundancy = frame.block.redundancy;
  return run;
}

}  // namespace shingle
