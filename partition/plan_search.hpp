// The planner's search as a whole: which nodes take part and in which order layers come, first
// drafts for each, the most promising improved.
#pragma once

#include "partition/improve.hpp"

namespace shingle {

inline constexpr int64_t half_a_second = 2'000'000;  // an allowance, on a PC

struct Found {
  Plan plan;        // predictions filled in
  Timeline line;    // of one frame alone
  Timeline stream;  // with the goal's open frames
  double score = 0.0;
  int32_t trials = 0;  // plans simulated on the way
};

// The best plan for the goal that a bounded search finds. Deterministic: the same input gives the
// same plan on any machine. A missed deadline is no error; a cap that nothing fits is, and the
// sentence names the smallest that a plan was found for. `allowance`: tiles and strips that all
// simulations together may count.
Result<Found> find_plan(const Model& model, const Cluster& cluster, const Goal& goal,
                        int64_t allowance = half_a_second);

// A plan that was made otherwise, with what the simulation says of it. REQUIRES: sound, and its
// homes are in the cluster.
Found simulated(const Model& model, const Cluster& cluster, const Goal& goal, Plan plan);

}  // namespace shingle
