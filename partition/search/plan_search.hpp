// The whole search of the planner: chooses nodes and layer orders, makes first drafts for each, and
// improves the most promising ones.
#pragma once

#include "partition/search/improve.hpp"

namespace shingle {

inline constexpr int64_t half_a_second = 2'000'000;  // an allowance that takes this time on a PC

// How a plan was drawn; enough to continue the search from it.
struct Outline {
  Precedence precedence = Precedence::file;
  Draft draft;
};

struct Found {
  Plan plan;        // predictions filled in
  Outline outline;  // empty for a plan that was not found by a search
  Timeline line;    // of one frame alone
  Timeline stream;  // with the goal's open frames
  double score = 0.0;
  int32_t trials = 0;  // number of plans simulated
};

// The best plan for the goal that a bounded search finds. Deterministic: the same input gives the
// same plan on every machine. A missed deadline is not an error. If no plan fits a memory cap, the
// error names the smallest cap for which a plan was found. `allowance`: about the number of
// tiles and strips in the simulations of the improvements; up to 1.5 times as many, besides those
// of the first drafts.
Result<Found> find_plan(const Model& model, const Cluster& cluster, const Goal& goal,
                        int64_t allowance = half_a_second);

// The same for a cluster that differs only in the nodes' speeds from the one that `from` was found
// for: node i is now `speed_ups[i]` times as fast. It starts from `from` with shares adapted to the
// speeds, so a part of the usual allowance is enough.
Result<Found> find_plan_near(const Model& model, const Cluster& cluster, const Goal& goal,
                             const Outline& from, const std::vector<double>& speed_ups,
                             int64_t allowance);

}  // namespace shingle
