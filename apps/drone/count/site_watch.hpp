// What happens at a site while the run goes on: who passes a line, and incidents.
//
//   sighting --> lines: at once, when the other side is held
//            --> half a second later, when its velocity is known: wrong way, stopped, overspeed
//
// The rules are those of a recount of the whole run (counts.hpp), so from the same rows crossings
// come at the same times and incidents begin at the same times. (With a flight's log the run folder
// has smoothed rows, and events come from the live ones.) One thing differs: without metres a
// vehicle stands (and drives no wrong way) if it is slow for its length, which here is that of the
// last second.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "apps/drone/count/incident_rules.hpp"
#include "apps/drone/count/point_motion.hpp"
#include "apps/drone/count/side_watch.hpp"

namespace shingle::drone {

enum class SiteEventKind : uint8_t { crossing, wrong_way, stopped, overspeed };

const char* event_name(SiteEventKind kind);  // "crossing", "wrong_way", ..

struct SiteEvent {
  SiteEventKind kind = SiteEventKind::crossing;
  uint32_t frame = 1;  // in which it became known
  // When its middle passed the line, or when the incident began.
  double seconds = 0.0;
  int64_t track = 0;
  int class_id = -1;
  std::string place{};          // the line's, lane's or zone's name; empty: stopped outside of all
  std::string direction{};      // of a crossing, as the site names it
  std::optional<double> kmh{};  // of an overspeed: the greatest so far
};

class SiteWatch {
 public:
  // `track_end_seconds`: a track that was not seen for longer has ended.
  SiteWatch(DrawnSite site, const PictureSize& picture, double track_end_seconds);

  // The tracks of one frame, all with its number and time. An incident is told once, when it has
  // lasted long enough. In the order of the sightings. REQUIRES: frames come by growing time.
  std::vector<SiteEvent> see(uint32_t frame, double seconds, std::span<const Sighting> sightings);

  // All tracks end.
  std::vector<SiteEvent> finish();

 private:
  struct Point {
    Sighting sighting{};
    PlanePoint at{};
    bool is_whole = false;
  };
  struct Open {  // an incident that may be one
    double begin_seconds = 0.0;
    PlanePoint begin_at{};
    double greatest_mps = 0.0;
    bool is_told = false;
  };
  struct Watched {
    size_t points = 0;  // that had a place
    double last_seconds = 0.0;
    std::vector<SideWatch> sides{};           // by line
    std::deque<Point> window{};               // the last ones, with all that slopes need
    size_t judged = 0;                        // of the window, from its begin
    std::vector<std::optional<Open>> open{};  // by rule
  };
  void end_tracks(double unseen_since);
  void pass_lines(Watched& track, const Point& point);
  void judge(Watched& track, bool has_ended);  // what is ripe, or all
  void judge_point(Watched& track, const PathPoint& point, int class_id, int64_t id);
  PathPoint with_motion(const Watched& track, size_t index) const;
  void forget_turns();  // of pictures that no window reaches

  DrawnSite site_;
  PictureSize picture_;
  double track_end_seconds_;
  std::vector<IncidentRule> rules_;
  std::map<int64_t, Watched> watched_{};
  PictureTurns turns_{};
  uint32_t frame_ = 1;
  std::vector<SiteEvent> found_{};  // in the call that is under way
};

}  // namespace shingle::drone
