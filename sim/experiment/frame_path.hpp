// FramePath: follows one frame through a run, and says afterwards what it waited for.
//
//   capture |room|slot| strip --> tile ... strip --> tile --> strip --> delivery
//                       wire,     core,              compute  credit,
//                       traffic   compute                     wire, traffic
//
// A frame that was begun again recovers all the time. One that takes a stand-in from the start has
// strips that its plan does not name: it computes, or it recovers.
//
// From the delivery it goes back: to the output strip that came last, to the tile that made it, to
// the input of that tile that came last, and so on until the capture. What lies between two of
// these moments has one cause, so causes add up to the latency exactly.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "runtime/protocol/trace.hpp"
#include "sim/experiment/results.hpp"

namespace shingle::sim {

// Which strips and tiles a tile waits for: the inverse of Routes.
struct TileInputs {
  std::vector<std::vector<StripId>> strips;  // by tile
  std::vector<std::vector<TileId>> tiles;    // by tile, of the same home
  explicit TileInputs(const LoadedPlan& plan);
};

struct PathPlan {
  std::shared_ptr<const LoadedPlan> plan;
  TileInputs inputs;
  explicit PathPlan(std::shared_ptr<const LoadedPlan> of) : plan(std::move(of)), inputs(*plan) {}
};

class FramePath {
 public:
  using AloneTime = std::function<Duration(NodeId from, NodeId to, int64_t bytes)>;

  // `since`: when the source had the frame; it was submitted at `submitted`.
  FramePath(std::shared_ptr<const PathPlan> plan, NodeId owner, Time since, Time submitted);

  void on(const TraceEvent& event);  // of this frame, in the order of a run
  // REQUIRES: it was delivered at `end`.
  CauseTimes causes(Time end, const AloneTime& alone) const;

 private:
  struct Transfer {  // sent and received; max(): not yet
    Time sent = Time::max(), received = Time::max();
    NodeId from, to;
    int64_t bytes = 0;
    bool has_arrived() const { return received != Time::max(); }
  };
  struct Computed {
    Time begin{}, end = Time::max();
    bool lent = false;
    NodeId node;
  };
  struct Loan {  // of a tile: the part that came last
    Transfer input, output;
  };
  struct Walk;

  void on_piece(const TraceEvent& event);
  Transfer* transfer_of(const TraceEvent& event);
  CauseTimes causes_on_stand_in(Time end) const;

  std::shared_ptr<const PathPlan> plan_;
  NodeId owner_;
  Time since_, submitted_, opened_;
  bool begun_again_ = false;
  bool on_stand_in_ = false;      // a tile was computed at another home than the plan's
  std::vector<Transfer> strips_;  // by StripId
  std::vector<Computed> tiles_;   // by TileId
  std::map<std::pair<TileId, uint32_t>, Loan> loans_;  // by part
};

}  // namespace shingle::sim
