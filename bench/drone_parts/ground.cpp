// What the ground measures, against geo-trax's sample and flights whose truth is known. Prints one
// JSON object: bench-drone-ground [--seed N] [geotrax|cover].
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <string>

#include "apps/drone/boxes/picture_border.hpp"
#include "apps/drone/ground/homography.hpp"
#include "apps/drone/ground/local_frame.hpp"
#include "apps/drone/ground/motion.hpp"
#include "apps/drone/ground/vehicle_height.hpp"
#include "bench/drone_parts/geo_trax.hpp"
#include "tests/flights/flight.hpp"
#include "tests/places.hpp"

namespace {

using namespace shingle;
using drone::GroundObservation, drone::VehicleKind;
using Eigen::Vector2d;

constexpr double frames_per_second = 29.97, kmh_per_ms = 3.6, picture_width = 3840,
                 picture_height = 2160;
constexpr double smoothing_frames = 14.0;
constexpr int inner_frames = 42;  // frames from a track's ends: three sigmas of its Gaussian

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
}

double root_mean_square(const std::vector<double>& values) {
  if (values.empty()) return std::nan("");
  const double sum = std::transform_reduce(values.begin(), values.end(), 0.0, std::plus<>(),
                                           [](double value) { return value * value; });
  return std::sqrt(sum / static_cast<double>(values.size()));
}

VehicleKind kind_of(int number) {
  return number == 1 ? VehicleKind::bus : number == 2 ? VehicleKind::truck : VehicleKind::car;
}

drone::Camera camera_of(const geotrax::Sample& sample) {
  return *drone::camera_of_equivalent_focal(picture_width, picture_height, sample.focal_mm);
}

// The camera of frame 0 above the origin of local metres, which looks straight down; up in the
// picture is called north, since no compass is told.
drone::CameraPose pose_of(const geotrax::Sample& sample) {
  return drone::pose_of({0.0, 0.0, sample.height_m}, {0.0, drone::straight_down, 0.0});
}

struct Chain {
  double worst_px = 0.0, worst_m = 0.0;
};

// seen -> frame 0 -> orthophoto, against the table's; orthophoto -> local metres by the homography
// that fits every 50th row, since the table's own transform was not published.
Chain chain(const geotrax::Sample& sample) {
  Chain worst;
  std::vector<drone::PointPair> pairs;
  size_t count = 0;
  for (const auto& [id, rows] : sample.tracks)
    for (const geotrax::Row& row : rows)
      if (count++ % 50 == 0) pairs.push_back({row.ortho, row.local});
  const auto to_local = drone::fit_homography(pairs);
  if (!to_local) return {1e9, 1e9};
  for (const auto& [id, rows] : sample.tracks)
    for (const geotrax::Row& row : rows) {
      const auto& box = sample.boxes.at({row.frame, id});
      const Vector2d first =
          row.frame == 0 ? box.seen : drone::mapped(sample.to_first_frame.at(row.frame), box.seen);
      const Vector2d ortho = drone::mapped(sample.to_ortho, first);
      worst.worst_px =
          std::max({worst.worst_px, (first - box.stabilised).norm(), (ortho - row.ortho).norm()});
      worst.worst_m =
          std::max(worst.worst_m, (drone::mapped(to_local->matrix, ortho) - row.local).norm());
    }
  return worst;
}

std::vector<GroundObservation> on_ground(const geotrax::Sample& sample,
                                         const std::vector<geotrax::Row>& rows) {
  std::vector<GroundObservation> track;
  for (const geotrax::Row& row : rows) {
    const auto& box = sample.boxes.at({row.frame, row.vehicle});
    const auto point = drone::ground_point(camera_of(sample), pose_of(sample), box.stabilised,
                                           drone::box_centre_height(kind_of(row.kind)));
    track.push_back({row.frame / frames_per_second, *point});
  }
  return track;
}

bool is_cut(const geotrax::Sample& sample, const geotrax::Row& row) {
  const auto& box = sample.boxes.at({row.frame, row.vehicle});
  const Vector2d corner = box.seen - box.size / 2.0;
  return drone::touches_border({corner.x(), corner.y(), box.size.x(), box.size.y()}, picture_width,
                               picture_height);
}

// The rows whose boxes the picture's border does not cut: the centre of a part is no place of the
// vehicle. geo-trax itself gives no speeds to the others.
std::vector<geotrax::Row> whole_rows(const geotrax::Sample& sample,
                                     const std::vector<geotrax::Row>& rows) {
  std::vector<geotrax::Row> whole;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(whole),
               [&](const geotrax::Row& row) { return !is_cut(sample, row); });
  return whole;
}

// By how much jitter makes the published speeds too high, in m/s. They are smoothed lengths of
// steps, so that a vehicle that stands has one of 0.2 to 0.6 m/s. The length of the smoothed step
// of the same published places has no such error; on a moving vehicle both are equal.
std::vector<double> jitter_in_speeds(const std::vector<geotrax::Row>& rows) {
  std::vector<GroundObservation> track;
  std::vector<double> east, north;
  for (const geotrax::Row& row : rows) {
    track.push_back({row.frame / frames_per_second, row.local});
    if (track.size() < 2) continue;
    const auto& before = track[track.size() - 2];
    const Vector2d velocity =
        (track.back().position - before.position) / (track.back().seconds - before.seconds);
    east.push_back(velocity.x());
    north.push_back(velocity.y());
  }
  const auto lengths = drone::gaussian_speeds(track, smoothing_frames);
  east = drone::gaussian_smoothed(east, smoothing_frames);
  north = drone::gaussian_smoothed(north, smoothing_frames);
  std::vector<double> excess;
  for (size_t i = 0; i < rows.size(); ++i) {
    const size_t step = i == 0 ? 0 : i - 1;
    excess.push_back(lengths[i] ? *lengths[i] - std::hypot(east[step], north[step]) : 0.0);
  }
  return excess;
}

struct Speeds {
  std::vector<double> all, inner, shares;  // km/h, km/h, half width / speed
  double held = 0.0;
  double fast = 0.0, fast_held = 0.0;  // above 10 km/h, against the published speeds as they are
};

std::vector<drone::GroundMotion> motions_of(const geotrax::Sample& sample, VehicleKind kind,
                                            const std::vector<GroundObservation>& track) {
  drone::PoseErrors errors;
  errors.plane_height_m = drone::typical(kind).height_sigma / 2.0;
  const double height = drone::box_centre_height(kind);
  return *drone::ground_motion(track, [&](size_t, const Vector2d& at, const Vector2d& v) {
    return drone::systematic_covariance(camera_of(sample), pose_of(sample), errors,
                                        {.point = at, .velocity = v, .height = height});
  });
}

void compare_track(const geotrax::Sample& sample, const std::vector<geotrax::Row>& all_rows,
                   Speeds& speeds) {
  const auto rows = whole_rows(sample, all_rows);
  if (rows.empty()) return;
  const auto track = on_ground(sample, rows);
  const auto gaussian = drone::gaussian_speeds(track, smoothing_frames);
  const auto motions = motions_of(sample, kind_of(rows[0].kind), track);
  const auto excess = jitter_in_speeds(rows);
  const int first = all_rows.front().frame, last = all_rows.back().frame;
  for (size_t i = 0; i < rows.size(); ++i) {
    const geotrax::Row& row = rows[i];
    if (row.speed_kmh < 0.0 || !gaussian[i]) continue;
    const double miss = *gaussian[i] * kmh_per_ms - row.speed_kmh;
    speeds.all.push_back(miss);
    if (row.frame - first >= inner_frames && last - row.frame >= inner_frames)
      speeds.inner.push_back(miss);
    const auto& speed = motions[i].speed;
    if (!speed) continue;
    const double published = row.speed_kmh / kmh_per_ms;
    speeds.held += drone::covers(*speed, published - excess[i]);
    speeds.shares.push_back(speed->half_width / std::max(speed->value, 0.1));
    if (row.speed_kmh <= 10.0) continue;
    ++speeds.fast;
    speeds.fast_held += drone::covers(*speed, published);
  }
}

double distance_error(const geotrax::Sample& sample) {
  std::map<int, std::vector<std::pair<Vector2d, Vector2d>>> frames;  // ours, theirs
  for (const auto& [id, rows] : sample.tracks) {
    const auto track = on_ground(sample, rows);
    for (size_t i = 0; i < rows.size(); ++i)
      frames[rows[i].frame].push_back({track[i].position, rows[i].local});
  }
  std::vector<double> misses;
  for (const auto& [frame, points] : frames)
    for (size_t a = 0; a < points.size(); ++a)
      for (size_t b = 0; b < a; ++b) {
        const double theirs = (points[a].second - points[b].second).norm();
        if (theirs < 5.0) continue;
        misses.push_back(std::abs((points[a].first - points[b].first).norm() / theirs - 1.0));
      }
  return quantile(misses, 0.5);
}

int print_geotrax() {
  const char* given = std::getenv("SHINGLE_DATA");
  const std::string data = given != nullptr ? given : source_folder() + "/../shared/data";
  if (!std::filesystem::exists(data + "/geo-trax"))
    return std::puts("{\"skipped\":\"no shared data\"}"), 0;
  const auto sample = geotrax::read(data + "/geo-trax");
  if (!sample) return std::fprintf(stderr, "%s\n", sample.error().c_str()), 1;
  const Chain worst = chain(*sample);
  Speeds speeds;
  for (const auto& [id, rows] : sample->tracks) compare_track(*sample, rows, speeds);
  std::printf(
      "{\"geotrax_chain_px\":%.4f,\"geotrax_chain_m\":%.4f,\"geotrax_rmse_kmh\":%.4f,"
      "\"geotrax_inner_rmse_kmh\":%.4f,\"geotrax_rows\":%zu,\"geotrax_distance_error\":%.5f,"
      "\"geotrax_cover\":%.4f,\"geotrax_half_width\":%.4f,\"published_cover_fast\":%.4f}\n",
      worst.worst_px, worst.worst_m, root_mean_square(speeds.all), root_mean_square(speeds.inner),
      speeds.all.size(), distance_error(*sample),
      speeds.held / static_cast<double>(speeds.shares.size()), quantile(speeds.shares, 0.5),
      speeds.fast_held / speeds.fast);
  return 0;
}

int print_cover(uint64_t seed) {
  flights::FlightCover cover;
  constexpr uint64_t flight_count = 200;
  for (uint64_t flight = 0; flight < flight_count; ++flight)
    flights::measure(flights::drawn_flight(seed * flight_count + flight), cover);
  std::printf(
      "{\"interval_cover\":%.4f,\"position\":%.4f,\"speed\":%.4f,\"acceleration\":%.4f,"
      "\"heading\":%.4f,\"size\":%.4f,\"values\":%llu}\n",
      cover.total().share(), cover.position.share(), cover.speed.share(),
      cover.acceleration.share(), cover.heading.share(), cover.size.share(),
      static_cast<unsigned long long>(cover.total().asked));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t seed = 1;
  std::string part;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--seed" && i + 1 < argc)
      seed = std::strtoull(argv[++i], nullptr, 10);
    else
      part = argv[i];
  }
  if (part != "cover")
    if (const int code = print_geotrax(); code != 0) return code;
  return part == "geotrax" ? 0 : print_cover(seed);
}
