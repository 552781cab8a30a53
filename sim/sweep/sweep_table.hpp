// SweepTable: the results of a sweep as one value, and what follows from them.
#pragma once

#include <span>
#include <string>

#include "devices/files/sweep_file.hpp"
#include "sim/experiment/statistics.hpp"
#include "sim/sweep/front.hpp"
#include "sim/sweep/sensitivity.hpp"

namespace shingle::sim {

struct DesignResult {
  Design design;
  std::vector<std::vector<double>> figures{};  // by seed, as in the table
  std::string failure{};                       // one sentence; then there are no figures
  std::string extrapolated{};                  // what no measured table has; empty: nothing
  friend bool operator==(const DesignResult&, const DesignResult&) = default;
};

struct SweepTable {
  struct Axis {
    std::string name{};
    std::vector<std::string> values{};
    friend bool operator==(const Axis&, const Axis&) = default;
  };
  std::string title{};
  SweepMethod method = SweepMethod::grid;
  std::vector<Axis> axes{};
  std::vector<Objective> figures{};  // the objectives first
  size_t objectives = 0;             // how many of the figures are objectives
  uint32_t seeds = 1;
  size_t wanted = 0;                    // designs that the method asks for
  std::vector<DesignResult> results{};  // ascending designs
};

// The space whose axes the file has. Ordered: axes of numbers.
DesignSpace space_of(const SweepFile& file);

struct SweepAnalysis {
  std::vector<size_t> feasible{};                // in results
  std::vector<std::vector<Interval>> figures{};  // by feasible design, as in the table
  std::vector<size_t> front{};                   // in `feasible`, by the first objective
  // By design of the front: others that chance alone tells apart from it, in `feasible`.
  std::vector<std::vector<size_t>> ties{};
  double hypervolume = 0.0;  // of 1: between the best and the worst of each objective
  CostRange range{};         // of costs
  std::vector<std::vector<AxisEffect>> effects{};  // by figure, by axis
};
SweepAnalysis analyse(const SweepTable& table);

// What is minimised, of the means over seeds: figures of which more is better become negative.
// `objectives`: of the result's first figures. REQUIRES: it has figures.
Costs mean_costs(std::span<const Objective> objectives, const DesignResult& result);

}  // namespace shingle::sim
