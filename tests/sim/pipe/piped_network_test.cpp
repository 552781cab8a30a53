// PipedNetwork against simulators that are functions: honest ones, and ones that lie.
#include "sim/pipe/piped_network.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>

#include "sim/random.hpp"

namespace shingle::sim {
namespace {

using std::chrono::nanoseconds;

Time at(int64_t time) { return Time(nanoseconds(time)); }

// Answers with what a test says, request by request; "ok" to what describes the network.
struct Script {
  std::vector<std::string> answers;  // to what comes after "start"
  std::vector<std::string> requests{};
  bool begun = false;
};

Exchange speaks(const std::shared_ptr<Script>& script) {
  return [script](const std::string& request) -> Result<std::string> {
    if (request == "hello shingle-network 1") return std::string("hello 1 scripted 0.1");
    const bool before = !script->begun;
    script->begun = script->begun || request == "start";
    if (before) return std::string("ok");
    script->requests.push_back(request);
    if (script->answers.empty()) return Error{"the process ended"};
    const std::string answer = script->answers.front();
    script->answers.erase(script->answers.begin());
    return answer;
  };
}

PipedTopology two_hosts() {
  return piped_star({{.up_bits_per_second = 8'000'000, .down_bits_per_second = 8'000'000},
                     {.up_bits_per_second = 8'000'000, .down_bits_per_second = 8'000'000}});
}

struct Talk {
  std::shared_ptr<Script> script;
  PipedNetwork network;
};
Talk talk(std::vector<std::string> answers, const PipedTopology& topology = two_hosts()) {
  auto script = std::make_shared<Script>(Script{std::move(answers)});
  return {script, std::move(*PipedNetwork::open(speaks(script), topology))};
}

// Sends two messages and asks for the next change before 1000 ns.
std::string failure_after(const std::string& answer) {
  Talk it = talk({"ok", "ok", answer});
  it.network.send(0, 1, 100, 7, at(0));
  it.network.send(0, 1, 100, 8, at(0));
  CHECK(it.network.next_change(at(1000)) == Time::max());
  std::vector<NetworkArrival> arrivals;
  it.network.advance(at(1000), arrivals);
  CHECK(arrivals.empty());
  REQUIRE(!it.network.status().ok());
  return it.network.status().error();
}

TEST_CASE("a network is described host by host, and the simulator says who it is") {
  std::vector<std::string> requests;
  const Exchange hears = [&](const std::string& request) -> Result<std::string> {
    requests.push_back(request);
    return std::string(requests.size() == 1 ? "hello 1 hearer 2.0" : "ok");
  };
  PipedTopology topology = piped_cell(2, PipedCellKind::ad_hoc, "g-54");
  topology.links = {{.from = 0,
                     .to = 1,
                     .forward_bits_per_second = 5000,
                     .back_bits_per_second = 6000,
                     .delay = nanoseconds(70),
                     .forward_lost_per_million = 8,
                     .back_lost_per_million = 9}};
  const auto network = PipedNetwork::open(hears, topology);
  REQUIRE(network.ok());
  CHECK(network->simulator() == "hearer 2.0");
  CHECK(requests == std::vector<std::string>{"hello shingle-network 1", "seed 1", "host 0",
                                             "host 1", "cell 2 adhoc g-54", "station 0 2",
                                             "station 1 2", "link 0 1 5000 6000 70 8 9",
                                             "connect 0 1", "start"});
}

TEST_CASE("what a simulator refuses while the network is described is the error") {
  const Exchange refuses = [](const std::string& request) -> Result<std::string> {
    if (request.starts_with("hello")) return std::string("hello 1 strict 1");
    return std::string(request == "host 1" ? "error there are two of id 1" : "ok");
  };
  CHECK(PipedNetwork::open(refuses, two_hosts()).error() ==
        "strict 1 refused 'host 1': there are two of id 1");
  const Exchange other = [](const std::string&) -> Result<std::string> {
    return std::string("hello 2 strict 1");
  };
  CHECK(PipedNetwork::open(other, two_hosts()).error() ==
        "the network simulator does not speak 'shingle-network 1': it answered 'hello 2 strict 1'");
}

TEST_CASE("the simulator runs to the first arrival and never beyond the horizon") {
  Talk it = talk({"ok", "delivered 400 0", "ok", "delivered 900", "delivered 1200 1"});
  it.network.send(0, 1, 100, 7, at(0));
  CHECK(it.network.next_change(at(1000)) == at(400));
  std::vector<NetworkArrival> arrivals;
  it.network.advance(at(400), arrivals);
  REQUIRE(arrivals.size() == 1);
  CHECK(arrivals[0].at == at(400));
  CHECK(arrivals[0].cargo == 7);
  it.network.send(1, 0, 50, 8, at(400));
  CHECK(it.network.totals().under_way == 50);
  CHECK(it.network.next_change(at(900)) == Time::max());
  CHECK(it.network.next_change(at(2000)) == at(1200));
  CHECK(it.script->requests == std::vector<std::string>{"send 0 0 1 100", "advance 1000",
                                                        "send 1 1 0 50", "advance 900",
                                                        "advance 2000"});
  CHECK(it.network.totals().sent == 150);
  CHECK(it.network.totals().arrived == 150);
  CHECK(it.network.totals().under_way == 0);
}

TEST_CASE(
    "nobody asks a simulator that carries nothing, and it catches up when something is sent") {
  Talk it = talk({"delivered 500", "ok"});
  CHECK(it.network.next_change(at(500)) == Time::max());
  CHECK(it.script->requests.empty());
  it.network.send(0, 1, 100, 7, at(500));
  CHECK(it.script->requests == std::vector<std::string>{"advance 500", "send 0 0 1 100"});
  CHECK(it.network.status().ok());
}

TEST_CASE("a simulator may answer early to show that it lives") {
  Talk it = talk({"ok", "delivered 300", "delivered 301", "delivered 800 0"});
  it.network.send(0, 1, 100, 7, at(0));
  CHECK(it.network.next_change(at(1000)) == at(800));
}

TEST_CASE("what was under way on a connection that breaks does not arrive") {
  Talk it = talk({"ok", "ok", "ok", "delivered 400 0", "delivered 500 2", "delivered 600 1"});
  it.network.send(0, 1, 100, 7, at(0));
  it.network.send(0, 1, 100, 8, at(0));
  it.network.send(1, 0, 100, 9, at(0));
  CHECK(it.network.break_connection(0, 1, at(0)) == std::vector<uint64_t>{7, 8});
  CHECK(it.network.break_connection(0, 1, at(0)).empty());
  CHECK(it.network.next_change(at(1000)) == at(500));
  CHECK(it.network.totals().lost == 200);
  CHECK(it.network.totals().under_way == 0);
}

TEST_CASE("a rate that changes is told when it changes, with the one that does not") {
  PipedTopology topology = two_hosts();
  topology.steps = {{.at = at(300), .link = 1, .forward = true, .bits_per_second = 3000},
                    {.at = at(700), .link = 1, .forward = false, .bits_per_second = 4000}};
  Talk it =
      talk({"ok", "delivered 300", "ok", "delivered 500 0", "delivered 700", "ok", "ok"}, topology);
  it.network.send(0, 1, 100, 7, at(0));
  CHECK(it.network.next_change(at(1000)) == at(500));
  std::vector<NetworkArrival> arrivals;
  it.network.advance(at(500), arrivals);
  it.network.send(0, 1, 100, 8, at(700));
  CHECK(it.script->requests == std::vector<std::string>{"send 0 0 1 100", "advance 300",
                                                        "rates 1 2 3000 8000000", "advance 700",
                                                        "advance 700", "rates 1 2 3000 4000",
                                                        "send 1 0 1 100"});
  CHECK(it.network.status().ok());
}

TEST_CASE("a simulator that lies is found out, and nothing arrives any more") {
  CHECK(failure_after("delivered 400 5") ==
        "scripted 0.1 delivered message 5, which was not sent yet");
  CHECK(failure_after("delivered 400 0 0") == "scripted 0.1 delivered message 0 twice");
  CHECK(failure_after("delivered 400 1") ==
        "scripted 0.1 delivered message 1 before message 0, which was sent earlier on the same "
        "connection");
  CHECK(failure_after("delivered 1001 0") ==
        "scripted 0.1 ran to 1001 ns, beyond the 1000 ns that it was asked for");
  CHECK(failure_after("delivered 0") == "scripted 0.1 makes no progress at 0 ns");
  CHECK(failure_after("delivered") ==
        "scripted 0.1 answered 'advance' with 'delivered' instead of 'delivered'");
  CHECK(failure_after("ok") == "scripted 0.1 answered 'advance' with 'ok' instead of 'delivered'");
  CHECK(failure_after("delivered -4 0") ==
        "scripted 0.1 answered 'advance' with 'delivered -4 0' instead of 'delivered'");
  CHECK(failure_after("delivered 400 0 ") == "scripted 0.1 delivered a message of no number: ''");
  CHECK(failure_after("delivered 400 \x1b[2J") ==
        "scripted 0.1 answered with a line that is too long or not printable ASCII");
  CHECK(failure_after("error a station fell off") ==
        "scripted 0.1 refused 'advance 1000': a station fell off");
}

TEST_CASE("a simulator whose time goes back is found out") {
  Talk it = talk({"ok", "ok", "delivered 400 0", "delivered 399 1"});
  it.network.send(0, 1, 100, 7, at(0));
  it.network.send(0, 1, 100, 8, at(0));
  CHECK(it.network.next_change(at(1000)) == at(400));
  std::vector<NetworkArrival> arrivals;
  it.network.advance(at(400), arrivals);
  CHECK(it.network.next_change(at(1000)) == Time::max());
  CHECK(it.network.status().error() == "scripted 0.1 went back in time, from 400 to 399 ns");
}

TEST_CASE("a simulator that creeps is given up") {
  int64_t time = 0;
  const Exchange creeps = [&](const std::string& request) -> Result<std::string> {
    if (request.starts_with("hello")) return std::string("hello 1 snail 1");
    if (!request.starts_with("advance")) return std::string("ok");
    return "delivered " + std::to_string(++time);
  };
  auto network = PipedNetwork::open(creeps, two_hosts());
  network->send(0, 1, 100, 7, at(0));
  CHECK(network->next_change(at(1'000'000'000)) == Time::max());
  CHECK(network->status().error() ==
        "snail 1 needs more than 100000 answers to advance to 1000000000 ns");
}

TEST_CASE("an exchange that fails is a sentence that names the simulator") {
  Talk it = talk({});
  it.network.send(0, 1, 100, 7, at(0));
  CHECK(it.network.status().error() == "scripted 0.1: the process ended");
  it.network.send(0, 1, 100, 8, at(0));  // no further request
  CHECK(it.script->requests.size() == 1);
}

// An answer of words that a simulator uses, in any order.
std::string any_answer(Random& random) {
  constexpr const char* words[] = {
      "delivered", "ok",   "error", "0",  "1",     "2",  "3",
      "400",       "1000", "",      "-1", "hello", "\n", "999999999999999999999"};
  std::string line = random.chance(0.7) ? "delivered" : "ok";
  if (random.chance(0.5)) line += " " + std::to_string(random.between(0, 1200));
  for (int32_t i = random.between(0, 4); i > 0; --i)
    line += std::string(" ") + words[random.between(0, int32_t{std::size(words)} - 1)];
  return line;
}

TEST_CASE("whatever a simulator says, time goes on and each message arrives at most once") {
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    const Exchange babbles = [&](const std::string& request) -> Result<std::string> {
      if (request.starts_with("hello")) return std::string("hello 1 babbler 1");
      if (!request.starts_with("advance") && random.chance(0.95)) return std::string("ok");
      return any_answer(random);
    };
    auto network = PipedNetwork::open(babbles, two_hosts());
    if (!network) continue;
    std::vector<uint64_t> arrived;
    Time now = at(0);
    uint64_t sent = 0;
    for (int step = 0; step < 8 && network->status().ok(); ++step) {
      network->send(0, 1, 1, sent++, now);
      const Time horizon = now + nanoseconds(1000);
      const Time next = network->next_change(horizon);
      REQUIRE((next == Time::max() || (now <= next && next <= horizon)));
      now = std::min(next, horizon);
      std::vector<NetworkArrival> arrivals;
      network->advance(now, arrivals);
      for (const NetworkArrival& arrival : arrivals) arrived.push_back(arrival.cargo);
    }
    CHECK(std::is_sorted(arrived.begin(), arrived.end()));
    CHECK(std::adjacent_find(arrived.begin(), arrived.end()) == arrived.end());
    CHECK((arrived.empty() || arrived.back() < sent));
    const NetworkTotals& totals = network->totals();
    CHECK(totals.sent == totals.arrived + totals.lost + totals.under_way);
  }
}

}  // namespace
}  // namespace shingle::sim
