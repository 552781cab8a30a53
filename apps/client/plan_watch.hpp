// PlanWatch: beside a stream of frames, looks whether its nodes are as fast as the plan takes them
// to be, and plans anew on a thread of its own where they are not (runtime/owner/replanner.hpp).
//
// One thread uses it; none of its functions waits for a search but the destructor.
#pragma once

#include <future>
#include <memory>
#include <string>

#include "runtime/owner/replanner.hpp"
#include "runtime/protocol/turns.hpp"

namespace shingle {

// What the rotation in use was found for.
struct PlanBasis {
  Cluster cluster;
  Goal goal;
  FoundRotation found;
};

class PlanWatch {
 public:
  PlanWatch(std::shared_ptr<const Model> model, PlanBasis basis);

  // As the owner's node reports them.
  void tile_done(const LoadedPlan& plan, const Report& done) { replanner_.tile_done(plan, done); }
  void frame_done(const FrameKey& key) { replanner_.frame_done(key); }

  // Plans to offer, if a search has ended with some. Begins the next search when it is due.
  // REQUIRES: what it gave last was taken or refused.
  std::optional<Turns> look(Time now);
  // They are ready on all their homes, and used from now on: a sentence for people says why.
  std::string taken();
  void refused();

 private:
  struct Searched {
    FoundRotation found;
    Turns turns;
  };
  static std::optional<Searched> search(std::shared_ptr<const Model> model, ReplanTask task);

  const std::shared_ptr<const Model> model_;
  const Cluster cluster_;
  Replanner replanner_;
  std::optional<Searched> offered_;
  std::future<std::optional<Searched>> search_;  // last: its thread ends first
};

}  // namespace shingle
