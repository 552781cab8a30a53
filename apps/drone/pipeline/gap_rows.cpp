#include "apps/drone/pipeline/gap_rows.hpp"

#include <algorithm>
#include <cassert>

#include "apps/drone/results/key_place.hpp"

namespace shingle::drone {
namespace {

Sighting* row_of(FrameRows& rows, int64_t track) {
  const auto row = std::ranges::find(rows.sightings, track, &Sighting::track);
  return row == rows.sightings.end() ? nullptr : &*row;
}

double between(double from, double to, double share) { return from + (to - from) * share; }

PixelBox between(const PixelBox& from, const PixelBox& to, double share) {
  return {between(from.x, to.x, share), between(from.y, to.y, share), between(from.w, to.w, share),
          between(from.h, to.h, share)};
}

// Moves the box so that its middle is at this place of the key frame. Does nothing if the picture
// cannot show that place.
void centre_on(const PlanePoint& key, const Homography& to_key, PixelBox& box) {
  if (determinant_of(to_key) == 0.0) return;
  const auto middle = middle_in_key_frame({key.x, key.y, 0.0, 0.0}, inverse_of(to_key));
  if (!middle) return;
  box.x = middle->x - box.w / 2.0;
  box.y = middle->y - box.h / 2.0;
}

void place_between(const Sighting& from, const Sighting& to, const FrameRows& rows, Sighting& row) {
  const double share = (row.seconds - from.seconds) / (to.seconds - from.seconds);
  row.box = between(from.box, to.box, share);
  row.key.reset();
  row.ground = {};
  if (!from.key || !to.key) return;
  row.key =
      PlanePoint{between(from.key->x, to.key->x, share), between(from.key->y, to.key->y, share)};
  if (rows.to_key) centre_on(*row.key, *rows.to_key, row.box);
}

// The last frame in which the track was seen. The end: that was too long ago, or the track was lost
// since then.
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
    place_between(from, seen, *rows, *row);
  }
}

}  // namespace

void fill_gaps(std::deque<FrameRows>& earlier, const FrameRows& now) {
  assert(earlier.empty() || earlier.back().seconds < now.seconds);
  for (const Sighting& seen : now.sightings)
    if (!seen.is_predicted()) fill_gap(earlier, seen);
}

}  // namespace shingle::drone
