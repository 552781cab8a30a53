// Whom a node tells of tiles that wait.
#include "runtime/node/invitations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "node_bench.hpp"

namespace shingle {
namespace {

struct Crowd {
  NodeConfig config;
  Peers peers;
  SpareNodes spares;
  Invitations invitations;

  explicit Crowd(uint32_t members)
      : config(bench_config(0, members)),
        peers(config),
        spares(config.members),
        invitations(config, peers, spares) {
    for (auto& [id, peer] : peers) {
      peer.joined = true;
      peer.hello.compute_slots = 1;
    }
  }
  std::vector<NodeId> invited() const {
    std::vector<NodeId> ids;
    for (const auto& [id, peer] : peers)
      if (invitations.include(peer)) ids.push_back(id);
    return ids;
  }
};

TEST_CASE("a small cluster is invited as a whole") {
  CHECK(Crowd(17).invitations.are_for_all());
  CHECK(Crowd(17).invited().size() == 16);
  CHECK_FALSE(Crowd(18).invitations.are_for_all());
}

TEST_CASE("of a large cluster sixteen are invited: homes of the same frames, then idle ones") {
  Crowd crowd(200);
  std::vector<NodeId> fellows;
  for (uint32_t id = 0; id < 6; ++id) fellows.push_back(NodeId{id});  // this node too
  size_t idle = 0;
  for (auto& [id, peer] : crowd.peers)
    if (id.value > 5 && id.value % 10 != 0) peer.running = 1;
  crowd.invitations.draw({fellows, {}});
  const std::vector<NodeId> invited = crowd.invited();
  REQUIRE(invited.size() == Invitations::most);
  for (const NodeId id : invited) {
    if (id.value > 5) CHECK(id.value % 10 == 0);
    idle += id.value > 5 ? 1 : 0;
  }
  CHECK(idle == Invitations::most - 5);
}

TEST_CASE("many homes of the same frames leave half of the places") {
  Crowd crowd(200);
  std::vector<NodeId> fellows;
  for (uint32_t id = 1; id < 100; ++id) fellows.push_back(NodeId{id});
  for (const NodeId id : fellows) crowd.peers.at(id).running = 1;
  crowd.invitations.draw({fellows, {}});
  const std::vector<NodeId> invited = crowd.invited();
  CHECK(std::count_if(invited.begin(), invited.end(), [](NodeId id) { return id.value < 100; }) ==
        static_cast<std::ptrdiff_t>(Invitations::most / 2));
}

TEST_CASE("spares of the frames' owners come before others, idle ones first; two places are left") {
  Crowd crowd(200);
  const std::vector<NodeId> spares = crowd.spares.of(NodeId{7});
  REQUIRE(spares.size() == Invitations::most);
  for (size_t i = 0; i < 4; ++i) crowd.peers.at(spares[2 + i]).running = 1;
  std::set<NodeId> seen;
  for (int draw = 0; draw < 100; ++draw) {
    crowd.invitations.draw({{NodeId{7}}, {NodeId{7}, NodeId{7}}});
    CHECK(crowd.peers.at(NodeId{7}).invited);
    size_t idle = 0, strangers = 0;
    for (const NodeId id : crowd.invited()) {
      const bool is_spare = std::find(spares.begin(), spares.end(), id) != spares.end();
      strangers += is_spare || id == NodeId{7} ? 0 : 1;
      idle += is_spare && crowd.peers.at(id).running == 0 ? 1 : 0;
      seen.insert(id);
    }
    CHECK(idle >= Invitations::most - 4);
    CHECK(strangers <= Invitations::strangers);
  }
  CHECK(seen.size() > 100);
}

TEST_CASE("each draw invites others, and nobody who is away or cannot compute") {
  Crowd crowd(200);
  for (auto& [id, peer] : crowd.peers) {
    if (id.value % 3 == 0) peer.joined = false;
    if (id.value % 3 == 1) peer.hello.compute_slots = 0;
  }
  std::set<NodeId> seen;
  for (int i = 0; i < 100; ++i) {
    crowd.invitations.draw({{}, {}});
    const std::vector<NodeId> invited = crowd.invited();
    REQUIRE(invited.size() == Invitations::most);
    for (const NodeId id : invited) CHECK(id.value % 3 == 2);
    seen.insert(invited.begin(), invited.end());
  }
  CHECK(seen.size() == 66);
}

TEST_CASE("if fewer are free than there are places, busy ones are invited too") {
  Crowd crowd(30);
  for (auto& [id, peer] : crowd.peers) peer.ready = id.value < 25 ? 3 : 0;
  crowd.invitations.draw({{}, {}});
  CHECK(crowd.invited().size() == Invitations::most);
  for (uint32_t id = 25; id < 30; ++id) CHECK(crowd.peers.at(NodeId{id}).invited);
}

}  // namespace
}  // namespace shingle
