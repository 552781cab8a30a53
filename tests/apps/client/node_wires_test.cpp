// Whose word a plan goes by: in pure sums, and with real sockets, keys and a real broker.
#include "apps/client/node_wires.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "tests/apps/broker.hpp"
#include "tests/apps/program.hpp"
#include "tests/transport/keys/key_scene.hpp"
#include "transport/mqtt/mqtt_link.hpp"

using namespace shingle;
using std::chrono::milliseconds;

namespace {

Announcement node_of(uint32_t id, double gflops) {
  Announcement announcement;
  announcement.node.id = NodeId{id};
  announcement.node.name = "node" + std::to_string(id);
  announcement.node.gflops = gflops;
  announcement.session = "5f";
  announcement.addresses = {{"10.0.0.3", 7001}};
  announcement.models = {"tiny.onnx"};
  return announcement;
}

using Words = std::map<NodeId, Result<Announcement>>;

}  // namespace

TEST_CASE("what a node says itself counts, whatever a broker has of it") {
  const Announcement honest = node_of(1, 8.0);
  const Words words{{NodeId{1}, figures_of(honest)}};
  CHECK(confirmed(words, {honest}).doubts.empty());
  Announcement elsewhere = honest;
  elsewhere.addresses = {{"10.6.6.6", 666}};
  elsewhere.session = "a1";
  elsewhere.models.clear();
  CHECK(confirmed(words, {elsewhere}).doubts.empty());  // planning does not go by these

  std::vector<Announcement> lies(6, honest);
  lies[0].node.gflops = 1e6;
  lies[1].node.memory_bytes = 1 << 20;
  lies[2].node.link_mbps = 1.0;
  lies[3].node.cores = 64;
  lies[4].computes = false;
  lies[5].node.device = find_profile("pi4", "").value();
  lies[5].node.profile = lies[5].node.device->name;
  for (const Announcement& lie : lies) {
    const Confirmed found = confirmed(words, {lie});
    REQUIRE(found.members.size() == 1);
    CHECK(found.members.at(NodeId{1}) == figures_of(honest));
    REQUIRE(found.doubts.size() == 1);
    CHECK(found.doubts[0].find("the speed and memory of node 1") != std::string::npos);
    CHECK(found.doubts[0].find("the plan uses its own") != std::string::npos);
  }
}

TEST_CASE(
    "who was announced and has not confirmed it itself is in no plan, nor is who says nothing "
    "sensible") {
  const Words words{{NodeId{1}, figures_of(node_of(1, 8.0))},
                    {NodeId{2}, Error{"it is not a JSON object"}}};
  const Confirmed found = confirmed(words, {node_of(1, 8.0), node_of(3, 1e6)});
  REQUIRE(found.members.size() == 1);
  CHECK(found.members.contains(NodeId{1}));
  REQUIRE(found.doubts.size() == 2);
  CHECK(found.doubts[0].find("node 2") != std::string::npos);
  CHECK(found.doubts[0].find("it is not a JSON object") != std::string::npos);
  CHECK(found.doubts[1].find("node 3 was announced, but has not confirmed it itself") !=
        std::string::npos);
  Announcement camera = node_of(4, 1.0);
  camera.computes = false;
  CHECK(confirmed({}, {camera}).doubts.empty());
}

TEST_CASE("a node's word is what its peers read") {
  const Announcement honest = node_of(1, 8.25);
  CHECK(parse_announcement(print(figures_of(honest))).value() == figures_of(honest));
}

namespace {

// A member whose address nobody knows before it is announced.
struct Joined {
  std::unique_ptr<Membership> membership;
  std::unique_ptr<NodeWires> wires;

  std::vector<Address> addresses{{"127.0.0.1", 1}};

  Joined(uint32_t id, const Broker& broker, const testing::KeyScene& keys, bool computes,
         bool has_own_addresses = true) {
    membership = std::move(Membership::open({.broker = {.uri = broker.uri()},
                                             .self = {id},
                                             .members = {NodeId{1}, NodeId{2}}}))
                     .value();
    NodeWiresOptions options{.cluster = {}, .id = {id}, .keys = keys.path()};
    for (const uint32_t each : {1U, 2U}) options.cluster.nodes.push_back(node_of(each, 4.0).node);
    options.cluster.nodes[id - 1].gflops = 8.0;
    options.computes = computes;
    options.announced = Announced{membership.get(), {}};
    if (!has_own_addresses)
      options.announced->addresses = [this](const auto&, uint16_t, size_t) { return addresses; };
    wires = std::move(NodeWires::open(std::move(options))).value();
    wires->announce();
  }
};

}  // namespace

TEST_CASE("a node whose machine gets another address is announced again") {
  const Broker broker;
  const testing::KeyScene keys({1, 2});
  const Joined run(2, broker, keys, false);
  Joined node(1, broker, keys, true, false);
  const auto announced = [&] {
    const auto present = run.membership->present();
    return present.empty() ? std::vector<Address>() : present.front().addresses;
  };
  REQUIRE(becomes_true([&] { return announced() == node.addresses; }));
  node.wires->look_at_addresses();  // nothing has changed
  node.addresses = {{"127.0.0.1", node.wires->transport().port()}, {"10.0.0.3", 7001}};
  node.wires->look_at_addresses();
  CHECK(becomes_true([&] { return announced() == node.addresses; }));
  const std::vector<Address> there = std::exchange(node.addresses, {{"127.0.0.1", 1}});
  node.wires->look_at_addresses();  // no network for a moment
  CHECK(announced() == there);
  CHECK(becomes_true([&] { return run.wires->words().contains(NodeId{1}); }));
}

TEST_CASE("a broker that refuses what is published is told once, and not dialled again and again") {
  const Broker broker("topic read #\n");
  std::mutex mutex;
  std::vector<std::string> notes;
  const auto link = MqttLink::open({.broker = {.uri = broker.uri()},
                                    .client = "reader",
                                    .last_will = {"last/will", "gone"},
                                    .topics = {},
                                    .patience = std::chrono::seconds(30),
                                    .longest_pause = milliseconds(200),
                                    .on_message = [](const std::string&, std::string_view) {},
                                    .on_note =
                                        [&](const std::string& note) {
                                          const std::lock_guard lock(mutex);
                                          notes.push_back(note);
                                        }})
                        .value();
  const auto noted = [&](const std::string& part) {
    const std::lock_guard lock(mutex);
    return std::ranges::count_if(
        notes, [&](const std::string& note) { return note.find(part) != std::string::npos; });
  };
  link->keep("one/text", "a");
  REQUIRE(
      becomes_true([&] { return noted("refuses what this node publishes at 'one/text'") == 1; }));
  link->keep("one/text", "b");
  link->keep("then/text", "c");
  CHECK(becomes_true([&] { return noted("at 'then/text'") == 1; }));
  std::this_thread::sleep_for(milliseconds(1000));  // it is tried again, which is not noted
  CHECK(noted("at 'one/text'") == 1);
  CHECK(noted("is gone") == 0);
  CHECK(link->connected());
  CHECK(link->counters().connections == 1);
}

TEST_CASE("members found through a broker say themselves what they can do, a liar cannot") {
  const Broker broker;
  const testing::KeyScene keys({1, 2});
  Joined run(2, broker, keys, false);
  auto liar = MqttLink::open({.broker = {.uri = broker.uri()},
                              .client = "liar",
                              .last_will = {"liar", "gone"},
                              .topics = {},
                              .on_message = [](const std::string&, std::string_view) {}})
                  .value();
  REQUIRE(becomes_true([&] { return liar->connected(); }));
  const auto lie = [&] {
    Announcement fast = node_of(1, 1e6);
    fast.addresses = {{"127.0.0.1", 1}};
    liar->keep("shingle/cluster/node/1/announcement", print(fast));
  };
  lie();
  // Nobody has come: what was announced is in no plan.
  REQUIRE(becomes_true([&] { return run.membership->present().size() == 1; }));
  const Confirmed alone = confirmed(run.wires->words(), run.membership->present());
  CHECK(alone.members.empty());
  REQUIRE(alone.doubts.size() == 1);
  CHECK(alone.doubts[0].find("has not confirmed it itself") != std::string::npos);
  // The member itself: its own figures count, however often others are announced.
  Joined node(1, broker, keys, true);
  REQUIRE(becomes_true([&] { return run.wires->words().contains(NodeId{1}); }));
  Confirmed found;
  CHECK(becomes_true([&] {
    lie();
    found = confirmed(run.wires->words(), run.membership->present());
    return !found.doubts.empty();
  }));
  REQUIRE(found.members.contains(NodeId{1}));
  CHECK(found.members.at(NodeId{1}).node.gflops == 8.0);
  CHECK(found.members.at(NodeId{1}).computes);
  REQUIRE(becomes_true([&] { return node.wires->words().contains(NodeId{2}); }));
  CHECK_FALSE(node.wires->words().at(NodeId{2})->computes);
}
