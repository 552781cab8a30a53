#include "devices/measure/profile_fit.hpp"

#include <algorithm>
#include <cmath>

#include "devices/measure/least_squares.hpp"

namespace shingle {
namespace {

using Equation = LeastSquares<4>;

Equation::Row row_of(const WorkDone& work, double scale) {
  return {work.macs * scale, work.elements * scale, work.weights * scale, work.calls * scale};
}

double predicted(const WorkCost& cost, const WorkDone& work) {
  return cost.ns_per_mac * work.macs + cost.ns_per_element * work.elements +
         cost.ns_per_weight * work.weights + cost.ns_per_call * work.calls;
}

}  // namespace

// Minimises the sum of (predicted / measured - 1)^2.
FittedCost fit(const std::vector<Sample>& samples) {
  Equation equations;
  for (const Sample& each : samples) equations.add(row_of(each.work, 1.0 / each.nanoseconds), 1.0);
  const Equation::Row found = equations.solve_not_negative();
  FittedCost fitted{.cost = {.ns_per_mac = found[0],
                             .ns_per_element = found[1],
                             .ns_per_weight = found[2],
                             .ns_per_call = found[3],
                             .granule = {}}};
  for (const Sample& each : samples)
    fitted.worst_error = std::max(
        fitted.worst_error, std::abs(predicted(fitted.cost, each.work) / each.nanoseconds - 1.0));
  return fitted;
}

}  // namespace shingle
