#include "apps/drone/count/site_watch.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "apps/drone/boxes/picture_border.hpp"

namespace shingle::drone {
namespace {

SiteEventKind kind_of(IncidentKind kind) {
  switch (kind) {
    case IncidentKind::wrong_way:
      return SiteEventKind::wrong_way;
    case IncidentKind::stopped:
      return SiteEventKind::stopped;
    case IncidentKind::overspeed:
      break;
  }
  return SiteEventKind::overspeed;
}

}  // namespace

const char* event_name(SiteEventKind kind) {
  switch (kind) {
    case SiteEventKind::crossing:
      return "crossing";
    case SiteEventKind::wrong_way:
      return "wrong_way";
    case SiteEventKind::stopped:
      return "stopped";
    case SiteEventKind::overspeed:
      break;
  }
  return "overspeed";
}

SiteWatch::SiteWatch(DrawnSite site, const PictureSize& picture, double track_end_seconds)
    : site_(std::move(site)),
      picture_(picture),
      track_end_seconds_(track_end_seconds),
      rules_(incident_rules(site_.site)) {}

std::vector<SiteEvent> SiteWatch::see(uint32_t frame, double seconds,
                                      std::span<const Sighting> sightings) {
  frame_ = frame;
  end_tracks(seconds - track_end_seconds_);
  turns_.add(sightings);
  for (const Sighting& each : sightings) {
    assert(each.frame == frame && each.seconds == seconds);
    Watched& track = watched_[each.track];
    track.last_seconds = seconds;
    const auto at = site_.plane.place_of(each);
    if (!at) continue;
    track.window.push_back({each, *at, !touches_border(each.box, picture_.width, picture_.height)});
    pass_lines(track, track.window.back());
    judge(track, false);
    ++track.points;
  }
  forget_turns();
  return std::exchange(found_, {});
}

void SiteWatch::forget_turns() {
  uint32_t oldest = frame_;
  for (const auto& [id, track] : watched_)
    if (!track.window.empty()) oldest = std::min(oldest, track.window.front().sighting.frame);
  turns_.forget_before(oldest);
}

std::vector<SiteEvent> SiteWatch::finish() {
  end_tracks(std::numeric_limits<double>::infinity());
  return std::exchange(found_, {});
}

void SiteWatch::end_tracks(double unseen_since) {
  for (auto track = watched_.begin(); track != watched_.end();) {
    if (track->second.last_seconds >= unseen_since) {
      ++track;
      continue;
    }
    judge(track->second, true);
    track = watched_.erase(track);
  }
}

void SiteWatch::pass_lines(Watched& track, const Point& point) {
  const auto& lines = site_.site.lines;
  for (size_t line = 0; line < lines.size(); ++line) {
    if (track.sides.size() == line)
      track.sides.emplace_back(lines[line].segment, site_.site.limits);
    const auto passage = track.sides[line].see({track.points, point.sighting.seconds, point.at});
    if (!passage) continue;
    const Direction direction = passage->direction(site_.plane.y_points_down());
    found_.push_back({.kind = SiteEventKind::crossing,
                      .frame = frame_,
                      .seconds = passage->seconds,
                      .track = point.sighting.track,
                      .class_id = point.sighting.class_id,
                      .place = lines[line].name,
                      .direction = direction_name(lines[line], direction)});
  }
}

// A point is ripe when all that its slope needs has come.
void SiteWatch::judge(Watched& track, bool has_ended) {
  std::deque<Point>& window = track.window;
  for (; track.judged < window.size(); ++track.judged) {
    const Sighting& next = window[track.judged].sighting;
    if (!has_ended && window.back().sighting.seconds - next.seconds <= slope_seconds) break;
    judge_point(track, with_motion(track, track.judged), next.class_id, next.track);
  }
  if (track.judged == window.size()) return;
  const double needed_since = window[track.judged].sighting.seconds - slope_seconds;
  while (track.judged > 0 && window.front().sighting.seconds < needed_since) {
    window.pop_front();
    --track.judged;
  }
}

void SiteWatch::judge_point(Watched& track, const PathPoint& point, int class_id, int64_t id) {
  track.open.resize(rules_.size());
  for (size_t index = 0; index < rules_.size(); ++index) {
    const IncidentRule& rule = rules_[index];
    std::optional<Open>& open = track.open[index];
    const auto answer = rule.holds(point);
    if (!answer) continue;
    if (!*answer) {
      open.reset();
      continue;
    }
    if (!open) open = Open{.begin_seconds = point.seconds, .begin_at = point.at};
    open->greatest_mps = std::max(open->greatest_mps, point.speed_mps.value_or(0.0));
    if (open->is_told || point.seconds - open->begin_seconds < rule.least_seconds) continue;
    open->is_told = true;
    SiteEvent event{.kind = kind_of(rule.kind),
                    .frame = frame_,
                    .seconds = open->begin_seconds,
                    .track = id,
                    .class_id = class_id,
                    .place = rule.kind == IncidentKind::stopped
                                 ? place_name(open->begin_at, site_.site)
                                 : rule.place};
    if (rule.kind == IncidentKind::overspeed) event.kmh = kmh_per_mps * open->greatest_mps;
    found_.push_back(std::move(event));
  }
}

PathPoint SiteWatch::with_motion(const Watched& track, size_t index) const {
  const Point& point = track.window[index];
  PathPoint result{.frame = point.sighting.frame,
                   .seconds = point.sighting.seconds,
                   .at = point.at,
                   .speed_mps = point.sighting.ground.speed_mps.value};
  if (!point.is_whole) return result;
  std::vector<Moment2D> moments;
  std::vector<const Sighting*> seen;
  size_t own = 0;
  for (const Point& each : track.window) {
    if (!each.is_whole) continue;
    if (&each == &point) own = moments.size();
    moments.push_back({each.sighting.seconds, each.at});
    seen.push_back(&each.sighting);
  }
  std::optional<VehicleExtent> extent;
  if (!site_.plane.is_metric()) extent = boxed_extent(seen, site_.plane, picture_, turns_);
  set_motion(result, slope_at(moments, own), site_.plane.is_metric(), extent);
  return result;
}

}  // namespace shingle::drone
