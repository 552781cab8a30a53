// A Wi-Fi cell turn by turn: times that follow by hand, what must hold whatever is sent, and what
// packets of ns-3 take (the tables of wifi_table.hpp).
#include "partition/network/radio_cell.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>

#include "partition/network/fluid.hpp"
#include "partition/network/wifi_table.hpp"

using namespace shingle;
using namespace std::chrono_literals;

namespace {

constexpr int64_t warm_bytes = 30'000;

// As shingle-ns3: windows do not shrink, and slow start is ns-3's.
TcpOptions as_packets() {
  return {.least_timeout = std::chrono::hours(1), .slow_start = SlowStart::ns3};
}

class Stations {
 public:
  Stations(std::string_view mode, AirKind kind, uint32_t count, uint64_t seed = 1,
           const TcpOptions& tcp = as_packets())
      : cell(*radio_timing(mode, kind), count, tcp, seed) {}

  void send(uint32_t from, uint32_t to, int64_t bytes) {
    cell.send({.from = from, .to = to, .cargo = sent++, .bytes = bytes}, now);
  }
  void run() {
    std::vector<RadioMessage> arrivals;
    while (cell.next_change() < Time::max()) {
      now = cell.next_change();
      arrivals.clear();
      cell.advance(arrivals);
      for (const RadioMessage& each : arrivals) {
        REQUIRE_FALSE(arrived.contains(each.cargo));
        arrived[each.cargo] = now - start;
      }
    }
  }
  void warm_up(uint32_t from, uint32_t to) {
    for (int way = 0; way < 2; ++way, std::swap(from, to)) {
      send(from, to, warm_bytes);
      run();
      pause();
    }
  }
  void pause() {
    now += 100ms;
    start = now;
    sent = 0;
    arrived.clear();
  }
  double mean_us() const {
    double sum = 0.0;
    for (const auto& [cargo, time] : arrived) sum += 1e-3 * in_nanoseconds(time);
    return sum / static_cast<double>(arrived.size());
  }

  RadioCell cell;
  Time now = Time{} + 1s, start = now;
  uint64_t sent = 0;
  std::map<uint64_t, Duration> arrived;
};

// Stations send to their neighbours in a ring, at once.
double ring_us(const WifiTimes& row, int64_t bytes, uint64_t seed) {
  const uint32_t count = std::max(2U, row.senders);
  Stations ring(row.mode, row.kind, count, seed);
  for (uint32_t i = 0; i < row.senders; ++i) ring.warm_up(i, (i + 1) % count);
  for (uint32_t i = 0; i < row.senders; ++i) ring.send(i, (i + 1) % count, bytes);
  ring.run();
  return ring.mean_us();
}

double mean_ring_us(const WifiTimes& row, int64_t bytes, uint64_t seeds) {
  double sum = 0.0;
  for (uint64_t seed = 1; seed <= seeds; ++seed) sum += ring_us(row, bytes, seed);
  return sum / static_cast<double>(seeds);
}

}  // namespace

TEST_CASE("a packet on a free air takes a frame, and through an access point two") {
  Stations direct("n-7-20-800", AirKind::ad_hoc, 2);
  direct.send(0, 1, 1000);
  direct.run();
  const RadioTiming radio = *radio_timing("n-7-20-800", AirKind::access_point);
  const Duration frame = frame_time(radio, 1000 + 40 + 42 + 2);  // a multiple of 4 bytes
  CHECK(direct.arrived.at(0) == frame);
  Stations through("n-7-20-800", AirKind::access_point, 2);
  through.send(0, 1, 1000);
  through.run();
  // The access point need not draw: the air was free when the frame ended.
  CHECK(through.arrived.at(0) ==
        frame + radio.short_gap + radio.answer_to_one + radio.wait + frame);
  CHECK(through.cell.carried_bytes() == 2000);
}

TEST_CASE("two stations that begin at once collide, and both messages arrive") {
  Stations both("g-54", AirKind::ad_hoc, 4);
  both.send(0, 1, 1000);
  both.send(2, 3, 1000);
  both.run();
  const RadioTiming radio = *radio_timing("g-54", AirKind::ad_hoc);
  const Duration frame = frame_time(radio, 1000 + 40 + 36);
  REQUIRE(both.arrived.size() == 2);
  for (const auto& [cargo, time] : both.arrived)
    CHECK(time >= 2 * frame + radio.short_gap + radio.answer_to_one + radio.wait);
}

TEST_CASE("a receiver follows the stronger of two frames") {
  // Stations 0 and 1 of eight are neighbours, 5 is on the other side of the circle. 0's frame is
  // longer than 5's, so what follows the end of 5's is heard, and not sent again.
  const auto second_frame_bytes = [](uint32_t other) {
    Stations three("n-7-20-800", AirKind::ad_hoc, 8);
    three.send(0, 1, 14'480);
    three.send(other, other == 5 ? 6 : 3, 100);
    three.run();
    return three.arrived.at(0);
  };
  CHECK(second_frame_bytes(5) < second_frame_bytes(2));
}

TEST_CASE("stations share the air, not their connections") {
  double alone_ms = 0.0, shared_ms = 0.0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Stations cell("n-7-20-800", AirKind::ad_hoc, 6, seed);
    for (uint32_t to : {1U, 2U, 3U}) cell.send(0, to, 2'000'000);
    cell.send(4, 5, 2'000'000);
    cell.run();
    alone_ms += 1e-6 * in_nanoseconds(cell.arrived.at(3)) / 20;
    for (uint64_t cargo : {0U, 1U, 2U})
      shared_ms += 1e-6 * in_nanoseconds(cell.arrived.at(cargo)) / 60;
  }
  // Half of the air for 2 MB, then all of it for the rest of 8 MB.
  CHECK(shared_ms / alone_ms > 1.6);
}

TEST_CASE("short windows make short frames, which take longer in total") {
  const auto takes = [](int64_t window) {
    TcpOptions tcp = as_packets();
    tcp.buffer_bytes = window * tcp.segment_bytes;
    Stations cell("n-31-40-400", AirKind::ad_hoc, 2, 1, tcp);
    cell.send(0, 1, 1'000'000);
    cell.run();
    return cell.arrived.at(0);
  };
  CHECK(takes(4) > 2 * takes(200));
}

TEST_CASE("a broken connection loses what has not arrived, and its successor is undisturbed") {
  Stations cell("n-7-20-800", AirKind::ad_hoc, 3);
  cell.send(0, 1, 500'000);
  cell.send(0, 1, 1000);
  const std::vector<RadioMessage> lost = cell.cell.break_connection(0, 1);
  REQUIRE(lost.size() == 2);
  CHECK(lost[0].bytes == 500'000);
  cell.send(0, 1, 20'000);
  cell.send(0, 2, 20'000);
  cell.run();
  CHECK(cell.arrived.size() == 2);
  CHECK(cell.arrived.contains(2));
}

TEST_CASE("whatever is sent arrives once and in order, and a seed gives the same times again") {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    Dice dice(seed);
    const auto modes = wifi_modes();
    const std::string_view mode = modes[dice.below(modes.size())];
    const AirKind kind = dice.below(2) == 0 ? AirKind::ad_hoc : AirKind::access_point;
    const auto count = static_cast<uint32_t>(2 + dice.below(7));
    Stations cells[] = {{mode, kind, count, seed}, {mode, kind, count, seed}};
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint64_t>> order;
    for (int i = 0; i < 40; ++i) {
      const auto from = static_cast<uint32_t>(dice.below(count));
      const auto to = static_cast<uint32_t>((from + 1 + dice.below(count - 1)) % count);
      const auto bytes = 1 + static_cast<int64_t>(dice.below(dice.below(3) == 0 ? 200'000 : 3000));
      order[{from, to}].push_back(cells[0].sent);
      for (Stations& cell : cells) cell.send(from, to, bytes);
    }
    for (Stations& cell : cells) cell.run();
    REQUIRE(cells[0].arrived.size() == 40);
    CHECK(cells[0].arrived == cells[1].arrived);
    for (const auto& [pair, cargo] : order)
      for (size_t i = 1; i < cargo.size(); ++i)
        CHECK(cells[0].arrived.at(cargo[i]) >= cells[0].arrived.at(cargo[i - 1]));
  }
}

TEST_CASE("one sender's messages take as long as ns-3's packets") {
  for (const WifiTimes& row : wifi_times()) {
    if (row.senders > 1) continue;
    INFO(std::string(row.mode) << (row.kind == AirKind::ad_hoc ? " ad hoc" : " access point"));
    CHECK(mean_ring_us(row, 30'000, 10) == doctest::Approx(row.small_us[4]).epsilon(0.07));
    CHECK(mean_ring_us(row, 100'000, 10) == doctest::Approx(row.large_us[0]).epsilon(0.07));
  }
}

TEST_CASE("of many senders too, in the mean of all modes") {
  double error = 0.0, rows = 0.0;
  for (const WifiTimes& row : wifi_times()) {
    // With two stations acknowledgements travel with data, which this model does not know.
    if (row.senders < 3) continue;
    for (size_t i = 0; i < wifi_large_bytes.size(); ++i, ++rows)
      error += std::abs(mean_ring_us(row, wifi_large_bytes[i], 5) / row.large_us[i] - 1.0);
  }
  MESSAGE("mean error " << 100 * error / rows << " %");
  CHECK(error / rows < 0.06);
}

TEST_CASE("a network that is one cell takes turns, and one with a wire does not") {
  const auto radio = radio_timing("n-7-20-800", AirKind::access_point);
  NetworkTopology alone;
  const uint32_t air = add_air(alone, air_802_11n(AirKind::access_point), radio);
  for (int i = 0; i < 3; ++i) add_station(alone, 0, air, 1ms);
  NetworkTopology wired = alone;
  add_host(wired, 0, {1e9, 1e9, {}, 0.0});
  const auto takes = [](const NetworkTopology& topology, uint64_t seed) {
    FluidNetwork network(topology, {}, seed);
    std::vector<NetworkArrival> arrivals;
    network.send(0, 1, 300'000, 7, Time{});
    network.send(2, 1, 300'000, 8, Time{});
    while (network.next_change() < Time::max()) network.advance(network.next_change(), arrivals);
    REQUIRE(arrivals.size() == 2);
    CHECK(network.totals().arrived == 600'000);
    CHECK(network.totals().under_way == 0);
    CHECK(network.load(0).bytes == 1'200'000);
    return arrivals.front().at;
  };
  CHECK(takes(alone, 1) != takes(alone, 2));
  CHECK(takes(wired, 1) == takes(wired, 2));
}
