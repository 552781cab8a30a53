// One machine of the virtual cluster.
#pragma once

#include <optional>

#include "runtime/node/tiles/node_loan.hpp"
#include "sim/canvas_meter.hpp"
#include "sim/cluster.hpp"
#include "sim/random.hpp"

namespace shingle::sim {

// What a member that lies has heard of, to lie about.
struct Liar {
  Random dice{0};
  bool keeps_grants = false;
  std::vector<Assign> heard{};                            // the newest few
  std::vector<Assign> loans{};                            // to it, just begun
  std::set<std::pair<FrameKey, TileId>> forestalled{};    // outputs sent before their time
  std::set<std::tuple<NodeId, FrameKey, TileId>> lent{};  // by it, to whom
  std::map<NodeId, int64_t> excess{};  // payload bytes by peer that its node knows nothing of
};

// What is wrong with a machine just now.
struct VirtualCluster::Ailments {
  double slowness = 1.0;
  double spoils = 0.0;  // share of its tiles
  bool spoils_borrowed_only = false;
  Random dice{0};                    // for which ones
  std::optional<double> damaged_at;  // of its weights, as a share of them all
  bool hung = false;
  bool broken = false;
  bool stalled = false;
  bool squeezed = false;
  bool abandoned = false;            // nothing mends it any more
  std::vector<SimEvent> missed;      // while it hangs
  std::vector<SimEvent> unfinished;  // while its executor stalls

  bool spoils_one(Place place) {
    if (spoils <= 0.0 || (spoils_borrowed_only && place != Place::lent)) return false;
    return dice.chance(spoils);
  }
};

struct VirtualCluster::Host {
  Machine machine;
  std::unique_ptr<Node> node;  // null: crashed
  ContentStore contents{true};
  CanvasMeter meter;
  std::optional<TensorStore> tensors;
  uint64_t life = 0;  // boots so far
  uint64_t next_frame = 1;
  std::map<ModelHash, uint64_t> last_delivered;
  uint64_t alarms = 0;  // set so far: only the newest rings
  Ailments ails;
  double seen_to = 0.0;  // of its weights have been looked at, as a share, round and round
  Time packs_until{};    // weights, of plans one after the other
  std::optional<Liar> liar;
  uint32_t version = protocol_version;

  NodeId id() const { return machine.node.id; }
  bool runs() const { return node != nullptr && !ails.hung; }
};

}  // namespace shingle::sim
