#include "apps/drone/pipeline/gap_rows.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace shingle::drone {
namespace {

constexpr double shortest_step_seconds = 1e-3;  // a thousand frames a second

Sighting* row_of(FrameRows& rows, int64_t track) {
  const auto row = std::ranges::find(rows.sightings, track, &Sighting::track);
  return row == rows.sightings.end() ? nullptr : &*row;
}

double between(double from, double to, double share) { return from + (to - from) * share; }

PixelBox between(const PixelBox& from, const PixelBox& to, double share) {
  return {between(from.x, to.x, share), between(from.y, to.y, share), between(from.w, to.w, share),
          between(from.h, to.h, share)};
}

void place_between(const Sighting& from, const Sighting& to, Sighting& row) {
  const double share = (row.seconds - from.seconds) / (to.seconds - from.seconds);
  row.box = between(from.box, to.box, share);
  if (from.key && to.key)
    row.key =
        PlanePoint{between(from.key->x, to.key->x, share), between(from.key->y, to.key->y, share)};
}

// The frame in which the track was seen before; the end: too long ago, or it was lost meanwhile.
std::deque<FrameRows>::iterator seen_before(std::deque<FrameRows>& earlier, int64_t track) {
  for (auto rows = earlier.end(); rows != earlier.begin();) {
    const Sighting* row = row_of(*--rows, track);
    if (row == nullptr && !rows->is_left_out) break;
    if (row != nullptr && !row->is_predicted()) return rows;
  }
  return earlier.end();
}

void fill_gap(std::deque<FrameRows>& earlier, const Sighting& seen) {
  auto rows = seen_before(earlier, seen.track);
  if (rows == earlier.end()) return;
  const Sighting from = *row_of(*rows, seen.track);
  for (++rows; rows != earlier.end(); ++rows) {
    Sighting* row = row_of(*rows, seen.track);
    if (row == nullptr)
      row = &rows->sightings.emplace_back(Sighting{.frame = rows->frame,
                                                   .seconds = rows->seconds,
                                                   .track = seen.track,
                                                   .class_id = seen.class_id});
    place_between(from, seen, *row);
  }
}

}  // namespace

std::vector<FrameRows> left_out_between(const FrameRows& before, const FrameRows& after,
                                        double maximum_seconds) {
  std::vector<FrameRows> frames;
  const double gap = after.seconds - before.seconds;
  if (after.frame <= before.frame + 1 || gap > maximum_seconds) return frames;
  const uint32_t steps = after.frame - before.frame;
  if (gap < steps * shortest_step_seconds) return frames;
  for (uint32_t i = 1; i < steps; ++i)
    frames.push_back({.frame = before.frame + i,
                      .seconds = before.seconds + gap * i / steps,
                      .is_left_out = true});
  return frames;
}

void fill_gaps(std::deque<FrameRows>& earlier, const FrameRows& now) {
  assert(earlier.empty() || earlier.back().seconds < now.seconds);
  for (const Sighting& seen : now.sightings)
    if (!seen.is_predicted()) fill_gap(earlier, seen);
}

}  // namespace shingle::drone
