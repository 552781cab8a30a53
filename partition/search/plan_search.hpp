// The planner's search as a whole: which nodes take part and in which order layers come, first
// drafts for each, the most promising improved.
#pragma once

#include "partition/search/improve.hpp"

namespace shingle {

inline constexpr int64_t half_a_second = 2'000'000;  // an allowance, on a PC

// How a plan was drawn: enough to go on searching from it.
struct Outline {
  Precedence precedence = Precedence::file;
  Draft draft;
};

struct Found {
  Plan plan;        // predictions filled in
  Outline outline;  // empty for a plan that was made otherwise
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

// The same for a cluster that differs from the one that `from` was found for by its nodes' speeds
// alone: node i is now `speed_ups[i]` times as fast. Starts there, with shares that follow the
// speeds, so that a part of the usual allowance does.
Result<Found> find_plan_near(const Model& model, const Cluster& cluster, const Goal& goal,
                             const Outline& from, const std::vector<double>& speed_ups,
                             int64_t allowance);

}  // namespace shingle
