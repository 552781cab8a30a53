#include "sim/device/device.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shingle::sim {
namespace {

constexpr double never_ns = 9e18;
constexpr double kelvin_tolerance = 1e-6;  // of rounding where a level was planned for now

HeatOptions heat_of(const DeviceSpec& spec, const DeviceOptions& options) {
  if (!spec.heat) return {};
  return {.ambient_celsius = spec.heat->ambient_celsius,
          .kelvin_per_watt =
              options.fan ? spec.heat->fan_kelvin_per_watt : spec.heat->bare_kelvin_per_watt,
          .joules_per_kelvin = spec.heat->joules_per_kelvin};
}

double first_celsius(const DeviceSpec& spec, const DeviceOptions& options) {
  if (options.celsius) return *options.celsius;
  return HeatModel(heat_of(spec, options), 0.0).end_celsius(spec.power.idle_watts);
}

Time after(Time now, double ns) {
  return ns < never_ns - static_cast<double>(now.time_since_epoch().count())
             ? now + Duration(static_cast<int64_t>(std::llround(ns)))
             : Time::max();
}

// Twelve uniform numbers have the variance 1, and their sum is close to a normal one. (Box-Muller
// needs a logarithm and has no bound.)
double standard_normal(Random& dice) {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i) sum += dice.uniform();
  return sum;
}

Duration scaled(Duration duration, double factor) {
  return Duration(static_cast<int64_t>(std::llround(in_nanoseconds(duration) * factor)));
}

double radio_watts(const DevicePower& power, RadioState state) {
  if (!power.radio) return 0.0;
  switch (state) {
    case RadioState::absent:
      return 0.0;
    case RadioState::sending:
      return power.radio->sending_watts;
    case RadioState::receiving:
      return power.radio->receiving_watts;
    case RadioState::idle:
      return power.radio->idle_watts;
  }
  return 0.0;
}

}  // namespace

Device::Device(const DeviceSpec& spec, const DeviceOptions& options)
    : spec_(spec),
      options_(options),
      dice_(mix(options.seed)),
      heat_(heat_of(spec, options), first_celsius(spec, options)) {
  assert(!spec_.clocks.empty() && spec_.cores >= 1 && spec_.slots >= 1);
  settle();
}

void Device::begin(Time now, TileWork work, uint64_t cargo) {
  assert(on_);
  move_to(now);
  const double factor = 1.0 + spec_.jitter * standard_normal(dice_);
  work.compute = scaled(work.compute, std::max(0.0, factor));
  work.memory = scaled(work.memory, std::max(0.0, factor));
  work.cores = std::clamp(work.cores, 1, spec_.cores);
  waiting_.push_back({.cargo = cargo, .work = work, .left_ns = in_nanoseconds(total(work))});
  settle();
}

void Device::packets(Time now, const Packets& packets, uint64_t cargo) {
  assert(on_);
  move_to(now);
  const auto sent = static_cast<double>(packets.sent);
  const auto received = static_cast<double>(packets.received);
  energy_.add(sent * spec_.power.sent_packet_joules +
              received * spec_.power.received_packet_joules);
  packets_.push_back({.cargo = cargo,
                      .left_ns = sent * in_nanoseconds(spec_.send_packet) +
                                 received * in_nanoseconds(spec_.receive_packet)});
  settle();
}

void Device::set_radio(Time now, RadioState state) {
  move_to(now);
  options_.radio = state;
  settle();
}

void Device::set_slowness(Time now, double factor) {
  assert(factor > 0.0);
  move_to(now);
  slowness_ = factor;
  settle();
}

void Device::set_highest_clock(Time now, double ghz) {
  move_to(now);
  wanted_clock_ = 0;
  while (wanted_clock_ + 1 < spec_.clocks.size() && spec_.clocks[wanted_clock_].ghz > ghz)
    ++wanted_clock_;
  settle();
}

bool Device::hold(Time now, int64_t bytes) {
  assert(on_);
  move_to(now);
  highest_memory_bytes_ = std::max(highest_memory_bytes_, bytes);
  memory_bytes_ = bytes;
  const bool fits = spec_.memory_bytes == 0 || bytes <= spec_.memory_bytes;
  if (!fits) stop(now);
  return fits;
}

void Device::stop(Time now) {
  move_to(now);
  waiting_.clear();
  running_.clear();
  packets_.clear();
  memory_bytes_ = 0;
  settle();
}

void Device::set_power(Time now, bool on) {
  if (!on) stop(now);
  move_to(now);
  on_ = on;
  settle();
}

void Device::advance(Time now, std::vector<DeviceEvent>& out) {
  while (next_ <= now) {
    move_to(next_);
    end_due(out);
  }
  move_to(now);
}

void Device::move_to(Time now) {
  assert(now >= now_ && now <= next_);
  const Duration passed = now - now_;
  if (passed == Duration::zero()) return;
  energy_.pass(passed);
  heat_.pass(passed, energy_.watts());
  for (Tile& tile : running_) tile.left_ns -= tile.speed * in_nanoseconds(passed);
  if (!packets_.empty()) packets_.front().left_ns -= packet_speed_ * in_nanoseconds(passed);
  busy_time_ += passed * busy_cores_;
  if (is_throttled()) throttled_time_ += passed;
  now_ = now;
}

void Device::end_due(std::vector<DeviceEvent>& out) {
  if (packets_end_ <= now_) {
    out.push_back(
        {.kind = DeviceEvent::Kind::packets, .at = now_, .cargo = packets_.front().cargo});
    packets_.pop_front();
  }
  std::erase_if(running_, [&](const Tile& tile) {
    if (tile.ends > now_) return false;
    out.push_back({.kind = DeviceEvent::Kind::tile,
                   .at = now_,
                   .cargo = tile.cargo,
                   .ran = now_ - tile.started});
    return true;
  });
  const size_t before = clock_;
  settle();
  if (clock_ != before) out.push_back({.kind = DeviceEvent::Kind::clock, .at = now_});
}

// Whatever follows from what waits, runs and was set, at the time now_.
void Device::settle() {
  choose_clock();
  fill_slots();
  share_cores();
  share_memory();
  update_watts();
  plan_next();
}

void Device::fill_slots() {
  while (!waiting_.empty() && running_.size() < static_cast<size_t>(spec_.slots)) {
    running_.push_back(waiting_.front());
    running_.back().started = now_;
    waiting_.pop_front();
  }
}

void Device::choose_clock() {
  const std::vector<ThrottleStep>& steps = spec_.throttle;
  const double celsius = heat_.celsius();
  while (throttled_ < steps.size() && celsius >= steps[throttled_].celsius - kelvin_tolerance)
    ++throttled_;
  while (throttled_ > 0 && celsius <= steps[throttled_ - 1].below_celsius + kelvin_tolerance)
    --throttled_;
  clock_ = wanted_clock_;
  const double highest = throttled_ == 0 ? spec_.clocks[0].ghz : steps[throttled_ - 1].ghz;
  while (clock_ + 1 < spec_.clocks.size() && clock_ghz() > highest) ++clock_;
}

void Device::share_cores() {
  const int32_t for_packets = packets_.empty() ? 0 : 1;
  int32_t wanted = 0;
  for (const Tile& tile : running_) wanted += tile.work.cores;
  const int32_t left = spec_.cores - for_packets;
  busy_cores_ = on_ ? for_packets + std::min(wanted, left) : 0;
  const double share = wanted <= left ? 1.0 : static_cast<double>(left) / wanted;
  packet_speed_ = clock_factor() / slowness_;
  for (Tile& tile : running_) {
    const double compute = in_nanoseconds(tile.work.compute);
    const double memory = in_nanoseconds(tile.work.memory);
    const double now_takes = (compute / clock_factor() + memory) * slowness_;
    tile.speed = now_takes > 0.0 ? share * (compute + memory) / now_takes : share;
  }
}

// Max-min fair: in ascending order of what they want, each gets that or an equal share of the rest.
void Device::share_memory() {
  if (spec_.memory_gbps <= 0.0) return;
  struct Wish {
    double gbps;
    Tile* tile;
  };
  std::vector<Wish> wishes;
  for (Tile& tile : running_) {
    const double takes = in_nanoseconds(total(tile.work));
    if (takes > 0.0 && tile.work.dram_bytes > 0.0)
      wishes.push_back({tile.speed * tile.work.dram_bytes / takes, &tile});
  }
  std::stable_sort(wishes.begin(), wishes.end(),
                   [](const Wish& a, const Wish& b) { return a.gbps < b.gbps; });
  double left = spec_.memory_gbps;
  for (size_t i = 0; i < wishes.size(); ++i) {
    const double fair = left / static_cast<double>(wishes.size() - i);
    const double got = std::min(wishes[i].gbps, fair);
    if (got < wishes[i].gbps) wishes[i].tile->speed *= got / wishes[i].gbps;
    left -= got;
  }
}

void Device::update_watts() {
  if (!on_) return energy_.set_watts(0.0);
  const std::vector<double>& busy = spec_.power.busy_watts;
  double cores = 0.0;
  if (busy_cores_ > 0 && !busy.empty()) {
    const size_t index = std::min(busy.size(), static_cast<size_t>(busy_cores_)) - 1;
    cores = (busy[index] - spec_.power.idle_watts) * spec_.clocks[clock_].power;
  }
  energy_.set_watts(spec_.power.idle_watts + cores + radio_watts(spec_.power, options_.radio));
}

std::optional<Duration> Device::next_throttling() const {
  const std::vector<ThrottleStep>& steps = spec_.throttle;
  std::optional<Duration> hotter, cooler;
  if (throttled_ < steps.size())
    hotter = heat_.time_until(steps[throttled_].celsius, energy_.watts());
  if (throttled_ > 0)
    cooler = heat_.time_until(steps[throttled_ - 1].below_celsius, energy_.watts());
  return hotter ? hotter : cooler;  // a temperature moves in one direction only
}

void Device::plan_next() {
  next_ = Time::max();
  for (Tile& tile : running_) {
    tile.ends =
        tile.speed > 0.0 ? after(now_, std::max(0.0, tile.left_ns) / tile.speed) : Time::max();
    next_ = std::min(next_, tile.ends);
  }
  packets_end_ = packets_.empty()
                     ? Time::max()
                     : after(now_, std::max(0.0, packets_.front().left_ns) / packet_speed_);
  next_ = std::min(next_, packets_end_);
  // At least 1 ns later: what holds at this temperature has been chosen.
  if (const auto throttling = next_throttling())
    next_ = std::min(next_, now_ + std::max(*throttling, Duration(1)));
}

}  // namespace shingle::sim
