// PipedNetwork with real processes: the Python example, processes that misbehave, and shingle-ns3.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>

#include "apps/system/line_process.hpp"
#include "apps/system/ns3_program.hpp"
#include "sim/pipe/piped_network.hpp"
#include "tests/apps/program.hpp"
#include "tests/apps/scratch_folder.hpp"
#include "tests/places.hpp"

namespace shingle {
namespace {

using namespace sim;
using std::chrono::milliseconds;

Time at(Duration since_start) { return Time(since_start); }

Exchange starts(const std::string& program, std::vector<std::string> arguments,
                milliseconds patience = std::chrono::seconds(60)) {
  auto started = LineProcess::start(
      {.program = program, .arguments = std::move(arguments), .patience = patience});
  REQUIRE(started.ok());
  auto process = std::make_shared<LineProcess>(std::move(*started));
  return [process](const std::string& line) { return process->exchange(line); };
}

Exchange fixed_delay() {
  return starts("/usr/bin/python3",
                {source_folder() + "/examples/network_pipe/fixed_delay.py", "5", "8"});
}

PipedTopology star_of(size_t hosts) {
  return piped_star(std::vector<PipedPort>(hosts, {.up_bits_per_second = 97'530'000,
                                                   .down_bits_per_second = 97'530'000,
                                                   .delay = std::chrono::microseconds(50)}));
}

std::string ns3() {
  return (std::filesystem::path(shingle_program()).parent_path() / "shingle-ns3").string();
}

bool has_ns3() {
  if (::access(ns3().c_str(), X_OK) == 0) return true;
  std::cout << "skipped: shingle-ns3 is not built (tools/deps --ns3)\n";
  return false;
}

// A driver with a clock of its own that ticks every 10 ms: each message that arrives is answered
// with one of the same size until `rounds` have passed. The times of arrival, in order.
std::vector<Time> closed_loop(PipedNetwork& network, int64_t bytes, uint64_t rounds) {
  std::vector<Time> times;
  network.send(0, 1, bytes, 1, at({}));
  Time tick = at(milliseconds(10));
  while (times.size() < rounds && network.status().ok() && tick < at(std::chrono::minutes(10))) {
    const Time next = network.next_change(tick);
    if (next == Time::max()) {
      tick += milliseconds(10);
      continue;
    }
    std::vector<NetworkArrival> arrivals;
    network.advance(next, arrivals);
    for (const NetworkArrival& arrival : arrivals) {
      times.push_back(arrival.at);
      if (times.size() < rounds)
        network.send(arrival.to, arrival.from, bytes, arrival.cargo + 1, arrival.at);
    }
  }
  return times;
}

TEST_CASE("the example delays each message by its size and 5 ms, in a closed loop") {
  auto network = PipedNetwork::open(fixed_delay(), star_of(2));
  REQUIRE(network.ok());
  CHECK(network->simulator() == "fixed-delay 1.0");
  // 2000 bytes at 8 Mb/s are 2 ms.
  CHECK(closed_loop(*network, 2000, 4) ==
        std::vector<Time>{at(milliseconds(7)), at(milliseconds(14)), at(milliseconds(21)),
                          at(milliseconds(28))});
  CHECK(network->status().ok());
}

TEST_CASE("the example keeps the order of a connection and delivers two connections side by side") {
  auto network = PipedNetwork::open(fixed_delay(), star_of(3));
  REQUIRE(network.ok());
  network->send(0, 1, 3000, 1, at({}));
  network->send(0, 1, 1000, 2, at({}));
  network->send(0, 2, 1000, 3, at({}));
  std::vector<NetworkArrival> arrivals;
  const Time horizon = at(milliseconds(100));
  for (Time next = network->next_change(horizon); next != Time::max();
       next = network->next_change(horizon))
    network->advance(next, arrivals);
  REQUIRE(arrivals.size() == 3);
  CHECK(arrivals[0].cargo == 3);
  CHECK(arrivals[0].at == at(milliseconds(6)));
  CHECK(arrivals[1].cargo == 1);
  CHECK(arrivals[1].at == at(milliseconds(8)));
  CHECK(arrivals[2].cargo == 2);
  CHECK(arrivals[2].at == at(milliseconds(9)));
}

// What becomes of a network whose simulator is this shell script.
std::string failure_of(const std::string& script) {
  auto network =
      PipedNetwork::open(starts("/bin/sh", {"-c", script}, milliseconds(300)), star_of(2));
  if (!network) return network.error();
  closed_loop(*network, 1000, 3);
  return network->status() ? "no failure" : network->status().error();
}

// A simulator of "hello" and five "ok"s... and then of what the script says.
std::string honest_until_start(const std::string& rest) {
  return "read l; echo hello 1 sh 1; while read l; do case $l in start) echo ok; break;; *) echo "
         "ok;; esac; done; read l; echo ok; " +
         rest;
}

TEST_CASE("simulators that die, hang or lie end with one sentence") {
  CHECK(failure_of("exit 1") == "the network simulator: '/bin/sh' ended with exit code 1");
  CHECK(failure_of("exec sleep 100") ==
        "the network simulator: '/bin/sh' has not answered for 300 ms");
  CHECK(failure_of("read l; echo SSH-2.0; exec sleep 100") ==
        "the network simulator does not speak 'shingle-network 1': it answered 'SSH-2.0'");
  CHECK(failure_of(honest_until_start("echo went wrong >&2; kill -6 $$")) ==
        "sh 1: '/bin/sh' ended with signal 6; its last words: went wrong");
  CHECK(failure_of(honest_until_start("exec sleep 100")) ==
        "sh 1: '/bin/sh' has not answered for 300 ms");
  CHECK(failure_of(honest_until_start("read l; echo delivered 5 0; read l; echo ok; read l; echo "
                                      "delivered 4 1; exec sleep 100")) ==
        "sh 1 went back in time, from 5 to 4 ns");
  CHECK(failure_of(honest_until_start("read l; echo delivered 5 9; exec sleep 100")) ==
        "sh 1 delivered message 9, which was not sent yet");
}

TEST_CASE("shingle-ns3 carries full segments at the speed of the wire") {
  if (!has_ns3()) return;
  auto network = PipedNetwork::open(starts(ns3(), {}), star_of(2));
  REQUIRE(network.ok());
  CHECK(network->simulator().starts_with("shingle-ns3 3."));
  const std::vector<Time> times = closed_loop(*network, 1'000'000, 1);
  REQUIRE(times.size() == 1);
  // 94.1 Mb/s of payload are 85.0 ms, plus the round trips in which the window opens.
  CHECK(times[0] > at(milliseconds(85)));
  CHECK(times[0] < at(milliseconds(86)));
}

std::vector<Time> wifi_times(uint64_t seed, PipedCellKind kind, const std::string& mode) {
  PipedTopology topology = piped_cell(3, kind, mode);
  topology.seed = seed;
  auto network = PipedNetwork::open(starts(ns3(), {}), topology);
  REQUIRE(network.ok());
  std::vector<Time> times = closed_loop(*network, 20'000, 10);
  CHECK(times.size() == 10);
  CHECK(network->status().ok());
  return times;
}

TEST_CASE("shingle-ns3 gives the same times for the same seed, and others for another seed") {
  if (!has_ns3()) return;
  for (const PipedCellKind kind : {PipedCellKind::infrastructure, PipedCellKind::ad_hoc})
    for (const char* mode : {"b-11", "g-54", "n-7-20-800"}) {
      INFO(mode);
      const std::vector<Time> times = wifi_times(1, kind, mode);
      CHECK(times == wifi_times(1, kind, mode));
      CHECK(times != wifi_times(2, kind, mode));
    }
}

// Hosts 0 and 1 at switches 2 and 3, which a slow trunk joins.
PipedTopology two_switches() {
  constexpr int64_t fast = 100'000'000, slow = 10'000'000;
  const auto wire = [](uint32_t from, uint32_t to, int64_t rate) {
    return PipedLink{.from = from,
                     .to = to,
                     .forward_bits_per_second = rate,
                     .back_bits_per_second = rate,
                     .delay = milliseconds(1)};
  };
  return {.hosts = {0, 1},
          .switches = {2, 3},
          .links = {wire(0, 2, fast), wire(1, 3, fast), wire(2, 3, slow)},
          .connections = {{0, 1}}};
}

TEST_CASE("shingle-ns3 routes over a trunk, whose rate may change") {
  if (!has_ns3()) return;
  constexpr auto change = std::chrono::seconds(2);
  PipedTopology topology = two_switches();
  for (const bool forward : {true, false})
    topology.steps.push_back(
        {.at = at(change), .link = 2, .forward = forward, .bits_per_second = 20'000'000});
  auto network = PipedNetwork::open(starts(ns3(), {}), topology);
  REQUIRE(network.ok());
  const Time slow = closed_loop(*network, 1'000'000, 1).at(0);
  CHECK(slow > at(milliseconds(828)));  // 8 Mbit at 9.65 Mb/s
  CHECK(slow < at(milliseconds(850)));
  network->send(0, 1, 1'000'000, 1, at(change));
  const Duration fast = network->next_change(at(std::chrono::seconds(10))) - at(change);
  CHECK(fast > milliseconds(414));
  CHECK(fast < milliseconds(440));
}

TEST_CASE("shingle-ns3 joins a cell and a wire at an access point") {
  if (!has_ns3()) return;
  PipedTopology topology = piped_cell(2, PipedCellKind::infrastructure, "n-7-20-800");
  topology.hosts.push_back(9);
  topology.links = {{.from = 9,
                     .to = 2,
                     .forward_bits_per_second = 100'000'000,
                     .back_bits_per_second = 100'000'000}};
  topology.connections = {{0, 1}, {1, 9}};
  auto network = PipedNetwork::open(starts(ns3(), {}), topology);
  REQUIRE(network.ok());
  network->send(1, 9, 100'000, 1, at({}));
  const Time over_air_once = network->next_change(at(std::chrono::seconds(10)));
  CHECK(over_air_once > at(milliseconds(12)));
  CHECK(over_air_once < at(milliseconds(25)));
}

TEST_CASE("shingle-ns3 says what it cannot do, in one sentence, and ends") {
  if (!has_ns3()) return;
  const auto refused = [](const PipedTopology& topology) {
    const auto network = PipedNetwork::open(starts(ns3(), {}), topology);
    const std::string sentence = network ? "" : network.error();
    return sentence.substr(sentence.find("refused"));
  };
  CHECK(refused({.hosts = {1, 1}}) == "refused 'host 1': there are two of id 1");
  PipedTopology alone{.hosts = {0, 1}, .connections = {{0, 1}}};
  CHECK(refused(alone) == "refused 'start': nothing joins host 0");
  PipedTopology apart = two_switches();
  apart.links.pop_back();
  CHECK(refused(apart).starts_with("refused 'start': "));
  CHECK(refused(piped_cell(2, PipedCellKind::ad_hoc, "ax-1")) ==
        "refused 'cell 2 adhoc ax-1': there is no mode 'ax-1'; modes are b-RATE, g-RATE and "
        "n-MCS-WIDTH-GUARD");
  PipedTopology lossy = star_of(2);
  for (PipedLink& link : lossy.links) link.forward_lost_per_million = 999'999;
  CHECK(refused(lossy).starts_with("refused 'start': "));
}

TEST_CASE("shingle-ns3 takes no hostile line") {
  if (!has_ns3()) return;
  const std::string hostile[] = {"",
                                 " ",
                                 "hello",
                                 "hello shingle-network 2",
                                 "start",
                                 "host 1",
                                 std::string(4094, 'x'),
                                 "hello shingle-network 1 ",
                                 "hello\tshingle-network 1"};
  for (const std::string& line : hostile) {
    INFO(line.substr(0, 40));
    CHECK(starts(ns3(), {})(line).value().starts_with("error "));
  }
  const std::string later[] = {"",
                               "hello shingle-network 1",
                               "send 1 0 1",
                               "send 1 0 1 0",
                               "send 1 0 1 1073741825",
                               "send 1 0 0 10",
                               "send 1 0 7 10",
                               "send 99999999999999999999 0 1 10",
                               "send -1 0 1 10",
                               "advance -1",
                               "advance 1e9",
                               "advance 1000000000000001",
                               "advance",
                               "rates 0 1 0 0",
                               "rates 0 1 1000000 1000000",
                               "host 5",
                               "start"};
  for (const std::string& line : later) {
    INFO(line);
    const Exchange exchange = starts(ns3(), {});
    REQUIRE(exchange("hello shingle-network 1").ok());
    for (const std::string& request : requests_for(star_of(2)))
      REQUIRE(exchange(request).value() == "ok");
    CHECK(exchange(line).value().starts_with("error "));
    CHECK(exchange("advance 5").error() == "'" + ns3() + "' ended with exit code 1");
  }
}

TEST_CASE("shingle-ns3 ends when nobody speaks to it any more, also while it computes") {
  if (!has_ns3()) return;
  auto process = LineProcess::start({.program = ns3()});
  REQUIRE(process.ok());
  const pid_t id = process->id();
  { const LineProcess ends = std::move(*process); }
  CHECK(!is_alive(id));
}

TEST_CASE("shingle-ns3 writes its packets to files if it is told to") {
  if (!has_ns3()) return;
  const ScratchFolder folder;
  {
    auto network = PipedNetwork::open(starts(ns3(), {"--pcap", folder / "packets"}), star_of(2));
    REQUIRE(network.ok());
    closed_loop(*network, 1000, 1);
  }
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    files += entry.path().extension() == ".pcap" && entry.file_size() > 1000 ? 1 : 0;
  CHECK(files == 4);  // one for each end of two wires
}

TEST_CASE("who has no shingle-ns3 is told how to get it") {
  // It lies beside `shingle`, not beside this program.
  const char* path = std::getenv("PATH");
  const std::string before = path == nullptr ? "" : path;
  ::setenv("PATH", "/nowhere", 1);
  CHECK(ns3_program().error().find("tools/deps --ns3") != std::string::npos);
  ::setenv("SHINGLE_NS3", "/somewhere/else", 1);
  CHECK(ns3_program().value() == "/somewhere/else");
  ::unsetenv("SHINGLE_NS3");
  ::setenv("PATH", before.c_str(), 1);
}

}  // namespace
}  // namespace shingle
