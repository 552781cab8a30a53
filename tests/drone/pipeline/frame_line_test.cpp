// A frame of a run as a line for programs, and events as texts.
#include "apps/drone/pipeline/frame_line.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "apps/drone/pipeline/event_json.hpp"

using namespace shingle;
using namespace shingle::drone;
using Json = nlohmann::json;

namespace {

const auto name_of = [](int class_id) { return class_id == 2 ? "car" : "vehicle"; };

Sighting car() {
  Sighting seen{.frame = 61,
                .seconds = 2.4,
                .track = 4,
                .class_id = 2,
                .score = 0.83,
                .box = {412.125, 218.4, 61.0, 32.5},
                .key = PlanePoint{380.2, 240.1}};
  seen.ground = {.x_metres = {12.3456, 0.2},
                 .y_metres = {-4.02, 0.2},
                 .latitude = 48.00012,
                 .longitude = 11.00034,
                 .speed_mps = {12.0, 0.5},
                 .heading_degrees = {92.54, 1.0}};
  return seen;
}

}  // namespace

TEST_CASE("a line has what is known") {
  const std::vector<Sighting> seen{car()};
  CHECK(frame_line({.frame = 61,
                    .seconds = 2.4,
                    .milliseconds = 81.234,
                    .knows_camera = true,
                    .sightings = seen},
                   name_of) ==
        "{\"frame\":61,\"seconds\":2.4,\"ms\":81.23,\"camera\":true,\"tracks\":[{\"id\":4,"
        "\"class\":2,\"name\":\"car\",\"score\":0.83,\"box\":[412.13,218.4,61.0,32.5],"
        "\"key\":[380.2,240.1],\"east_m\":12.346,\"north_m\":-4.02,\"latitude\":48.00012,"
        "\"longitude\":11.00034,\"speed_kmh\":43.2,\"speed_95_kmh\":1.8,\"heading_deg\":92.5}]}\n");
}

TEST_CASE("what is not known is left out, and a frame that came too late says so") {
  const std::vector<Sighting> seen{{.frame = 2, .seconds = 0.1, .track = 1, .box = {1, 2, 3, 4}}};
  const Json line = Json::parse(
      frame_line({.frame = 2, .seconds = 0.1, .is_late = true, .sightings = seen}, name_of));
  CHECK(line["missed_deadline"] == true);
  CHECK(line["camera"] == false);
  const Json& track = line["tracks"][0];
  CHECK(track["name"] == "vehicle");
  for (const char* absent : {"key", "east_m", "latitude", "speed_kmh", "heading_deg"})
    CHECK_MESSAGE(!track.contains(absent), absent);
  CHECK(Json::parse(frame_line({}, name_of))["tracks"] == Json::array());
}

TEST_CASE("an event of a track has what was and what is") {
  TrackEvent event{.change = TrackChange::ended,
                   .before = {.seen = car(), .begin_seconds = 0.4, .zones = {"north"}},
                   .after = {.seen = car(), .begin_seconds = 0.4, .end_seconds = 2.4}};
  event.after.entered_zones = {"north"};
  const Json json = Json::parse(track_event_json(event, name_of));
  CHECK(json["type"] == "end");
  CHECK(json["before"]["zones"] == Json::array({"north"}));
  CHECK(json["before"]["end_seconds"] == nullptr);
  const Json& after = json["after"];
  CHECK(after["id"] == 4);
  CHECK(after["name"] == "car");
  CHECK(after["speed_kmh"] == 43.2);
  CHECK(after["frame"] == 61);
  CHECK(after["seconds"] == 2.4);
  CHECK(after["begin_seconds"] == 0.4);
  CHECK(after["end_seconds"] == 2.4);
  CHECK(after["zones"] == Json::array());
  CHECK(after["entered_zones"] == Json::array({"north"}));
  event.change = TrackChange::begun;
  CHECK(Json::parse(track_event_json(event, name_of))["type"] == "new");
  event.change = TrackChange::changed;
  CHECK(Json::parse(track_event_json(event, name_of))["type"] == "update");
}

TEST_CASE("an event of the site has its place, and what belongs to its kind") {
  CHECK(site_event_json({.kind = SiteEventKind::crossing,
                         .frame = 61,
                         .seconds = 2.38,
                         .track = 4,
                         .class_id = 2,
                         .place = "road",
                         .direction = "down"},
                        name_of) ==
        "{\"type\":\"crossing\",\"frame\":61,\"seconds\":2.38,\"id\":4,\"class\":2,"
        "\"name\":\"car\",\"place\":\"road\",\"direction\":\"down\"}");
  const Json stopped =
      Json::parse(site_event_json({.kind = SiteEventKind::stopped, .track = 4}, name_of));
  CHECK(stopped["type"] == "stopped");
  CHECK_FALSE(stopped.contains("place"));
  const Json fast = Json::parse(
      site_event_json({.kind = SiteEventKind::overspeed, .place = "east", .kmh = 76.604}, name_of));
  CHECK(fast["type"] == "overspeed");
  CHECK(fast["speed_kmh"] == 76.6);
  CHECK(Json::parse(site_event_json({.kind = SiteEventKind::wrong_way}, name_of))["type"] ==
        "wrong_way");
}
