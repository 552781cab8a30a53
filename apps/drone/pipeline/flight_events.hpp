// The events of a run: what becomes known of tracks and of the site, picture by picture, and whom
// it is told.
//
//   tracks --> TrackEvents --> broker
//          --> SiteWatch ----> broker, run folder
#pragma once

#include <optional>

#include "apps/drone/pipeline/event_broker.hpp"
#include "apps/drone/pipeline/event_json.hpp"

namespace shingle::drone {

struct FlightEventParts {
  std::optional<DrawnSite> site{};      // none: no events of a site, no zones
  std::optional<EventBroker> broker{};  // none: events of the site are only returned
  double track_end_seconds = 2.0;       // a track that was not seen for longer has ended
};

class FlightEvents {
 public:
  explicit FlightEvents(FlightEventParts parts) : parts_(std::move(parts)) {}

  // Call it once, before the first frame.
  void begin(const PictureSize& picture, NameOfClass name_of);

  // The tracks of one frame, all with its number and time. Returned is what happened at the site.
  std::vector<SiteEvent> see(uint32_t frame, double seconds, std::span<const Sighting> sightings);

  // All tracks end. Waits until the broker has all events, five seconds at most.
  std::vector<SiteEvent> finish();

  bool has_broker() const { return parts_.broker.has_value(); }
  const EventCounts& counts() const { return counts_; }  // after finish()

 private:
  void tell(std::span<const TrackEvent> tracks, std::span<const SiteEvent> site);

  FlightEventParts parts_;
  NameOfClass name_of_{};
  std::optional<TrackEvents> tracks_{};
  std::optional<SiteWatch> site_{};
  EventCounts counts_{};
};

}  // namespace shingle::drone
