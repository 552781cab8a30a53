// Replanner: says when an owner should plan anew, and for which speeds of the nodes. It compares
// the time that tiles really took with the time that the plan was made for. It does not plan
// itself: plan_anew() does, which takes long and needs a thread of its own. The new plan is offered
// to the nodes like any other and used from the next frame on.
//
//   tile_done, frame_done --> due() --> plan_anew()  --> ready everywhere: switched()
//                              ^           |             no better, or refused: kept()
//                              '-- pause --'
//
// It cannot go on for ever: a search needs frames in a row that agree that some node has
// drifted; a plan is taken only if it is clearly better; pauses between searches double until all
// was calm for a while; and there is a last one.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "partition/cluster/slowness.hpp"
#include "partition/search/rotation_search.hpp"
#include "partition/simulation/stream_share.hpp"
#include "runtime/protocol/event.hpp"

namespace shingle {

struct ReplanLimits {
  double drift = 1.25;       // so many times slower or faster than the plan in use was made for
  double least_gain = 0.05;  // of the goal's figure; below it the plan in use stays
  Duration pause = std::chrono::seconds(1);  // between two searches, doubled with each ...
  Duration longest_pause = std::chrono::seconds(64);
  int32_t calm = 4;    // ... until nothing was due for so many pauses
  int32_t most = 100;  // searches of a stream: homes keep what each plan made them prepare
  int64_t allowance = half_a_second / 4;
};

// What a rotation was found for.
struct PlanBasis {
  Cluster cluster;  // as fast as its profiles say, with no other stream
  Goal goal;
  FoundRotation found;
  StreamShare others{};  // what other streams take of the cluster
};

// Everything that a search needs, as values.
struct ReplanTask {
  Cluster cluster;  // as fast as it really is, without what other streams take
  Goal goal;
  std::vector<TurnOutline> from;
  Rotation in_use;
  std::vector<double> speed_ups;  // by node, against what `from` was found for
  int64_t allowance = 0;
  double least_gain = 0.0;
};

// A rotation that is clearly better than the one in use, by the same simulation; none if none was
// found.
std::optional<FoundRotation> plan_anew(const Model& model, const ReplanTask& task);

class Replanner {
 public:
  // `basis.found` was found for beside(basis.cluster, basis.others). Homes compute by the same
  // algorithms ever after: results keep their bits.
  Replanner(std::shared_ptr<const Model> model, PlanBasis basis, ReplanLimits limits = {});

  // As the owner's node reports them. A tile that was lent says nothing: its time is that of the
  // way as well.
  void tile_done(const LoadedPlan& plan, const Report& done);
  void frame_done(const FrameKey& key) { watch_.frame_done(key.frame); }

  // At most one task at a time: it ends with kept() or switched().
  std::optional<ReplanTask> due(Time now);
  void kept() { searching_ = false; }
  void switched(const FoundRotation& found);

  // By node of the cluster: how many times its profile's time it took when last looked at.
  const std::vector<double>& slowness() const { return slowness_.measured; }

 private:
  struct Slowness {                // by node
    std::vector<double> measured;  // that the last search was for
    std::vector<double> planned;   // that the plan in use was made for
    std::vector<double> sought;    // that the search under way is for
  };

  Duration predicted(const LoadedPlan& plan, TileId tile);
  std::vector<double> measured() const;
  bool has_drifted() const;
  void take_pause(Time now);

  const std::shared_ptr<const Model> model_;
  const Cluster cluster_;  // with no other stream
  const StreamShare others_;
  const Goal goal_;
  const ReplanLimits limits_;
  std::vector<TurnOutline> outlines_;
  Rotation in_use_;
  Slowness slowness_;
  SlownessWatch watch_;
  std::map<PlanHash, std::vector<Duration>> predictions_;  // by tile; 0: not worked out yet
  bool searching_ = false;
  Time next_{}, last_{};
  Duration pause_;
  int32_t searches_ = 0;
};

}  // namespace shingle
