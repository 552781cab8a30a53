// Rendered flights: their logs, read by the program's readers, show the truth where it is.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "apps/drone/align/log_view.hpp"
#include "apps/drone/ground/systematic_errors.hpp"
#include "apps/drone/ground/vehicle_height.hpp"
#include "apps/drone/logs/interpolation.hpp"
#include "apps/drone/logs/misb0601.hpp"
#include "apps/drone/results/site_file.hpp"
#include "apps/scene/flight/flight_logs.hpp"
#include "apps/scene/flight/gate_truth.hpp"
#include "apps/scene/flight/scene_clip.hpp"

namespace shingle {
namespace {

SceneFlight flight_at(double pitch) {
  return SceneFlight({.altitude = 100,
                      .pitch_degrees = pitch,
                      .yaw_degrees = -63,
                      .path = FlownPath::turning,
                      .frames = 50,
                      .seed = 21});
}

std::vector<LoggedFrame> logged(const SceneFlight& flight, const WorldPlace& place) {
  std::vector<LoggedFrame> frames;
  for (uint32_t i = 0; i < flight.options().frames; ++i)
    frames.push_back(logged_frame(flight, place, i));
  return frames;
}

TEST_CASE("The subtitles of a rendered flight say what its camera did, as exactly as DJI's do") {
  const SceneFlight flight = flight_at(55);
  const auto frames = logged(flight, place_of_world(21));
  const auto read = drone::read_flight(dji_srt(frames, 25), "clip.srt", {.zone_hours = 2.0});
  REQUIRE(read.ok());
  CHECK(read->format == drone::LogFormat::dji_srt);
  CHECK(read->notes.empty());
  REQUIRE(read->samples.size() == frames.size());
  for (size_t i = 0; i < frames.size(); ++i) {
    const drone::Telemetry& sample = read->samples[i];
    CHECK(sample.seconds == doctest::Approx(frames[i].seconds).epsilon(0.001));
    CHECK(sample.clock.value() == doctest::Approx(frames[i].utc_seconds).epsilon(1e-12));
    CHECK(std::abs(*sample.latitude - frames[i].latitude) <= 0.51e-6);
    CHECK(std::abs(*sample.longitude - frames[i].longitude) <= 0.51e-6);
    CHECK(std::abs(*sample.height - frames[i].height) <= 0.0501);
    CHECK(std::abs(*sample.altitude - frames[i].altitude) <= 0.051);
    CHECK(std::abs(*sample.gimbal_yaw - frames[i].yaw) <= 0.0501);
    CHECK(std::abs(*sample.gimbal_pitch - frames[i].pitch) <= 0.0501);
    CHECK(*sample.focal_35mm == doctest::Approx(24));
  }
}

TEST_CASE("The KLV packets of a rendered flight have right checksums and the same pose") {
  const SceneFlight flight = flight_at(40);
  const auto frames = logged(flight, place_of_world(4));
  const auto bytes = misb_klv(frames);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto read = drone::read_flight(text, "clip.klv");
  REQUIRE(read.ok());
  CHECK(read->format == drone::LogFormat::misb_klv);
  CHECK(read->notes.empty());
  REQUIRE(read->samples.size() == frames.size());
  for (size_t i = 0; i < frames.size(); ++i) {
    const drone::Telemetry& sample = read->samples[i];
    CHECK(std::abs(*sample.latitude - frames[i].latitude) < 2.2e-8);    // half a step of 32 bits
    CHECK(std::abs(*sample.longitude - frames[i].longitude) < 4.3e-8);  // likewise
    CHECK(std::abs(*sample.altitude - frames[i].altitude) < 0.16);      // half a step of 16 bits
    CHECK(std::abs(std::remainder(*sample.body_yaw - frames[i].yaw, 360)) < 0.003);
    CHECK(*sample.relative_pitch == doctest::Approx(frames[i].pitch).epsilon(1e-6));
    CHECK(*sample.horizontal_view == doctest::Approx(frames[i].horizontal_view).epsilon(1e-3));
    CHECK(std::abs(*sample.centre_latitude - frames[i].centre_latitude) < 1e-7);
    CHECK(*sample.slant_range == doctest::Approx(frames[i].slant_range).epsilon(1e-4));
  }
}

struct Cover {
  int held = 0, asked = 0;
  double worst = 0.0;  // metres
};

// Where the log puts the middles of vehicles' boxes, against where they are.
Cover cover_of(const SceneClip& clip) {
  const ClipScene scene(clip);
  const WorldPlace place = place_of_world(clip.flight.seed);
  const auto log =
      drone::read_flight(dji_srt(logged(scene.flight(), place), 25), "clip.srt").value();
  drone::GeoPoint origin = place.origin;
  origin.height = 0.0;  // the log counts from the ground
  const auto frame = drone::LocalFrame::at(origin).value();
  const drone::Telemetry moment = drone::telemetry_at(log, scene.seconds()).value();
  const FlightOptions& options = scene.flight().options();
  const auto view = drone::view_of(moment, frame,
                                   {.width = double(options.size.width),
                                    .height = double(options.size.height),
                                    .ground_height = 0.0})
                        .value();
  const SceneView drawn = scene.flight().view_at(scene.seconds());
  Cover cover;
  for (const Vehicle& vehicle : scene.vehicles()) {
    if (depth_of(drawn, vehicle.pose.at, 4) < 5) continue;
    const Box box = bounds(silhouette(drawn, vehicle));
    if (box.x < 0 || box.y < 0 || box.x + box.w > float(options.size.width) ||
        box.y + box.h > float(options.size.height))
      continue;
    const auto kind = static_cast<drone::VehicleKind>(vehicle.shape.vehicle_class);
    const double height = view.ground + drone::box_centre_height(kind);
    const auto point = drone::ground_point(view.camera, view.pose,
                                           {box.x + box.w / 2.0, box.y + box.h / 2.0}, height);
    REQUIRE(point.ok());
    drone::PoseErrors errors;
    errors.plane_height_m = drone::typical(kind).height_sigma / 2.0;
    const Eigen::Matrix2d covariance =
        drone::systematic_covariance(view.camera, view.pose, errors,
                                     {.point = *point, .height = height})
            .position;
    const double east = point->x() - vehicle.pose.at.x, north = point->y() - vehicle.pose.at.y;
    cover.worst = std::max(cover.worst, std::hypot(east, north));
    for (const auto& [miss, variance] :
         {std::pair(east, covariance(0, 0)), std::pair(north, covariance(1, 1))}) {
      ++cover.asked;
      cover.held += std::abs(miss) <= 1.96 * std::sqrt(variance);
    }
  }
  return cover;
}

TEST_CASE("By the subtitles every vehicle is where it is, within its interval") {
  for (const char* name : {"local-50", "roundabout-100", "highway-150", "rural-100-45deg",
                           "local-100-45deg", "roundabout-100-60deg"}) {
    CAPTURE(name);
    const Cover cover = cover_of(clip_named(name, 17).value());
    CHECK(cover.asked >= 2);
    CHECK(cover.held >= 0.95 * cover.asked);
    CHECK(cover.worst < 3.0);
  }
}

TEST_CASE("The site of a rendered flight is read as a site in WGS84 with all its gates") {
  const SceneClip clip = clip_named("roundabout-120", 5).value();
  const ClipScene scene(clip);
  const auto gates = gates_in_picture(scene.world().network.gates, scene.flight());
  REQUIRE(gates.size() >= 2);
  const auto site = drone::parse_site(site_toml(gates, place_of_world(5)), "clip.site.toml");
  REQUIRE(site.ok());
  CHECK(site->coordinates == drone::SiteCoordinates::wgs84);
  CHECK(site->lines.size() == gates.size());
  CHECK(site->gates.size() == gates.size());
  for (const drone::CountLine& line : site->lines) CHECK(line.forward == "in");
}

}  // namespace
}  // namespace shingle
