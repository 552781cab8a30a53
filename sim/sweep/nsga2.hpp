// Nsga2: a genetic search for the front of a design space (Deb, Pratap, Agarwal, Meyarivan: A fast
// and elitist multiobjective genetic algorithm: NSGA-II, 2002). It evaluates nothing itself:
//
//   Nsga2 search(space, options);
//   for (auto designs = search.ask(); !designs.empty(); designs = search.ask())
//     search.tell(costs_of(designs));
//
// No design is asked for twice, so each evaluation counts. The same seed and the same costs give
// the same designs on every machine.
#pragma once

#include <set>

#include "sim/sweep/design_space.hpp"
#include "sim/sweep/front.hpp"

namespace shingle::sim {

struct Nsga2Options {
  uint32_t population = 48;
  uint32_t evaluations = 1000;  // in total
  uint64_t seed = 1;
};

class Nsga2 {
 public:
  Nsga2(const DesignSpace& space, const Nsga2Options& options);

  // The designs to evaluate next. Empty: as many as allowed were, or the space has no more.
  std::vector<Design> ask();
  // By design of the last ask(); empty: the design is not feasible, and is forgotten.
  void tell(const std::vector<Costs>& costs);

 private:
  struct Member {
    Design design;
    Costs costs;
    uint32_t rank = 0;
    double crowding = 0.0;
  };
  std::optional<Design> offspring();
  const Member& tournament();
  Design crossed(const Design& a, const Design& b);
  void mutate(Design& design);
  void select();

  const DesignSpace space_;
  const Nsga2Options options_;
  Dice dice_;
  std::set<Design> known_;
  std::vector<Design> asked_;
  std::vector<Member> members_;
};

}  // namespace shingle::sim
