// One machine of the virtual cluster.
#pragma once

#include <algorithm>
#include <optional>

#include "runtime/node/tiles/node_loan.hpp"
#include "sim/canvas_meter.hpp"
#include "sim/cluster.hpp"
#include "sim/device/device.hpp"
#include "sim/random.hpp"

namespace shingle::sim {

constexpr int64_t plain_header_bytes = 128;  // of a message on the wire

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

struct VirtualCluster::Board {
  Device device;
  std::map<uint64_t, std::pair<uint64_t, Compute>> tiles{};  // by cargo: the life, and the order
  uint64_t next_cargo = 1;
  uint64_t looks = 0;   // planned so far: only the newest counts
  double joules = 0.0;  // until `since`
  Time since{};
};

// The beats of ticks that one machine has not been given yet.
class VirtualCluster::Mailbox {
 public:
  bool empty() const { return next_ == beats_.size(); }
  Time first_at() const { return first_at_; }  // Time::max(): empty
  Time last_at() const { return last_at_; }    // of all that ever were here
  void put(const KeptBeat& beat) {
    in_order_ = in_order_ && (empty() || beats_.back().at <= beat.at);
    first_at_ = std::min(first_at_, beat.at);
    last_at_ = std::max(last_at_, beat.at);
    beats_.push_back(beat);
  }
  // The next beat; those of one time in the order in which they were put. REQUIRES: not empty.
  KeptBeat take();

 private:
  std::vector<KeptBeat> beats_;
  size_t next_ = 0;  // of those that are still here
  bool in_order_ = true;
  Time first_at_ = Time::max(), last_at_{};
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
  struct Mail {
    Mailbox box;
    Time due{};                   // an event is planned for then, by attend()
    Time all_until{};             // no beat up to then waits: a peer was lost
    bool may_wait = false;        // what is in the box
    Node::Attention attention{};  // the node's, after its last step
    uint64_t told_closed = 0;     // this machine's, with its last tick
  };
  Mail mail;
  Ailments ails;
  struct Weights {
    double seen_to = 0.0;  // have been looked at, as a share, round and round
    Time packed_at{};      // those of all plans so far, one after the other
  };
  Weights weights;
  std::optional<Board> board;
  std::map<std::pair<PlanHash, TileId>, TileTime> tile_times{};  // of those that it has computed
  std::optional<Liar> liar;
  uint32_t version = protocol_version;
  Random threads{0};  // how soon they wake up

  NodeId id() const { return machine.node.id; }
  bool runs() const { return node != nullptr && !ails.hung; }
};

}  // namespace shingle::sim
