#include "apps/drone/pipeline/event_json.hpp"

#include "apps/drone/pipeline/sighting_json.hpp"

namespace shingle::drone {
namespace {

using Json = nlohmann::ordered_json;
constexpr double places_of_seconds = 1e6;

const char* name_of_change(TrackChange change) {
  switch (change) {
    case TrackChange::begun:
      return "new";
    case TrackChange::changed:
      return "update";
    case TrackChange::ended:
      break;
  }
  return "end";
}

Json state_json(const TrackState& state, const NameOfClass& name_of) {
  Json json = sighting_json(state.seen, name_of(state.seen.class_id));
  json["frame"] = state.seen.frame;
  json["seconds"] = rounded(state.seen.seconds, places_of_seconds);
  json["begin_seconds"] = rounded(state.begin_seconds, places_of_seconds);
  json["end_seconds"] =
      state.end_seconds ? Json(rounded(*state.end_seconds, places_of_seconds)) : Json();
  json["zones"] = state.zones;
  json["entered_zones"] = state.entered_zones;
  return json;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string track_event_json(const TrackEvent& event, const NameOfClass& name_of) {
  return text_of({{"type", name_of_change(event.change)},
                  {"before", state_json(event.before, name_of)},
                  {"after", state_json(event.after, name_of)}});
}

std::string site_event_json(const SiteEvent& event, const NameOfClass& name_of) {
  Json json{{"type", event_name(event.kind)},
            {"frame", event.frame},
            {"seconds", rounded(event.seconds, places_of_seconds)},
            {"id", event.track},
            {"class", event.class_id},
            {"name", name_of(event.class_id)}};
  if (!event.place.empty()) json["place"] = event.place;
  if (!event.direction.empty()) json["direction"] = event.direction;
  if (event.kmh) json["speed_kmh"] = rounded(*event.kmh, 100.0);
  return text_of(json);
}

}  // namespace shingle::drone
