#include "sim/sweep/sweep_table.hpp"

#include <algorithm>
#include <cmath>

namespace shingle::sim {

namespace {

std::vector<Interval> intervals_of(const DesignResult& result, size_t figures) {
  std::vector<Interval> intervals;
  for (size_t i = 0; i < figures; ++i) {
    std::vector<double> values;
    for (const std::vector<double>& seed : result.figures) values.push_back(seed[i]);
    intervals.push_back(interval_of(values));
  }
  return intervals;
}

// A cheap test before that of the differences: intervals that do not touch are no tie.
bool touch(const std::vector<Interval>& a, const std::vector<Interval>& b, size_t objectives) {
  for (size_t i = 0; i < objectives; ++i)
    if (std::abs(a[i].mean - b[i].mean) > a[i].half_width + b[i].half_width) return false;
  return true;
}

void find_ties(const SweepTable& table, SweepAnalysis& out) {
  for (const size_t member : out.front) {
    out.ties.emplace_back();
    for (size_t other = 0; other < out.feasible.size(); ++other)
      if (other != member && touch(out.figures[member], out.figures[other], table.objectives) &&
          are_tied(table.results[out.feasible[member]].figures,
                   table.results[out.feasible[other]].figures, table.objectives))
        out.ties.back().push_back(other);
  }
}

bool is_of_numbers(AxisKind kind) {
  switch (kind) {
    case AxisKind::count:
    case AxisKind::cores:
    case AxisKind::link:
    case AxisKind::memory:
    case AxisKind::ftp_grid:
    case AxisKind::ftp_layers:
    case AxisKind::rate:
    case AxisKind::open_frames:
      return true;
    case AxisKind::board:
    case AxisKind::network:
    case AxisKind::radio:
    case AxisKind::plan:
    case AxisKind::goal:
      break;
  }
  return false;
}

}  // namespace

DesignSpace space_of(const SweepFile& file) {
  DesignSpace space;
  auto fixed = static_cast<uint32_t>(file.experiment.cluster.nodes.size());
  for (const SweepAxis& axis : file.axes) {
    DesignAxis made{.values = static_cast<uint32_t>(axis.values.size()),
                    .ordered = is_of_numbers(axis.kind)};
    if (axis.kind == AxisKind::count) {
      --fixed;
      for (const SweepValue& value : axis.values)
        made.adds.push_back(static_cast<uint32_t>(value.number));
    }
    space.axes.push_back(std::move(made));
  }
  if (file.most_nodes) space.most = *file.most_nodes - std::min(*file.most_nodes, fixed);
  return space;
}

Costs mean_costs(std::span<const Objective> objectives, const DesignResult& result) {
  Costs costs(objectives.size(), 0.0);
  for (const std::vector<double>& seed : result.figures)
    for (size_t i = 0; i < costs.size(); ++i) costs[i] += seed[i];
  for (size_t i = 0; i < costs.size(); ++i)
    costs[i] /=
        static_cast<double>(result.figures.size()) * (is_larger_better(objectives[i]) ? -1.0 : 1.0);
  return costs;
}

SweepAnalysis analyse(const SweepTable& table) {
  SweepAnalysis out;
  const auto objectives = std::span(table.figures).first(table.objectives);
  std::vector<Costs> costs;
  std::vector<Design> designs;
  for (size_t i = 0; i < table.results.size(); ++i) {
    const DesignResult& result = table.results[i];
    if (result.figures.empty()) continue;
    out.feasible.push_back(i);
    out.figures.push_back(intervals_of(result, table.figures.size()));
    costs.push_back(mean_costs(objectives, result));
    designs.push_back(result.design);
  }
  if (out.feasible.empty()) return out;
  out.range = range_of(costs);
  const std::vector<Costs> relative = scaled(costs, out.range);
  out.front = front_of(relative);
  std::ranges::stable_sort(out.front, [&](size_t a, size_t b) { return costs[a] < costs[b]; });
  out.hypervolume = hypervolume(relative, Costs(table.objectives, 1.0));
  find_ties(table, out);
  DesignSpace space;
  for (const SweepTable::Axis& axis : table.axes)
    space.axes.push_back({.values = static_cast<uint32_t>(axis.values.size())});
  for (size_t i = 0; i < table.figures.size(); ++i) {
    std::vector<double> figures;
    for (const auto& each : out.figures) figures.push_back(each[i].mean);
    out.effects.push_back(main_effects(space, designs, figures));
  }
  return out;
}

}  // namespace shingle::sim
