// The device held against formulas: heating of an RC element, energy, and the queue M/D/1. All
// within 0.1 %.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "devices/plain/double_math.hpp"
#include "sim/device/device.hpp"

using namespace shingle;
using namespace shingle::sim;
using namespace std::chrono_literals;

namespace {

constexpr double tolerance = 1e-3;

DeviceSpec heated() {
  DeviceSpec spec{.name = "heated", .cores = 4};
  spec.power = {.idle_watts = 2.0,
                .busy_watts = {3.0, 4.0, 4.5, 5.0},
                .radio = RadioPower{1.0, 0.25, 0.01},
                .sent_packet_joules = 1e-3,
                .received_packet_joules = 2e-3};
  spec.heat = DeviceHeat{.ambient_celsius = 20.0,
                         .bare_kelvin_per_watt = 10.0,
                         .fan_kelvin_per_watt = 4.0,
                         .joules_per_kelvin = 30.0};
  return spec;
}

Time at(Duration time) { return Time{} + time; }

bool near(double value, double formula) { return std::abs(value / formula - 1.0) <= tolerance; }

struct Waits {
  double mean_ns = 0.0;
  Duration largest_difference{};  // from Lindley's recursion: wait' = max(0, wait + service - gap)
};

Waits waits_of(double load, Duration service, size_t count) {
  Device device(DeviceSpec{.name = "server"});
  Random random(mix(42));
  std::vector<Time> arrived;
  std::vector<Duration> expected;
  std::vector<DeviceEvent> ended;
  Time now{};
  Duration wait{};
  for (size_t i = 0; i < count; ++i) {
    const Duration gap(static_cast<int64_t>(-in_nanoseconds(service) / load *
                                            double_math::natural_log(1.0 - random.uniform())));
    now += gap;
    wait = i == 0 ? Duration{} : std::max(Duration{}, wait + service - gap);
    device.advance(now, ended);
    device.begin(now, {.compute = service}, i);
    arrived.push_back(now);
    expected.push_back(wait);
  }
  device.advance(now + 1000 * service, ended);
  Waits waits;
  for (const DeviceEvent& event : ended) {
    const Duration waited = event.at - arrived[event.cargo] - service;
    waits.mean_ns += in_nanoseconds(waited) / static_cast<double>(count);
    waits.largest_difference =
        std::max(waits.largest_difference, std::chrono::abs(waited - expected[event.cargo]));
  }
  return waits;
}

}  // namespace

TEST_CASE("an RC element heats as the formula says, in one step or in many") {
  // 40 degrees idle; all cores: 70 = 20 + 10 * 5, with a time constant of 300 s.
  for (Duration step : {Duration(450s), Duration(10ms), Duration(7s)}) {
    Device device(heated());
    CHECK(device.celsius() == doctest::Approx(40.0));
    device.begin(Time{}, {.compute = 1000s, .cores = 4}, 1);
    std::vector<DeviceEvent> events;
    for (Duration now{}; now < 450s; now += step)
      device.advance(at(std::min<Duration>(450s, now + step)), events);
    CHECK(near(device.celsius(), 70.0 - 30.0 * std::exp(-450.0 / 300.0)));
  }
}

TEST_CASE("a level is reached when the formula says") {
  DeviceSpec spec = heated();
  spec.clocks = {{1.0, 1.0}, {0.5, 0.5}};
  spec.throttle = {{.celsius = 60.0, .below_celsius = 55.0, .ghz = 0.5}};
  Device device(spec);
  device.begin(Time{}, {.compute = 1000s, .cores = 4}, 1);
  std::vector<DeviceEvent> events;
  device.advance(at(2000s), events);
  REQUIRE(events.size() >= 3);
  const double hot = 300.0 * std::log(30.0 / 10.0);  // from 40 to 60 on the way to 70
  CHECK(near(1e-9 * in_nanoseconds(events[0].at - Time{}), hot));
  // Then 3.5 W: it stays at 55 degrees, which it approaches for ever; so it ends at half the clock.
  CHECK(events[0].kind == DeviceEvent::Kind::clock);
}

TEST_CASE("energy is the integral of idle, cores, radio and packets") {
  Device device(heated());
  std::vector<DeviceEvent> events;
  device.begin(at(0s), {.compute = 30s, .cores = 2}, 1);
  device.set_radio(at(0s), RadioState::sending);
  device.advance(at(10s), events);
  device.set_radio(at(10s), RadioState::receiving);
  device.advance(at(25s), events);
  device.set_radio(at(25s), RadioState::idle);
  device.packets(at(25s), {.sent = 1000, .received = 500}, 2);
  device.advance(at(100s), events);
  const double cores = 30.0 * (4.0 - 2.0), idle = 100.0 * 2.0;
  const double radio = 10.0 * 1.0 + 15.0 * 0.25 + 75.0 * 0.01, packets = 1.0 + 1.0;
  CHECK(near(device.joules(), idle + cores + radio + packets));
}

// The mean of half a million waits is known to about 0.5 %; tools/bench sim takes so many that 0.1
// % can be told.
TEST_CASE("tiles that arrive at random wait as in the queue M/D/1") {
  constexpr Duration service = 10ms;
  for (double load : {0.3, 0.5, 0.7}) {
    const Waits waits = waits_of(load, service, 500'000);
    const double formula = load * in_nanoseconds(service) / (2.0 * (1.0 - load));
    INFO(load << ": " << waits.mean_ns << " of " << formula);
    CHECK(waits.largest_difference == Duration{});
    CHECK(std::abs(waits.mean_ns / formula - 1.0) <= 0.02);
  }
}
