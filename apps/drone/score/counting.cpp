#include "apps/drone/score/counting.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>

namespace shingle::drone {
namespace {

using Rows = std::vector<const MotRow*>;

// What a benchmark does with a class.
enum class Role : uint8_t { counted, distractor, region, left_out };

Role role_of(const MotRow& row, Benchmark benchmark) {
  const auto is_one_of = [&](std::initializer_list<int> classes) {
    return std::find(classes.begin(), classes.end(), row.class_id) != classes.end();
  };
  switch (benchmark) {
    case Benchmark::none:
      return row.score != 0.0 ? Role::counted : Role::left_out;
    case Benchmark::mot17:
      if (is_one_of({2, 7, 8, 12})) return Role::distractor;
      return row.class_id == 1 && row.score != 0.0 ? Role::counted : Role::left_out;
    case Benchmark::visdrone:
      if (is_one_of({0, 11})) return Role::region;
      return is_one_of({1, 4, 5, 6, 9}) && row.score != 0.0 ? Role::counted : Role::distractor;
  }
  return Role::counted;
}

Result<std::vector<Rows>> by_frame(const NamedRows& file, uint32_t frames) {
  std::vector<Rows> sorted(frames);
  std::set<std::pair<uint32_t, int64_t>> seen;
  for (const MotRow& row : file.rows) {
    const std::string place = "'" + file.name + "' line " + std::to_string(row.line);
    if (row.frame > frames)
      return bad_input(place + " has the frame " + std::to_string(row.frame) + " of a video of " +
                       std::to_string(frames) + " frames");
    if (!seen.insert({row.frame, row.id}).second)
      return bad_input(place + " has the id " + std::to_string(row.id) +
                       " a second time in frame " + std::to_string(row.frame));
    sorted[row.frame - 1].push_back(&row);
  }
  return sorted;
}

// The share of a box that regions cover together. Regions may overlap: the box is cut along all
// their sides, and a cell is covered as a whole or not at all.
double covered_share(const PixelBox& box, const Rows& regions) {
  std::vector<double> xs{box.x, box.right()}, ys{box.y, box.bottom()};
  Rows near;
  for (const MotRow* region : regions) {
    if (common_area(box, region->box) <= 0.0) continue;
    near.push_back(region);
    for (const double x : {region->box.x, region->box.right()})
      xs.push_back(std::clamp(x, box.x, box.right()));
    for (const double y : {region->box.y, region->box.bottom()})
      ys.push_back(std::clamp(y, box.y, box.bottom()));
  }
  std::sort(xs.begin(), xs.end());
  std::sort(ys.begin(), ys.end());
  double covered = 0.0;
  for (size_t i = 0; i + 1 < xs.size(); ++i)
    for (size_t j = 0; j + 1 < ys.size(); ++j) {
      const PixelBox cell{xs[i], ys[j], xs[i + 1] - xs[i], ys[j + 1] - ys[j]};
      const auto holds = [&](const MotRow* region) {
        return common_area(cell, region->box) >= 0.5 * cell.area();
      };
      if (cell.area() > 0.0 && std::any_of(near.begin(), near.end(), holds)) covered += cell.area();
    }
  return covered / box.area();
}

void drop_covered(Rows& rows, const Rows& regions) {
  if (regions.empty()) return;
  std::erase_if(rows, [&](const MotRow* row) { return covered_share(row->box, regions) >= 0.5; });
}

Matrix overlaps_between(const Rows& truth, const Rows& found) {
  Matrix overlaps(truth.size(), found.size());
  for (size_t row = 0; row < truth.size(); ++row)
    for (size_t column = 0; column < found.size(); ++column)
      overlaps.at(row, column) = overlap(truth[row]->box, found[column]->box);
  return overlaps;
}

// The true box of each found one, or null.
Rows partners_of(const Rows& found, const Rows& truth) {
  Matrix costs = overlaps_between(truth, found);
  for (size_t row = 0; row < truth.size(); ++row)
    for (size_t column = 0; column < found.size(); ++column) {
      double& cost = costs.at(row, column);
      cost = cost < match_overlap - rounding ? 0.0 : -cost;
    }
  Rows partners(found.size(), nullptr);
  for (const Pair& pair : cheapest_pairs(costs, 0.0)) partners[pair.column] = truth[pair.row];
  return partners;
}

struct FrameRows {
  Rows truth, found;
};

FrameRows counted_rows(FrameRows all, const Rows& ignored, Benchmark benchmark) {
  Rows regions;
  for (const MotRow* row : all.truth)
    if (role_of(*row, benchmark) == Role::region) regions.push_back(row);
  std::erase_if(all.truth,
                [&](const MotRow* row) { return role_of(*row, benchmark) == Role::region; });
  drop_covered(all.truth, regions);
  drop_covered(all.found, regions);

  const Rows partners = partners_of(all.found, all.truth);
  FrameRows counted;
  for (size_t index = 0; index < all.found.size(); ++index) {
    const MotRow* partner = partners[index];
    const bool is_on_distractor =
        partner != nullptr && role_of(*partner, benchmark) == Role::distractor;
    // A true box that does not count is no match: its region decides.
    const bool is_counted = partner != nullptr && role_of(*partner, benchmark) == Role::counted;
    const bool is_ignored =
        !is_counted && !ignored.empty() && covered_share(all.found[index]->box, ignored) >= 0.5;
    if (!is_on_distractor && !is_ignored) counted.found.push_back(all.found[index]);
  }
  for (const MotRow* row : all.truth)
    if (role_of(*row, benchmark) == Role::counted) counted.truth.push_back(row);
  return counted;
}

// Numbers without gaps, in the order of the ids.
std::map<int64_t, size_t> numbers_of(const std::vector<FrameRows>& frames, Rows FrameRows::*side) {
  std::map<int64_t, size_t> numbers;
  for (const FrameRows& frame : frames)
    for (const MotRow* row : frame.*side) numbers[row->id] = 0;
  size_t next = 0;
  for (auto& [id, number] : numbers) number = next++;
  return numbers;
}

Sequence numbered(const std::vector<FrameRows>& frames) {
  const auto true_numbers = numbers_of(frames, &FrameRows::truth);
  const auto found_numbers = numbers_of(frames, &FrameRows::found);
  Sequence sequence{.true_ids = true_numbers.size(), .found_ids = found_numbers.size()};
  for (const FrameRows& frame : frames) {
    ScoredFrame scored{.overlaps = overlaps_between(frame.truth, frame.found)};
    for (const MotRow* row : frame.truth) scored.truth.push_back(true_numbers.at(row->id));
    for (const MotRow* row : frame.found) scored.found.push_back(found_numbers.at(row->id));
    sequence.true_boxes += frame.truth.size();
    sequence.found_boxes += frame.found.size();
    sequence.frames.push_back(std::move(scored));
  }
  return sequence;
}

}  // namespace

Result<Sequence> sequence_of(const NamedRows& truth, const NamedRows& result,
                             const CountingRules& rules) {
  // Several regions share an id, so only what is not one must be unique.
  std::vector<MotRow> true_rows, regions;
  for (const MotRow& row : truth.rows)
    (role_of(row, rules.benchmark) == Role::region ? regions : true_rows).push_back(row);
  auto true_frames = by_frame({truth.name, true_rows}, rules.frames);
  if (!true_frames) return true_frames.failure();
  const auto found_frames = by_frame(result, rules.frames);
  if (!found_frames) return found_frames.failure();
  for (const MotRow& region : regions)
    if (region.frame <= rules.frames) (*true_frames)[region.frame - 1].push_back(&region);

  std::vector<FrameRows> frames;
  for (uint32_t frame = 1; frame <= rules.frames; ++frame) {
    Rows ignored;
    for (const MotRow& row : rules.ignored)
      if (row.frame == frame || row.frame == 0) ignored.push_back(&row);
    frames.push_back(counted_rows({(*true_frames)[frame - 1], (*found_frames)[frame - 1]}, ignored,
                                  rules.benchmark));
  }
  return numbered(frames);
}

}  // namespace shingle::drone
