#include "sim/sweep/sensitivity.hpp"

#include <cassert>
#include <limits>

namespace shingle::sim {

std::vector<AxisEffect> main_effects(const DesignSpace& space, const std::vector<Design>& designs,
                                     const std::vector<double>& figures) {
  assert(designs.size() == figures.size());
  const auto count = static_cast<double>(designs.size());
  double mean = 0.0, variance = 0.0;
  for (const double figure : figures) mean += figure / count;
  for (const double figure : figures) variance += (figure - mean) * (figure - mean) / count;
  std::vector<AxisEffect> effects(space.axes.size());
  for (size_t axis = 0; axis < effects.size(); ++axis) {
    AxisEffect& effect = effects[axis];
    effect.counts.assign(space.axes[axis].values, 0);
    std::vector<double> sums(space.axes[axis].values, 0.0);
    for (size_t i = 0; i < designs.size(); ++i) {
      ++effect.counts[designs[i][axis]];
      sums[designs[i][axis]] += figures[i];
    }
    double between = 0.0;
    for (size_t value = 0; value < sums.size(); ++value) {
      const double here = effect.counts[value];
      effect.means.push_back(here > 0 ? sums[value] / here
                                      : std::numeric_limits<double>::quiet_NaN());
      if (here > 0)
        between += here / count * (effect.means[value] - mean) * (effect.means[value] - mean);
    }
    if (variance > 0.0) effect.share = between / variance;
  }
  return effects;
}

}  // namespace shingle::sim
