#include "apps/drone/count/track_events.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

namespace shingle::drone {
namespace {

PlanePoint middle_of(const PixelBox& box) { return {box.x + box.w / 2.0, box.y + box.h / 2.0}; }

// In the key frame, where both places are known there: a camera that moves moves no vehicle.
double moved_pixels(const Sighting& from, const Sighting& to) {
  if (from.key && to.key) return length_of(*to.key - *from.key);
  return length_of(middle_of(to.box) - middle_of(from.box));
}

}  // namespace

std::vector<TrackEvent> TrackEvents::see(double seconds, std::span<const Sighting> sightings) {
  std::vector<TrackEvent> events = ended(seconds - limits_.track_end_seconds);
  for (const Sighting& each : sightings) {
    assert(each.seconds == seconds);
    const auto [found, is_new] = tracks_.try_emplace(each.track);
    Followed& track = found->second;
    track.now.seen = each;
    if (is_new) track.now.begin_seconds = seconds;
    follow_zones(track);
    if (is_new) track.told = track.now;
    if (!is_new && !is_worth_telling(track)) continue;
    events.push_back({is_new ? TrackChange::begun : TrackChange::changed, track.told, track.now});
    track.told = track.now;
    track.told_seconds = seconds;
  }
  return events;
}

std::vector<TrackEvent> TrackEvents::finish() {
  return ended(std::numeric_limits<double>::infinity());
}

std::vector<TrackEvent> TrackEvents::ended(double unseen_since) {
  std::vector<TrackEvent> events;
  for (auto each = tracks_.begin(); each != tracks_.end();) {
    Followed& track = each->second;
    const double last_seconds = track.now.seen.seconds;
    if (last_seconds >= unseen_since) {
      ++each;
      continue;
    }
    track.now.end_seconds = last_seconds;
    events.push_back({TrackChange::ended, std::move(track.told), std::move(track.now)});
    each = tracks_.erase(each);
  }
  return events;
}

// A sighting without a place in the site's plane changes nothing.
void TrackEvents::follow_zones(Followed& track) const {
  if (!site_) return;
  const auto at = site_->plane.place_of(track.now.seen);
  if (!at) return;
  const std::vector<Zone>& zones = site_->site.zones;
  track.zones.resize(zones.size());
  for (size_t index = 0; index < zones.size(); ++index) {
    ZoneHold& hold = track.zones[index];
    const bool is_inside = contains(zones[index].corners, *at);
    hold.against = is_inside == hold.is_inside ? 0 : hold.against + 1;
    if (hold.against < site_->site.limits.hold_frames) continue;
    hold = {.is_inside = is_inside};
    auto& entered = track.now.entered_zones;
    if (is_inside && std::ranges::find(entered, zones[index].name) == entered.end())
      entered.push_back(zones[index].name);
  }
  track.now.zones.clear();
  for (size_t index = 0; index < zones.size(); ++index)
    if (track.zones[index].is_inside) track.now.zones.push_back(zones[index].name);
}

bool TrackEvents::is_worth_telling(const Followed& track) const {
  const TrackState &told = track.told, &now = track.now;
  if (now.zones != told.zones || now.seen.class_id != told.seen.class_id) return true;
  const double longer_side = std::max(now.seen.box.w, now.seen.box.h);
  return now.seen.seconds - track.told_seconds >= limits_.pause_seconds &&
         moved_pixels(told.seen, now.seen) >= limits_.least_move * longer_side;
}

}  // namespace shingle::drone
