#include "devices/measure/tile_fit.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "devices/measure/least_squares.hpp"
#include "partition/base/dice.hpp"

namespace shingle {
namespace {

// Of the pull towards a common factor, relative to the probe's tiles.
constexpr double pull = 1e-3;

// By term of DarknetWork.
constexpr std::array<size_t, darknet_terms> group_of = {0, 1, 1, 2, 1, 2, 3};
constexpr size_t copies_group = 3;

using Parts = std::array<double, retarget_groups>;

// The measured time here, split in proportion to what the fitted costs say.
Parts parts_of(const DarknetCost& cost, const TileSample& sample) {
  const auto each = values_of(cost);
  Parts parts{};
  for (size_t term = 0; term < darknet_terms; ++term)
    parts[group_of[term]] += each[term] * sample.work[term];
  const double total = std::accumulate(parts.begin(), parts.end(), 0.0);
  for (double& part : parts) part *= total > 0.0 ? sample.tile.mean_ns / total : 0.0;
  return parts;
}

struct Known {
  Parts here;
  double there_ns = 0.0;
};

// The factor of all groups but those that are given.
double common_factor(const std::vector<Known>& probe, const std::optional<double>& copies) {
  double products = 0.0, squares = 0.0;
  for (const Known& tile : probe) {
    double rest = 1.0, free = 0.0;
    for (size_t group = 0; group < retarget_groups; ++group) {
      const double share = tile.here[group] / tile.there_ns;
      if (group == copies_group && copies)
        rest -= share * *copies;
      else
        free += share;
    }
    products += rest * free;
    squares += free * free;
  }
  return squares > 0.0 ? std::max(0.0, products / squares) : 1.0;
}

Parts factors_of(const std::vector<Known>& probe, const std::optional<double>& copies) {
  const double common = common_factor(probe, copies);
  const double weight = std::sqrt(pull * static_cast<double>(probe.size()));
  LeastSquares<retarget_groups> equations;
  for (const Known& tile : probe) {
    Parts row{};
    double rest = 1.0;
    for (size_t group = 0; group < retarget_groups; ++group) {
      const double share = tile.here[group] / tile.there_ns;
      if (group == copies_group && copies)
        rest -= share * *copies;
      else
        row[group] = share;
    }
    equations.add(row, rest);
  }
  for (size_t group = 0; group < retarget_groups; ++group) {
    Parts row{};
    row[group] = weight;
    equations.add(row, weight * (group == copies_group && copies ? *copies : common));
  }
  Parts factors = equations.solve_not_negative();
  if (copies) factors[copies_group] = *copies;
  return factors;
}

double carried_ns(const Parts& factors, const Parts& here) {
  return std::inner_product(here.begin(), here.end(), factors.begin(), 0.0);
}

using Key = std::tuple<int32_t, int32_t, int32_t, uint32_t, bool>;

Key key_of(const std::vector<TileTable>& tables, const TileSample& sample) {
  const TileTable& table = tables[sample.table];
  return {table.rows, table.columns, table.layers, sample.tile.tile, sample.tile.reuses};
}

}  // namespace

Result<std::vector<TileSample>> tile_samples(const std::vector<TileTable>& tables) {
  const Model model = yolov2_block();
  std::vector<TileSample> samples;
  for (size_t i = 0; i < tables.size(); ++i) {
    const FtpScheme scheme = tables[i].scheme();
    const auto layers = ftp_layers(model, scheme);
    if (!layers)
      return bad_input(tables[i].name +
                       " does not fit YOLOv2's first 16 layers: " + layers.error());
    const std::vector<FtpTile> tiles = ftp_tiles(model, *layers, scheme);
    for (const MeasuredTile& tile : tables[i].tiles) {
      const FtpTile& geometry = tiles[tile.tile];
      samples.push_back(
          {.table = i,
           .tile = tile,
           .work = darknet_work(model, *layers, tile.reuses ? geometry.reusing : geometry.alone)});
    }
  }
  return samples;
}

DarknetCost fit_darknet(const std::vector<TileSample>& samples) {
  assert(!samples.empty());
  LeastSquares<darknet_terms> equations;
  for (const TileSample& sample : samples) {
    DarknetWork row = sample.work;
    for (double& count : row) count /= sample.tile.mean_ns;
    equations.add(row, 1.0);
  }
  return darknet_cost(equations.solve_not_negative());
}

TileErrors errors_of(const DarknetCost& cost, const std::vector<TileSample>& samples) {
  TileErrors errors{.count = samples.size()};
  for (size_t i = 0; i < samples.size(); ++i) {
    const double predicted = in_nanoseconds(darknet_time(cost, samples[i].work));
    const double error = std::abs(predicted / samples[i].tile.mean_ns - 1.0);
    errors.mean += error / static_cast<double>(samples.size());
    if (error <= errors.worst) continue;
    errors.worst = error;
    errors.worst_sample = i;
  }
  return errors;
}

Retargeting retarget(const std::vector<TileSample>& samples, const std::vector<ProbeTile>& probe,
                     const RetargetOptions& options) {
  assert(probe.size() >= 2);
  Retargeting result{.here = fit_darknet(samples)};
  std::vector<Known> known;
  for (const ProbeTile& tile : probe)
    known.push_back({parts_of(result.here, tile.here), tile.there_ns});
  result.factors = factors_of(known, options.copies);
  for (size_t i = 0; i < known.size(); ++i) {
    std::vector<Known> others = known;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const double predicted = carried_ns(factors_of(others, options.copies), known[i].here);
    const double error = std::abs(predicted / known[i].there_ns - 1.0);
    result.expected_mean += error / static_cast<double>(known.size());
    result.expected_worst = std::max(result.expected_worst, error);
  }
  return result;
}

double retargeted_ns(const Retargeting& retargeting, const TileSample& here) {
  return carried_ns(retargeting.factors, parts_of(retargeting.here, here));
}

std::vector<ProbeTile> matched(const std::vector<TileTable>& tables_here,
                               const std::vector<TileSample>& here,
                               const std::vector<TileTable>& tables_there,
                               const std::vector<TileSample>& there) {
  std::map<Key, const TileSample*> known;
  for (const TileSample& sample : here) known[key_of(tables_here, sample)] = &sample;
  std::vector<ProbeTile> tiles;
  for (const TileSample& sample : there)
    if (const auto found = known.find(key_of(tables_there, sample)); found != known.end())
      tiles.push_back({.here = *found->second, .there_ns = sample.tile.mean_ns});
  return tiles;
}

std::vector<size_t> draw_probe(const std::vector<ProbeTile>& tiles, Duration time, uint64_t seed) {
  std::vector<size_t> left(tiles.size()), drawn;
  std::iota(left.begin(), left.end(), size_t{0});
  Dice dice(seed);
  double passed = 0.0;
  while (passed < in_nanoseconds(time) && !left.empty()) {
    const size_t at = dice.below(left.size());
    drawn.push_back(left[at]);
    passed += tiles[left[at]].there_ns;
    left[at] = left.back();
    left.pop_back();
  }
  return drawn;
}

}  // namespace shingle
