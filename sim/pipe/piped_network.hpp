// PipedNetwork: a network that another process simulates. It has the verbs of a network that is a
// value (send, next_change, advance); each becomes a line to the process and a line back.
//
//   driver: next_change(horizon) --"advance 5000"--> simulator
//                                <--"delivered 4711 3"--
//   driver: advance(4711)        message 3 has arrived; what it causes is sent at 4711
//
// The simulator never runs beyond the horizon, before which nothing else happens in the driver's
// world, so what arrives can still change what is sent: a closed loop.
//
// The other process is not trusted. An answer that contradicts itself or what was sent ends the
// network: status() says why, in one sentence, and nothing arrives any more.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "partition/network/fluid.hpp"
#include "sim/pipe/exchange.hpp"
#include "sim/pipe/piped_topology.hpp"

namespace shingle::sim {

// What can be said of time in the protocol: some 31 years.
inline constexpr Time latest_time{Duration(999'999'999'999'999'999)};

class PipedNetwork {
 public:
  // Greets the simulator and describes the network to it. The error says what it refused.
  static Result<PipedNetwork> open(Exchange exchange, const PipedTopology& topology);

  const std::string& simulator() const { return simulator_; }  // "shingle-ns3 3.37"
  const Status& status() const { return status_; }             // an error is for good

  // Messages of a connection arrive in the order of sending. REQUIRES: the hosts are connected,
  // 0 < bytes <= 2^30; `now` is not before the last time that was given, and next_change() was
  // asked up to it.
  void send(uint32_t from, uint32_t to, int64_t bytes, uint64_t cargo, Time now);
  // When advance() must be called next; Time::max(): not up to the horizon, or latest_time if that
  // is earlier. REQUIRES: nothing is sent before the horizon unless something arrives.
  Time next_change(Time horizon);
  // Appends what has arrived up to `now`.
  void advance(Time now, std::vector<NetworkArrival>& arrivals);
  // The connection in this direction ends, and a new one takes its place. What is under way is
  // lost; the result names its cargo. The simulator goes on with these bytes, so they still take
  // their time on the wires.
  std::vector<uint64_t> break_connection(uint32_t from, uint32_t to, Time now);

  const NetworkTotals& totals() const { return totals_; }

 private:
  struct Message {
    uint32_t from = 0, to = 0;
    int64_t bytes = 0;
    uint64_t cargo = 0;
    bool lost = false;
  };
  using Way = std::pair<uint32_t, uint32_t>;  // from, to

  explicit PipedNetwork(Exchange exchange) : exchange_(std::move(exchange)) {}
  Status greet();
  Result<std::string> ask(const std::string& request);
  Status expect_ok(const std::string& request);
  Status run_until(Time end);
  Status run_to_arrival(Time end);
  Status run_once(Time end);
  Status take_step();
  Status take(const std::string& answer, Time end);
  Status take_message(const std::string& word);
  void catch_up(Time now);
  Error distrust(const std::string& what) const;

  Exchange exchange_;
  std::vector<PipedLink> links_;  // with their rates now
  std::deque<PipedRateStep> steps_;
  std::string simulator_ = "the network simulator";
  Status status_ = success();
  Time clock_{};  // the simulator's
  uint64_t next_id_ = 0;
  std::map<uint64_t, Message> in_flight_;
  std::map<Way, std::deque<uint64_t>> ways_;  // ids under way, in the order of sending
  std::deque<NetworkArrival> arrived_;
  NetworkTotals totals_;
};

}  // namespace shingle::sim
