// Work of several seeds on all cores, and what shingle-ns3 says over them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "bench/measure.hpp"
#include "sim/experiment/packets.hpp"
#include "sim/experiment/statistics.hpp"
#include "sim/random.hpp"

namespace shingle::bench {

// work(0) to work(count - 1), several at a time. A simulator's process ends with its thread.
template <class Work>
void on_all_cores(size_t count, const Work& work) {
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
    workers.emplace_back([&] {
      for (size_t index = next++; index < count; index = next++) work(index);
    });
}

// Of the seeds: figures[seed][i].
using Figures = std::vector<std::vector<double>>;

inline std::vector<sim::Interval> over_seeds(const Figures& figures) {
  std::vector<sim::Interval> result;
  for (size_t i = 0; i < figures.front().size(); ++i) {
    std::vector<double> values;
    for (const auto& each : figures) values.push_back(each[i]);
    result.push_back(sim::interval_of(values));
  }
  return result;
}

// More seeds where the 95 % interval of a figure is wider than 4 % of its mean.
inline bool is_settled(const std::vector<sim::Interval>& values) {
  constexpr double widest = 0.04;
  return std::all_of(values.begin(), values.end(), [](const sim::Interval& value) {
    return value.half_width <= widest * value.mean;
  });
}

// figures_of(seed) of 5 seeds, and of up to 20 until they are settled; of 2 where these give the
// same, because nothing is drawn.
template <class Measure>
std::vector<sim::Interval> settled(const Measure& figures_of) {
  Figures figures{figures_of(uint64_t{1}), figures_of(uint64_t{2})};
  if (figures[0] == figures[1]) return over_seeds(figures);
  for (const size_t seeds : {5, 10, 20}) {
    while (figures.size() < seeds) figures.push_back(figures_of(figures.size() + 1));
    if (is_settled(over_seeds(figures))) break;
  }
  return over_seeds(figures);
}

struct Draw {
  sim::Random random;
  double between(double low, double high) { return low + (high - low) * random.uniform(); }
  double log_between(double low, double high) {
    return low * std::exp(random.uniform() * std::log(high / low));
  }
};

inline double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

}  // namespace shingle::bench
