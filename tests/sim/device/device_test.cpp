// The device in virtual time: what re-times its tiles, and what stops them.
#include "sim/device/device.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace shingle;
using namespace shingle::sim;
using namespace std::chrono_literals;

namespace {

DeviceSpec four_cores() {
  DeviceSpec spec{.name = "four cores", .cores = 4, .slots = 2};
  spec.send_packet = 40us;
  spec.receive_packet = 60us;
  spec.memory_bytes = 1 << 20;
  spec.memory_gbps = 2.0;
  spec.power.idle_watts = 2.0;
  spec.power.busy_watts = {3.0, 4.0, 4.5, 5.0};
  spec.clocks = {{1.2, 1.0}, {0.6, 0.4}};
  return spec;
}

Time at(Duration time) { return Time{} + time; }

std::vector<DeviceEvent> run(Device& device, Duration until) {
  std::vector<DeviceEvent> events;
  device.advance(at(until), events);
  return events;
}

std::vector<Duration> tile_ends(Device& device, Duration until) {
  std::vector<Duration> ends;
  for (const DeviceEvent& event : run(device, until))
    if (event.kind == DeviceEvent::Kind::tile) ends.push_back(event.at - Time{});
  return ends;
}

constexpr TileWork one_core{.compute = 8ms, .memory = 2ms}, all_cores{.compute = 10ms, .cores = 4};

}  // namespace

TEST_CASE("a tile alone takes its compute and its memory time; tiles beyond the slots wait") {
  Device device(four_cores());
  for (uint64_t cargo : {7U, 8U, 9U}) device.begin(Time{}, one_core, cargo);
  CHECK(device.running() == 2);
  CHECK(device.waiting() == 1);
  const auto events = run(device, 1s);
  REQUIRE(events.size() == 3);
  CHECK(events[0] == DeviceEvent{.at = at(10ms), .cargo = 7, .ran = 10ms});
  CHECK(events[1] == DeviceEvent{.at = at(10ms), .cargo = 8, .ran = 10ms});
  CHECK(events[2] == DeviceEvent{.at = at(20ms), .cargo = 9, .ran = 10ms});
  CHECK(device.busy_time() == 30ms);
  CHECK(device.next_change() == Time::max());
}

TEST_CASE("half the clock doubles the compute time that is left, and no memory time") {
  Device device(four_cores());
  device.begin(Time{}, one_core, 1);
  run(device, 5ms);  // half of it is done: 4 ms of compute and 1 ms of memory are left
  device.set_highest_clock(at(5ms), 0.6);
  CHECK(device.clock_ghz() == 0.6);
  CHECK(tile_ends(device, 1s) == std::vector<Duration>{5ms + 8ms + 1ms});
}

TEST_CASE("a slowness re-times what runs, and back again") {
  Device device(four_cores());
  device.begin(Time{}, one_core, 1);
  run(device, 2ms);
  device.set_slowness(at(2ms), 3.0);
  run(device, 5ms);  // 1 ms more is done
  device.set_slowness(at(5ms), 1.0);
  CHECK(tile_ends(device, 1s) == std::vector<Duration>{5ms + 7ms});
}

TEST_CASE("packets take a core from tiles that need all of them, and nothing from others") {
  for (const auto& [work, end] :
       {std::pair(all_cores, Duration(11ms)), std::pair(one_core, Duration(10ms))}) {
    Device device(four_cores());
    device.begin(Time{}, work, 1);
    device.packets(Time{}, {.sent = 40, .received = 40}, 2);  // 4 ms of one core
    const auto events = run(device, 1s);
    REQUIRE(events.size() == 2);
    CHECK(events[0] == DeviceEvent{.kind = DeviceEvent::Kind::packets, .at = at(4ms), .cargo = 2});
    CHECK(events[1].at == at(end));
  }
}

TEST_CASE("with one core packets stop a tile until they are processed") {
  DeviceSpec spec = four_cores();
  spec.cores = 1;
  Device device(spec);
  device.begin(Time{}, one_core, 1);
  run(device, 3ms);
  device.packets(at(3ms), {.sent = 100}, 2);
  CHECK(tile_ends(device, 1s) == std::vector<Duration>{14ms});
}

TEST_CASE("tiles that want more bandwidth than there is share it max-min fairly") {
  // Alone they move 0.5 and 2 GB/s; of 2 GB/s the first gets its 0.5, the second 1.5.
  Device device(four_cores());
  device.begin(Time{}, {.compute = 10ms, .dram_bytes = 5e6}, 1);
  device.begin(Time{}, {.compute = 10ms, .dram_bytes = 20e6}, 2);
  // The second has done 7.5 ms of its work when the first ends; then it has all the bandwidth.
  CHECK(tile_ends(device, 1s) == std::vector<Duration>{10ms, 12500us});
}

TEST_CASE("two tiles that each want all cores take twice as long") {
  Device device(four_cores());
  device.begin(Time{}, all_cores, 1);
  device.begin(Time{}, all_cores, 2);
  CHECK(device.busy_cores() == 4);
  CHECK(tile_ends(device, 1s) == std::vector<Duration>{20ms, 20ms});
}

TEST_CASE("a process that holds more memory than the board has is killed, and its tiles with it") {
  Device device(four_cores());
  device.begin(Time{}, one_core, 1);
  CHECK(device.hold(at(1ms), 1 << 20));
  CHECK(!device.hold(at(2ms), (1 << 20) + 1));
  CHECK(device.running() == 0);
  CHECK(device.memory_bytes() == 0);
  CHECK(device.highest_memory_bytes() == (1 << 20) + 1);
  CHECK(run(device, 1s).empty());
  CHECK(device.watts() == 2.0);
}

TEST_CASE("a board without power draws nothing and forgets what it did") {
  Device device(four_cores());
  device.begin(Time{}, one_core, 1);
  run(device, 5ms);
  device.set_power(at(5ms), false);
  CHECK(device.watts() == 0.0);
  CHECK(run(device, 1s).empty());
  CHECK(device.joules() == doctest::Approx(0.005 * 3.0));
  device.set_power(at(1s), true);
  CHECK(device.watts() == 2.0);
}

TEST_CASE("a hot board slows down, cools and speeds up again, and reports each change") {
  DeviceSpec spec = four_cores();
  spec.heat =
      DeviceHeat{.ambient_celsius = 25.0,
                 .bare_kelvin_per_watt = 20.0,  // 125 degrees at 5 W, 89 at 0.4 of the cores
                 .fan_kelvin_per_watt = 5.0,
                 .joules_per_kelvin = 5.0};
  spec.throttle = {{.celsius = 95.0, .below_celsius = 92.0, .ghz = 0.6}};
  Device bare(spec), fan(spec, {.fan = true});
  bare.begin(Time{}, {.compute = 1000s, .cores = 4}, 1);
  fan.begin(Time{}, {.compute = 1000s, .cores = 4}, 1);
  const auto events = run(bare, 900s);
  REQUIRE(events.size() > 3);
  for (const DeviceEvent& event : events) CHECK(event.kind == DeviceEvent::Kind::clock);
  CHECK(bare.celsius() >= 92.0 - 1e-3);
  CHECK(bare.celsius() <= 95.0 + 1e-3);
  CHECK(bare.throttled_time() > 100s);
  CHECK(tile_ends(bare, 4000s).at(0) > 1100s);
  CHECK(tile_ends(fan, 4000s) == std::vector<Duration>{1000s});  // 50 degrees
  CHECK(fan.throttled_time() == 0s);
}

TEST_CASE("jitter is drawn from the seed: the same seed gives the same times, another others") {
  DeviceSpec spec = four_cores();
  spec.jitter = 0.02;
  const auto times = [&](uint64_t seed) {
    Device device(spec, {.seed = seed});
    for (uint64_t i = 0; i < 1000; ++i) device.begin(Time{}, {.compute = 10ms}, i);
    std::vector<Duration> ran;
    for (const DeviceEvent& event : run(device, 100s)) ran.push_back(event.ran);
    return ran;
  };
  const auto first = times(1);
  CHECK(first == times(1));
  CHECK(first != times(2));
  double sum = 0.0, squares = 0.0;
  for (Duration ran : first) {
    const double off = in_nanoseconds(ran) / 1e7 - 1.0;
    sum += off;
    squares += off * off;
  }
  CHECK(std::abs(sum / 1000.0) < 0.002);
  CHECK(std::sqrt(squares / 1000.0) == doctest::Approx(0.02).epsilon(0.08));
}

TEST_CASE("to advance in small steps or in one gives the same ends") {
  const auto ends = [](Duration step) {
    Device device(four_cores());
    device.begin(Time{}, one_core, 1);
    device.begin(Time{}, all_cores, 2);
    device.packets(Time{}, {.received = 31}, 3);
    std::vector<DeviceEvent> events;
    for (Duration now = step; now <= 100ms; now += step) device.advance(at(now), events);
    return events;
  };
  CHECK(ends(100ms).size() == 3);
  CHECK(ends(100ms) == ends(100us));
}
