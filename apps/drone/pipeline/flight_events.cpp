#include "apps/drone/pipeline/flight_events.hpp"

#include <cassert>

namespace shingle::drone {
namespace {

constexpr std::chrono::seconds longest_wait{5};

}  // namespace

void FlightEvents::begin(const PictureSize& picture, NameOfClass name_of) {
  name_of_ = std::move(name_of);
  if (parts_.broker)
    tracks_.emplace(parts_.site, TrackEventLimits{.track_end_seconds = parts_.track_end_seconds});
  if (parts_.site) site_.emplace(*parts_.site, picture, parts_.track_end_seconds);
}

std::vector<SiteEvent> FlightEvents::see(uint32_t frame, double seconds,
                                         std::span<const Sighting> sightings) {
  assert(name_of_);
  std::vector<SiteEvent> at_site;
  if (site_) at_site = site_->see(frame, seconds, sightings);
  if (tracks_) tell(tracks_->see(seconds, sightings), at_site);
  return at_site;
}

std::vector<SiteEvent> FlightEvents::finish() {
  std::vector<SiteEvent> at_site;
  if (site_) at_site = site_->finish();
  if (tracks_) tell(tracks_->finish(), at_site);
  if (parts_.broker) counts_ = parts_.broker->close(longest_wait);
  return at_site;
}

// REQUIRES: there is a broker.
void FlightEvents::tell(std::span<const TrackEvent> tracks, std::span<const SiteEvent> site) {
  for (const TrackEvent& each : tracks) parts_.broker->tell_track(track_event_json(each, name_of_));
  for (const SiteEvent& each : site) parts_.broker->tell_site(site_event_json(each, name_of_));
}

}  // namespace shingle::drone
