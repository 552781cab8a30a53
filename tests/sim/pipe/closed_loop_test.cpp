// Virtual clusters on a network that another program simulates. Here it is a function that delays
// each message by the same time, and may die or lie after some requests.
#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <sstream>

#include "tests/sim/experiment/experiments.hpp"

namespace shingle::sim {
namespace {

constexpr int64_t delay_ns = 3'000'000;

struct FixedDelay {
  int64_t now = 0;
  std::map<int64_t, std::vector<std::string>> due{};  // by time: messages
  std::map<std::string, std::string> way_of{};
  std::string seed{};
  size_t hosts = 0, requests = 0;
  std::string longest_number{};

  std::string answer(const std::string& request) {
    ++requests;
    std::istringstream words(request);
    std::string verb, word;
    words >> verb >> word;
    if (verb == "hello") return "hello 1 fixed 1";
    if (verb == "seed") seed = word;
    if (verb == "host") ++hosts;
    if (verb == "send") due[now + delay_ns].push_back(word);
    if (verb != "advance") return "ok";
    if (word.size() > longest_number.size()) longest_number = word;
    return advance(std::stoll(word));
  }
  std::string advance(int64_t end) {
    const auto first = due.begin();
    now = first == due.end() ? end : std::min(end, first->first);
    std::string line = "delivered " + std::to_string(now);
    if (first == due.end() || first->first > now) return line;
    size_t taken = 0;
    for (; taken < first->second.size() && taken < 100; ++taken) line += " " + first->second[taken];
    first->second.erase(first->second.begin(),
                        first->second.begin() + static_cast<std::ptrdiff_t>(taken));
    if (first->second.empty()) due.erase(first);
    return line;
  }
};

// Instead of the answer to that request, and to all after it.
struct Misdeed {
  size_t after = SIZE_MAX;
  Result<std::string> answer = std::string();
};

StartSimulator fixed_delay(const std::shared_ptr<FixedDelay>& simulator, Misdeed misdeed = {}) {
  return [=]() -> Result<Exchange> {
    return Exchange([=](const std::string& request) -> Result<std::string> {
      const std::string answer = simulator->answer(request);
      return simulator->requests > misdeed.after ? misdeed.answer : answer;
    });
  };
}

Experiment two_nodes(const std::string& more = "") {
  return experiment_of("duration = \"4 s\"\nwarm_up = \"1 s\"\n" + paced_nodes(2) + dots_model +
                       "[[source]]\nowner = 1\nrate = \"20 /s\"\n" + more);
}

Result<RunResult> run_with(const Experiment& experiment, const StartSimulator& start,
                           uint64_t seed = 1) {
  return run_seed(experiment, seed, {.simulator = start});
}

std::string failure_with(const Misdeed& misdeed) {
  const auto run = run_with(two_nodes(), fixed_delay(std::make_shared<FixedDelay>(), misdeed));
  return run ? "no failure" : run.error();
}

TEST_CASE("nodes deliver their frames on a network that another program simulates") {
  const auto simulator = std::make_shared<FixedDelay>();
  const auto run = run_with(two_nodes(), fixed_delay(simulator), 7);
  REQUIRE_MESSAGE(run.ok(), run.error());
  CHECK(run->breaches.empty());
  CHECK(run->simulator == "fixed 1");
  CHECK(simulator->seed == "7");
  CHECK(simulator->hosts == 2);
  CHECK(run->wires.empty());
  CHECK(run->delivered[0] == doctest::Approx(60).epsilon(0.05));
  // Half of the model each, and at least one message to the helper and one back.
  for (const FrameOutcome& frame : run->frames)
    if (frame.fate == Fate::delivered)
      CHECK(frame.latency > whole_model / 2 + 2 * Duration(delay_ns));
}

TEST_CASE("the same seed gives the same run, whoever carries the messages" *
          doctest::test_suite("long")) {
  const auto hash = [](uint64_t seed) {
    return run_with(two_nodes(), fixed_delay(std::make_shared<FixedDelay>()), seed)
        .value()
        .trace_hash;
  };
  CHECK(hash(1) == hash(1));
  CHECK(hash(1) != hash(2));
  CHECK(run_of(two_nodes()).simulator.empty());
}

TEST_CASE("frames survive a crash while messages are under way in the other program") {
  const auto run = run_with(two_nodes("[[fault]]\nat = \"2 s\"\nkind = \"crash\"\nnode = 2\n"
                                      "[[fault]]\nat = \"3 s\"\nkind = \"restart\"\nnode = 2\n"),
                            fixed_delay(std::make_shared<FixedDelay>()));
  REQUIRE_MESSAGE(run.ok(), run.error());
  CHECK(run->breaches.empty());
  CHECK(run->delivered[0] > 40);
}

// Of `hosts` hosts, told to the simulator.
PipedNetwork open_star(const std::shared_ptr<FixedDelay>& simulator, size_t hosts) {
  const std::vector<PipedPort> ports(
      hosts, {.up_bits_per_second = 8'000'000, .down_bits_per_second = 8'000'000});
  return PipedNetwork::open(*fixed_delay(simulator)(), piped_star(ports)).value();
}

NetworkTopology star_of(size_t hosts) {
  return star(std::vector<HostLink>(hosts, {.up_bytes_per_second = 1e6,
                                            .down_bytes_per_second = 1e6,
                                            .latency = std::chrono::microseconds(200)}));
}

TEST_CASE("a cluster with a flow runs on the other program until it rests") {
  const Experiment experiment = two_nodes();
  ClusterOptions options;
  options.machines.resize(2);
  options.machines[0].node.id = NodeId{1};
  options.machines[1].node.id = NodeId{2};
  options.packets = open_star(std::make_shared<FixedDelay>(), 4);
  options.topology = star_of(4);
  size_t ended = 0;
  options.on_flow = [&](uint64_t) { ++ended; };
  VirtualCluster cluster(std::move(options), *experiment.sources[0].model);
  cluster.flow(Time{}, 2, 3, 1000, 1);
  CHECK(cluster.run(Time::max()));
  CHECK(ended == 1);
  CHECK(cluster.now() >= Time(Duration(delay_ns)));
  CHECK(cluster.network().simulator() == "fixed 1");
  CHECK(cluster.network().latency(0, 1) == std::chrono::microseconds(200));
}

TEST_CASE("without a horizon no time is asked for that the protocol cannot say") {
  const auto simulator = std::make_shared<FixedDelay>();
  VirtualNetwork network(star_of(2), open_star(simulator, 2));
  network.send(0, 1, 10, 1, Time{});
  CHECK(network.next_change(Time::max()) == Time(Duration(delay_ns)));
  CHECK(simulator->longest_number == "999999999999999999");
}

TEST_CASE("a simulator that dies or lies ends the run with one sentence" *
          doctest::test_suite("long")) {
  CHECK(failure_with({.after = 5, .answer = Error{"it died"}}) == "fixed 1: it died");
  CHECK(failure_with({.after = 500, .answer = Error{"it died"}}) == "fixed 1: it died");
  CHECK(failure_with({.after = 500, .answer = std::string("delivered 0")}).starts_with("fixed 1 "));
  CHECK(failure_with({.after = 500, .answer = std::string("delivered 5 1 1")})
            .starts_with("fixed 1 "));
  const auto absent =
      run_with(two_nodes(), []() -> Result<Exchange> { return Error{"cannot start it"}; });
  CHECK(absent.error() == "cannot start it");
}

TEST_CASE("flows alone run on the other program, each on a connection of its own") {
  const auto simulator = std::make_shared<FixedDelay>();
  const Experiment flows = experiment_of(
      "duration = \"4 s\"\n" + paced_nodes(2) +
      "[[flow]]\nfrom = 1\nto = 2\nbytes = \"1 MB\"\n[[flow]]\nfrom = 1\nto = 2\nbytes = \"1 kB\"\n"
      "at = \"1 s\"\n");
  const auto run = run_with(flows, fixed_delay(simulator));
  REQUIRE_MESSAGE(run.ok(), run.error());
  CHECK(simulator->hosts == 6);
  CHECK(run->flows[0].took == Duration(delay_ns));
  CHECK(run->flows[1].took == Duration(delay_ns));
  CHECK(run_with(flows, fixed_delay(simulator, {.after = 0, .answer = Error{"gone"}})).error() ==
        "the network simulator: gone");
}

TEST_CASE("what cannot be told to a simulator of packets is refused") {
  const StartSimulator start = fixed_delay(std::make_shared<FixedDelay>());
  const auto medium =
      run_with(experiment_of("duration = \"4 s\"\n[network]\nkind = \"shared\"\nmbps = 20.0\n" +
                             paced_nodes(2) + "[[flow]]\nfrom = 1\nto = 2\nbytes = \"1 MB\"\n"),
               start);
  CHECK(medium.error() ==
        "packets on one shared medium cannot be simulated; describe Wi-Fi as a [[cell]], or leave "
        "out the network simulator");
  const auto large = run_with(experiment_of("duration = \"4 s\"\n" + paced_nodes(2) +
                                            "[[flow]]\nfrom = 1\nto = 2\nbytes = \"2 GB\"\n"),
                              start);
  CHECK(large.error() == "a flow of more than 1 GiB cannot be told to a network simulator");
}

}  // namespace
}  // namespace shingle::sim
