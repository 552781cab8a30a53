// Events of a run as JSON texts.
#pragma once

#include <functional>
#include <string>

#include "apps/drone/count/site_watch.hpp"
#include "apps/drone/count/track_events.hpp"

namespace shingle::drone {

using NameOfClass = std::function<std::string(int class_id)>;

// {"type":"new","before":{..},"after":{..}}, or "update", "end". Before and after are what
// sighting_json() says of the track, with "frame", "seconds", "begin_seconds", "end_seconds" (null
// while it goes on), "zones" and "entered_zones".
std::string track_event_json(const TrackEvent& event, const NameOfClass& name_of);

// {"type":"crossing","frame":61,"seconds":2.4,"id":4,"class":2,"name":"car","place":"road",
//  "direction":"down"}; "wrong_way", "stopped", "overspeed" (with "speed_kmh"). What there is none
// of is left out.
std::string site_event_json(const SiteEvent& event, const NameOfClass& name_of);

}  // namespace shingle::drone
