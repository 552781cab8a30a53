// The fluid network: times that follow by hand, and what must hold whatever is sent.
#include "partition/network/fluid.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>

using namespace shingle;
using namespace std::chrono_literals;

namespace {

constexpr int64_t kilobyte = 1000;

// Without acknowledgements; 1 byte takes 1 us on a port, and there is no latency.
TcpOptions plain() { return {.acknowledgement_share = 0.0}; }

HostLink port(double bytes_per_second = 1e6, Duration latency = {}) {
  return {bytes_per_second, bytes_per_second, latency};
}

// Sends, and collects when each message has arrived.
class Sender {
 public:
  explicit Sender(NetworkTopology topology, TcpOptions tcp = plain())
      : network(std::move(topology), tcp, 1) {}

  void send(uint32_t from, uint32_t to, int64_t bytes, Duration at = {}) {
    advance(Time{} + at);
    network.send(from, to, bytes, sent++, Time{} + at);
  }
  void advance(Time until) {
    for (Time next = network.next_change(); next <= until && next < Time::max();
         next = network.next_change()) {
      arrivals.clear();
      network.advance(next, arrivals);
      for (const NetworkArrival& arrival : arrivals) {
        CHECK(arrival.at == next);
        arrived[arrival.cargo] = arrival.at - Time{};
      }
    }
  }
  // Milliseconds at which a message arrived, in the order of sending.
  double at_ms(uint64_t cargo) {
    advance(Time::max());
    REQUIRE(arrived.contains(cargo));
    return 1e-6 * in_nanoseconds(arrived.at(cargo));
  }

  FluidNetwork network;
  uint64_t sent = 0;
  std::vector<NetworkArrival> arrivals;
  std::map<uint64_t, Duration> arrived;
};

doctest::Approx about(double value) { return doctest::Approx(value).epsilon(1e-4); }

}  // namespace

TEST_CASE(
    "a message takes its bytes on the slowest port, one packet on the other, and the latency") {
  Sender sender(star({port(1e6, 2ms), port(2e6)}));
  sender.send(0, 1, 100 * kilobyte);
  CHECK(sender.at_ms(0) == about(100.0 + 2.0 + 1448 / 2e3));
}

TEST_CASE("messages of a connection follow each other, those of two connections share a port") {
  Sender sender(star({port(), port(1e9), port(1e9)}));
  sender.send(0, 1, 100 * kilobyte);
  sender.send(0, 1, 100 * kilobyte);
  sender.send(0, 2, 50 * kilobyte);
  CHECK(sender.at_ms(2) == about(100.0 + 1.448e-3));
  CHECK(sender.at_ms(0) == about(150.0 + 1.448e-3));
  CHECK(sender.at_ms(1) == about(250.0 + 1.448e-3));
}

TEST_CASE("what a slow receiver leaves of a port another one gets") {
  Sender sender(star({port(1e6), port(0.2e6), port(1e6)}));
  sender.send(0, 1, 200 * kilobyte);
  sender.send(0, 2, 400 * kilobyte);
  CHECK(sender.at_ms(1) == about(500.0 + 1.448));
  CHECK(sender.at_ms(0) == about(1000.0 + 1.448));
}

TEST_CASE("a small message waits for small ones of its sender, not for the flows of others") {
  Sender sender(star({port(1e6, 1ms), port(), port()}));
  sender.send(0, 1, 500 * kilobyte);
  sender.send(0, 2, 1000);
  sender.send(0, 2, 1000);
  CHECK(sender.at_ms(1) == about(1.0 + 2.0));
  CHECK(sender.at_ms(2) == about(2.0 + 2.0));
  CHECK(sender.network.small_time(0, 2, 1000) == 3ms);
}

TEST_CASE("in the port of its receiver a small message waits for all that others have there") {
  Sender sender(star({port(), port(), port(), port(2e6)}));
  sender.send(0, 2, 100 * kilobyte);
  sender.send(1, 2, 100 * kilobyte);
  sender.advance(Time{} + 50ms);  // of each 50 kB are in the port, and 25 kB have left it
  sender.send(3, 2, 1000, 50ms);
  sender.send(3, 1, 1000, 50ms);
  CHECK(sender.at_ms(2) == about(50.0 + 0.5 + 50.0 + 1.0));
  CHECK(sender.at_ms(3) == about(50.0 + 1.0 + 1.0));
}

TEST_CASE("nothing stands in a port before it holds its flows back") {
  Sender sender(star({port(), port(), port(), port(), port()}));
  sender.send(0, 2,
              500 * kilobyte);  // half of its sender's port each, and no more in the receiver's
  sender.send(0, 1, 50 * kilobyte);
  sender.send(3, 2, 500 * kilobyte, 100ms);  // from now on both have half of the receiver's port
  sender.send(4, 2, 1000, 100ms);
  sender.send(4, 2, 1000, 120ms);  // of each flow 20 kB came in, and 10 left
  CHECK(sender.at_ms(3) == about(100.0 + 1.0 + 1.0));
  CHECK(sender.at_ms(4) == about(120.0 + 1.0 + 20.0 + 1.0));
}

TEST_CASE("a port holds no more than its buffer") {
  TcpOptions tcp = plain();
  tcp.port_buffer_bytes = 20 * kilobyte;
  Sender sender(star({port(), port(), port(), port()}), tcp);
  sender.send(0, 2, 100 * kilobyte);
  sender.send(1, 2, 100 * kilobyte);
  sender.send(3, 2, 1000, 50ms);
  CHECK(sender.at_ms(2) == about(50.0 + 1.0 + 20.0 + 1.0));
}

TEST_CASE("on a connection with something to carry a small message comes behind it") {
  Sender sender(star({port(), port()}));
  sender.send(0, 1, 100 * kilobyte);
  sender.send(0, 1, 100);
  CHECK(sender.at_ms(1) == about(100.0 + 1.448));
  CHECK(sender.at_ms(1) >= sender.at_ms(0));
}

TEST_CASE("a long burst of small messages takes the port as a flow") {
  Sender sender(star({port(), port(1e9), port(1e9)}));
  sender.send(0, 1, 500 * kilobyte);
  for (int i = 0; i < 500; ++i) sender.send(0, 2, 1000);
  // Each has 500 kB: together they take a second, but for the few that were no flow.
  CHECK(sender.at_ms(0) > 980.0);
  CHECK(sender.at_ms(500) > 980.0);
}

TEST_CASE("one medium is shared by all senders") {
  Sender sender(one_medium(1e6, {port(), port(), port()}));
  sender.send(0, 1, 100 * kilobyte);
  sender.send(1, 0, 100 * kilobyte);
  sender.send(2, 0, 100 * kilobyte);
  for (uint64_t cargo = 0; cargo < 3; ++cargo) CHECK(sender.at_ms(cargo) == about(300.0));
}

TEST_CASE("acknowledgements slow down what is sent in the other direction") {
  Sender sender(star({port(), port()}), {.acknowledgement_share = 0.05});
  sender.send(0, 1, 1000 * kilobyte);
  sender.send(1, 0, 1000 * kilobyte);
  CHECK(sender.at_ms(0) == about(1050.0 + 1.448));
}

TEST_CASE("the air carries a station's message twice, and less for many senders") {
  NetworkTopology cell;
  const AirTable table{{1, 2e6, 0ms}, {2, 1e6, 0ms}};
  const uint32_t air = add_air(cell, table);
  for (int i = 0; i < 4; ++i) add_station(cell, 0, air, 0ms);
  Sender one(cell), two(cell);
  one.send(0, 1, 1000 * kilobyte);
  CHECK(one.at_ms(0) == about(1000.0));
  CHECK(one.network.load(air).bytes == 2000 * kilobyte);
  two.send(0, 1, 500 * kilobyte);
  two.send(2, 3, 500 * kilobyte);
  CHECK(two.at_ms(0) == about(2000.0));
}

TEST_CASE("rates change when they are told to, or at their steps") {
  NetworkTopology network = star({port(), port(1e9)});
  network.resources[0].steps = {{Time{} + 50ms, 0.5e6}, {Time{} + 100ms, 1e6}};
  Sender sender(network);
  sender.send(0, 1, 100 * kilobyte);
  CHECK(sender.at_ms(0) == about(50.0 + 50.0 + 25.0 + 1.448e-3));
  Sender told(star({port(), port(1e9)}));
  told.send(0, 1, 100 * kilobyte);
  told.network.set_rate(0, 2e6, Time{});
  CHECK(told.at_ms(0) == about(50.0 + 1.448e-3));
}

TEST_CASE("a background flow takes its rate, and an endless one its share") {
  Sender some(star({port(), port(1e9)})), all(star({port(), port(1e9)}));
  some.network.add_background(0, 1, 0.2e6, Time{});
  some.send(0, 1, 800 * kilobyte);
  CHECK(some.at_ms(0) == about(1000.0));
  all.network.add_background(0, 1, MaxMin::no_limit, Time{});
  all.send(0, 1, 500 * kilobyte);
  CHECK(all.at_ms(0) == about(1000.0));
}

TEST_CASE("a window of ten segments grows with each round trip, and again after idleness") {
  // 100 MB/s and a round trip of 20 ms: 2 MB fit in it, so the window doubles seven times.
  Sender sender(star({port(1e8, 10ms), port(1e8, 10ms)}));
  const int64_t window = 14'480;
  sender.send(0, 1, window);
  CHECK(sender.at_ms(0) == doctest::Approx(10.0 + 0.145).epsilon(0.01));
  const auto takes = [&](Duration begin, int64_t bytes) {
    sender.send(0, 1, bytes, begin);
    return sender.at_ms(sender.sent - 1) - 1e-6 * in_nanoseconds(begin);
  };
  // Windows of 1, 2 and 4: two round trips pass before the last one leaves.
  CHECK(takes(1s, 7 * window) == doctest::Approx(40.0 + 10.0 + 0.58).epsilon(0.01));
  CHECK(takes(1150ms, 8 * window) == doctest::Approx(10.0 + 1.17).epsilon(0.01));  // it stays wide
  CHECK(takes(20s, 7 * window) == doctest::Approx(40.0 + 10.0 + 0.58).epsilon(0.01));
}

TEST_CASE("ns-3's slow start ends in a round that takes longer than the round trip") {
  CongestionWindow window({.slow_start = SlowStart::ns3},
                          {.round_trip = 10ms, .bytes_per_second = 1e8}, false);
  window.end_round(14'480, 1ms, {}, {});
  CHECK(window.bytes() == 28'960);
  window.end_round(28'960, 20ms, {}, {});  // half of it is acknowledged in a round trip of 10 ms
  CHECK(static_cast<double>(window.bytes()) == doctest::Approx(1.5 * 28'960).epsilon(0.001));
  const int64_t ended = window.bytes();
  window.end_round(20 * 1448, 1ms, {}, {});
  CHECK(window.bytes() == ended + 1448);
}

TEST_CASE("ns-3's window grows faster the longer its slow start is over, sending or not") {
  CongestionWindow window({.slow_start = SlowStart::ns3},
                          {.round_trip = 1ms, .bytes_per_second = 1e8}, false);
  const auto segments = [&] { return window.bytes() / 1448; };
  window.end_round(14'480, 100us, {}, {});
  window.end_round(14'480, 100us, {}, {});  // CUBIC begins here, with 20 segments
  CHECK(segments() == 20);
  // C t^3 = 10.8 segments in 3 s: of 20 acknowledged segments each two, then each three, ... make
  // the window one segment larger.
  const Time later = Time{} + 3s;
  window.end_round(20 * 1448, 100us, later, later + 1ms);
  CHECK(segments() > 25);
  for (int i = 0; i < 3; ++i) window.end_round(window.bytes(), 100us, later, later + 1ms);
  CHECK(segments() >= 30);
  CHECK(segments() <= 34);
}

TEST_CASE("of ns-3's open window what the route does not hold stands in queues") {
  CongestionWindow window({.slow_start = SlowStart::ns3},
                          {.round_trip = 1ms, .bytes_per_second = 1e6}, false);
  REQUIRE(window.is_open());
  window.grow_open(400 * 1448.0, Time{} + 1s);
  // 16 segments when HyStart ends slow start, and one more for 20 of the others.
  CHECK(window.standing_bytes(1e-3) == doctest::Approx((16 + 19) * 1448.0).epsilon(0.1));
  CHECK(window.standing_bytes(1.0) == 0.0);
  CongestionWindow other({}, {.round_trip = 1ms, .bytes_per_second = 1e6}, false);
  other.grow_open(400 * 1448.0, Time{} + 1s);
  CHECK(other.standing_bytes(1e-3) == 0.0);
}

TEST_CASE("ns-3's slow start ends where rounds follow each other within 2 ms") {
  // As measured on a wire of 871 and 798 Mb/s with a round trip of 1.55 ms: so many segments had
  // been sent at the end of each round, after 30 kB.
  const auto rounds = [](bool calls, std::vector<int64_t> ends) {
    CongestionWindow window({.slow_start = SlowStart::ns3},
                            {.round_trip = 1'548us, .bytes_per_second = 1e8}, calls);
    window.end_round(14'480, 100us, {}, {});
    window.end_round(15'520, 100us, {}, Time{} + 100ms);
    int64_t sent = 0;
    for (const int64_t end : ends) {
      const int64_t bytes = window.bytes();
      CHECK(bytes % 1448 == 0);
      sent += bytes / 1448;
      CHECK(sent == end);
      window.end_round(bytes, 100us, {}, {});
    }
  };
  rounds(true, {19, 38, 59, 80, 103, 126});
  rounds(false, {20, 41, 62, 85, 108, 133});
}

TEST_CASE("a slow start that ended too early makes a long transfer slower") {
  // As measured: shingle-ns3 needs 54.6 ms, and 46.0 ms without HyStart.
  const auto takes = [](SlowStart slow_start) {
    Sender sender(star({port(63.7e6, 546us), port(63.7e6, 546us)}), {.slow_start = slow_start});
    sender.send(0, 1, 30'000);
    sender.send(0, 1, 2'863'714, 1s);
    return sender.at_ms(1) - 1000.0;
  };
  CHECK(takes(SlowStart::doubling) == doctest::Approx(46.0).epsilon(0.03));
  CHECK(takes(SlowStart::ns3) == doctest::Approx(54.6).epsilon(0.04));
}

TEST_CASE("buffers and losses limit the rate of a long route") {
  const TcpPath path{.round_trip = 100ms, .bytes_per_second = 1e9};
  CHECK(tcp_rate_limit({}, path) == doctest::Approx(41.94e6).epsilon(0.001));
  const auto with_loss = [&](Duration round_trip, double loss) {
    return tcp_rate_limit({}, {.round_trip = round_trip, .loss = loss, .bytes_per_second = 1e9});
  };
  // Segments of the larger window: that of standard TCP, of CUBIC, of standard TCP.
  CHECK(with_loss(100ms, 0.01) * 0.1 / 1448 == doctest::Approx(12.2).epsilon(0.01));
  CHECK(with_loss(100ms, 0.0001) * 0.1 / 1448 == doctest::Approx(187.4).epsilon(0.01));
  CHECK(with_loss(10ms, 0.0001) * 0.01 / 1448 == doctest::Approx(122.5).epsilon(0.01));
}

TEST_CASE("losses delay a connection, they never reorder it") {
  NetworkTopology network = star({{1e6, 1e6, 1ms, 0.3}, port()});
  Sender sender(network);
  for (int i = 0; i < 200; ++i) sender.send(0, 1, 100, i * 500ms);
  sender.advance(Time::max());
  int late = 0;
  for (uint64_t i = 0; i < 200; ++i) {
    if (i > 0) CHECK(sender.arrived.at(i) >= sender.arrived.at(i - 1));
    late += sender.arrived.at(i) > static_cast<int64_t>(i) * 500ms + 150ms ? 1 : 0;
  }
  CHECK(late > 30);
  CHECK(late < 120);
}

TEST_CASE("a broken connection loses what has not left, and begins anew") {
  Sender sender(star({port(1e6, 1ms), port()}));
  sender.send(0, 1, 100 * kilobyte);
  sender.send(0, 1, 100 * kilobyte);
  sender.advance(Time{} + 120ms);
  CHECK(sender.network.break_connection(0, 1, Time{} + 120ms) == std::vector<uint64_t>{1});
  sender.send(0, 1, 10 * kilobyte, 120ms);
  CHECK(sender.at_ms(2) == about(120.0 + 10.0 + 1.0 + 1.448));
  CHECK_FALSE(sender.arrived.contains(1));
  CHECK(sender.network.totals().lost == 100 * kilobyte);
  CHECK(sender.network.totals().under_way == 0);
}

TEST_CASE("a resource is busy as long as a flow takes it") {
  Sender sender(star({port(), port(1e9)}));
  sender.send(0, 1, 100 * kilobyte);
  sender.send(0, 1, 100 * kilobyte, 500ms);
  sender.advance(Time{} + 10s);
  CHECK(sender.network.load(0).busy == 200ms);
  CHECK(sender.network.load(0).bytes == 200 * kilobyte);
}

TEST_CASE("messages that come at random to one connection wait as in the queue M/D/1") {
  // Pollaczek and Khinchine: the mean wait is load / (2 (1 - load)) services.
  Sender sender(star({port(1e6), port(1e9)}));
  Dice dice(17);
  const double load = 0.7;
  const int64_t bytes = 10 * kilobyte, messages = 200'000;
  double begin_ns = 0.0, waited_ms = 0.0;
  std::vector<Duration> begins;
  for (int64_t i = 0; i < messages; ++i) {
    begin_ns += -std::log(1.0 - dice.unit()) * 1e7 / load;
    begins.push_back(Duration(static_cast<int64_t>(begin_ns)));
    sender.send(0, 1, bytes, begins.back());
  }
  sender.advance(Time::max());
  for (uint64_t i = 0; i < begins.size(); ++i)
    waited_ms += 1e-6 * in_nanoseconds(sender.arrived.at(i) - begins[i]) - 10.0;
  CHECK(waited_ms / messages == doctest::Approx(10.0 * load / (2 * (1 - load))).epsilon(0.02));
}

TEST_CASE("whatever is sent, as many bytes arrive or are lost as were sent, and in order") {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    Dice dice(seed);
    NetworkTopology network;
    const uint32_t far = add_point(network),
                   air = add_air(network, air_802_11n(AirKind::access_point));
    add_trunk(network, 0, far, port(2e6, 1ms));
    for (int i = 0; i < 3; ++i)
      add_host(network, 0, {1e6, 3e6, 1ms, dice.below(2) == 0 ? 0.0 : 0.02});
    for (int i = 0; i < 3; ++i) add_station(network, far, air, 2ms);
    Sender sender(network, {.slow_start = seed % 2 == 0 ? SlowStart::doubling : SlowStart::ns3,
                            .taken_packets = 2.5});
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> newest;
    std::map<uint64_t, std::pair<uint32_t, uint32_t>> pairs;
    Duration now{};
    for (int i = 0; i < 400; ++i) {
      now += Duration(static_cast<int64_t>(dice.below(5'000'000)));
      const auto from = static_cast<uint32_t>(dice.below(6));
      const auto to = static_cast<uint32_t>((from + 1 + dice.below(5)) % 6);
      pairs[sender.sent] = {from, to};
      sender.send(from, to,
                  1 + static_cast<int64_t>(dice.below(dice.below(3) == 0 ? 100'000 : 500)), now);
      if (i % 50 == 49) sender.network.break_connection(from, to, Time{} + now);
      const NetworkTotals& totals = sender.network.totals();
      REQUIRE(totals.sent == totals.arrived + totals.lost + totals.under_way);
    }
    sender.advance(Time::max());
    CHECK(sender.network.totals().under_way == 0);
    CHECK(sender.network.totals().sent ==
          sender.network.totals().arrived + sender.network.totals().lost);
  }
}
