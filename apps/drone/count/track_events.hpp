// Which changes of tracks are told while a run goes on, as events with what was and what is:
//
//   new      a track is confirmed
//   update   its zones or its class changed; or it moved, and nothing was told of it for a second
//   end      it was not seen for longer than a track may be lost
//
//   sightings   o   o o o o   o o o o  . . . .
//   told        new     update update       end
//
// A zone holds a track after hold_frames sightings inside and until as many outside, as a visit
// does (visits.hpp): a track that trembles on the border makes no events.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "apps/drone/count/site_plane.hpp"

namespace shingle::drone {

enum class TrackChange : uint8_t { begun, changed, ended };

struct TrackState {
  Sighting seen{};  // the last one
  double begin_seconds = 0.0;
  std::optional<double> end_seconds{};       // when it was seen last; empty: it goes on
  std::vector<std::string> zones{};          // in which it is, in the site's order
  std::vector<std::string> entered_zones{};  // in which it was so far, in the order of entry
};

struct TrackEvent {
  TrackChange change = TrackChange::begun;
  TrackState before{};  // as it was told last; of a new track the same as `after`
  TrackState after{};
};

struct TrackEventLimits {
  double track_end_seconds = 2.0;  // a track that was not seen for longer has ended
  double pause_seconds = 1.0;      // between two events that only tell a new place
  double least_move = 0.1;         // of the box's longer side; less is no new place
};

class TrackEvents {
 public:
  // Without a site there are no zones.
  TrackEvents(std::optional<DrawnSite> site, const TrackEventLimits& limits)
      : site_(std::move(site)), limits_(limits) {}

  // The tracks of one frame, all with its time. First those that ended, by track, then the others
  // in the order of the sightings. REQUIRES: frames come by growing time.
  std::vector<TrackEvent> see(double seconds, std::span<const Sighting> sightings);

  // All tracks end.
  std::vector<TrackEvent> finish();

 private:
  struct ZoneHold {
    bool is_inside = false;
    size_t against = 0;  // sightings in succession that say the other thing
  };
  struct Followed {
    TrackState told{}, now{};
    double told_seconds = 0.0;
    std::vector<ZoneHold> zones{};  // by zone
  };
  std::vector<TrackEvent> ended(double unseen_since);
  void follow_zones(Followed& track) const;
  bool is_worth_telling(const Followed& track) const;

  std::optional<DrawnSite> site_;
  TrackEventLimits limits_;
  std::map<int64_t, Followed> tracks_{};
};

}  // namespace shingle::drone
