#include "apps/scene/render/world_renderer.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "apps/scene/render/exposure.hpp"
#include "apps/scene/render/standing.hpp"

namespace shingle {
namespace {

constexpr double supersampling = 2.0;
constexpr int finest_level = -6, coarsest_level = 2;  // texels of 1/64 m to 4 m

cv::Point2d ground_at(const cv::Matx33d& to_ground, double u, double v) {
  const cv::Vec3d at = to_ground * cv::Vec3d(u, v, 1.0);
  return {at[0] / at[2], at[1] / at[2]};
}

// Whether all that is so near to the place, and not higher than a bus, is before the camera.
bool is_ahead(const SceneView& view, cv::Point2d at, double reach) {
  for (const double x : {-reach, reach})
    for (const double y : {-reach, reach})
      if (depth_of(view, {at.x + x, at.y + y}, 4.0) < 1.0) return false;
  return true;
}

// Rows of one scale of ground.
struct RowBand {
  int begin = 0, end = 0, level = 0;
};

// The power of two of texels that are at most twice as large as the row's pixels.
int level_of_row(const cv::Matx33d& to_ground, const cv::Size& size, int row) {
  const double u = size.width / 2.0;
  const cv::Point2d here = ground_at(to_ground, u, row + 0.5);
  const cv::Point2d right = ground_at(to_ground, u + 1, row + 0.5) - here;
  const cv::Point2d below = ground_at(to_ground, u, row + 1.5) - here;
  const double metres = std::sqrt(std::hypot(right.x, right.y) * std::hypot(below.x, below.y));
  return std::clamp(static_cast<int>(std::floor(std::log2(2.0 * metres))), finest_level,
                    coarsest_level);
}

std::vector<RowBand> bands_of(const SceneView& view) {
  const cv::Matx33d to_ground = ground_homography(view).inv();
  std::vector<RowBand> bands;
  for (int row = 0; row < view.size.height; ++row) {
    const int level = level_of_row(to_ground, view.size, row);
    if (bands.empty() || bands.back().level != level) bands.push_back({row, row, level});
    bands.back().end = row + 1;
  }
  return bands;
}

cv::Rect2d seen_by(const SceneView& view, const RowBand& band) {
  const cv::Matx33d to_ground = ground_homography(view).inv();
  double west = 1e300, east = -1e300, south = 1e300, north = -1e300;
  for (const double v : {double(band.begin), double(band.end)})
    for (const double u : {0.0, double(view.size.width)}) {
      const cv::Point2d at = ground_at(to_ground, u, v);
      west = std::min(west, at.x), east = std::max(east, at.x);
      south = std::min(south, at.y), north = std::max(north, at.y);
    }
  return {west, south, east - west, north - south};
}

// Texels of the piece to the band's pixels. Corners of pixels count in views, middles in OpenCV.
cv::Matx33d piece_to_band(const GroundPiece& piece, const SceneView& view, const RowBand& band) {
  const double r = piece.metres;
  const cv::Matx33d to_ground{r, 0, piece.west + r / 2, 0, -r, piece.north - r / 2, 0, 0, 1};
  const cv::Matx33d to_middles{1, 0, -0.5, 0, 1, -0.5 - band.begin, 0, 0, 1};
  return to_middles * ground_homography(view) * to_ground;
}

// The light that falls on the ground: what lamps and tall things leave (the fourth channel), less
// the vehicles' shadows, plus `added`.
void light_up(const cv::Mat& ground, const cv::Mat& shadows, const cv::Mat& added, cv::Mat& image) {
  image.create(ground.size(), CV_8UC3);
  for (int y = 0; y < ground.rows; ++y) {
    const cv::Vec4b* from = ground.ptr<cv::Vec4b>(y);
    const uchar* shadow = shadows.ptr<uchar>(y);
    const uchar* more = added.empty() ? nullptr : added.ptr<uchar>(y);
    cv::Vec3b* to = image.ptr<cv::Vec3b>(y);
    for (int x = 0; x < ground.cols; ++x) {
      int light = std::min(from[x][3], shadow[x]);
      if (more != nullptr) light = std::min(255, light + more[x]);
      // Shadows are lit by the sky: blue loses less.
      to[x][0] = static_cast<uchar>(from[x][0] * std::min(255, light + (255 - light) / 8) / 255);
      to[x][1] = static_cast<uchar>(from[x][1] * light / 255);
      to[x][2] = static_cast<uchar>(from[x][2] * light / 255);
    }
  }
}

// The cones of headlights on the ground. Drawn at an eighth of the size: they have no edges.
cv::Mat headlights(const SceneView& view, const std::vector<Vehicle>& vehicles) {
  const SceneView coarse = finer(view, 0.125);
  cv::Mat light = cv::Mat::zeros(coarse.size, CV_8U);
  for (const Vehicle& vehicle : vehicles) {
    if (vehicle.id >= first_parked_id) continue;
    const double length = vehicle.shape.length, width = vehicle.shape.width;
    const auto at = [&](double ahead, double left) {
      return place(vehicle.pose, 1, 1, {length / 2 + ahead, left});
    };
    const Outline cone{at(0.5, -width / 2), at(16, -3.4), at(20, 0), at(16, 3.4),
                       at(0.5, width / 2)};
    if (std::all_of(cone.begin(), cone.end(),
                    [&](cv::Point2d corner) { return depth_of(view, corner, 0) > 1.0; }))
      fill(light, pixels(coarse, cone, 0), grey(115));
  }
  const cv::Point2d middle =
      ground_at(ground_homography(coarse).inv(), coarse.size.width / 2.0, coarse.size.height / 2.0);
  const double sigma = std::max(0.8, 1.2 * pixels_per_metre(coarse, middle, 0));
  cv::GaussianBlur(light, light, {}, sigma);
  cv::resize(light, light, view.size, 0, 0, cv::INTER_LINEAR);
  return light;
}

cv::Point2d to_sun_of(const WorldLight& light) {
  const double span = std::hypot(light.sun.x, light.sun.y);
  return span > 0 ? light.sun * (-1.0 / span) : cv::Point2d{};
}

double area_of(const Outline& outline) {
  return cv::contourArea(std::vector<cv::Point2f>(outline.begin(), outline.end()));
}

// The truth about what was drawn: `ids` has 1 + the index of the vehicle that is seen.
std::vector<SeenVehicle> seen_vehicles(const SceneView& view, const std::vector<Vehicle>& vehicles,
                                       const cv::Mat& ids) {
  std::vector<uint32_t> counts(vehicles.size() + 1, 0);
  for (int y = 0; y < ids.rows; ++y) {
    const uint16_t* row = ids.ptr<uint16_t>(y);
    for (int x = 0; x < ids.cols; ++x) ++counts[row[x]];
  }
  std::vector<SeenVehicle> seen;
  const auto width = static_cast<float>(view.size.width),
             height = static_cast<float>(view.size.height);
  for (size_t i = 0; i < vehicles.size(); ++i) {
    if (!is_ahead(view, vehicles[i].pose.at, 8.0)) continue;
    const Outline outline = silhouette(view, vehicles[i]);
    const Box box = clipped(bounds(outline), width, height);
    if (box.w <= 0 || box.h <= 0) continue;
    const double whole = area_of(outline) * supersampling * supersampling;
    seen.push_back(
        {.index = i, .box = box, .visible = std::min(1.0, counts[i + 1] / std::max(1.0, whole))});
  }
  return seen;
}

}  // namespace

WorldRenderer::WorldRenderer(const SceneWorld& world)
    : world_(world), painter_(world), buildings_(world.buildings), trees_(world.trees) {
  const double ambient = world.light.ambient;
  for (Building& building : buildings_) {
    const double light = world.light.daylight == Daylight::night
                             ? painter_.light_at(building.outline[0]) * 0.8
                             : ambient;
    building.roof = shaded(building.roof, light), building.wall = shaded(building.wall, light);
    for (Patch& detail : building.details) detail.colour = shaded(detail.colour, light);
  }
  for (Tree& tree : trees_)
    tree.leaves = shaded(tree.leaves, world.light.daylight == Daylight::night
                                          ? painter_.light_at(tree.at) * 0.8
                                          : ambient);
}

const PaintedGround& WorldRenderer::piece_for(int level, const cv::Rect2d& seen) {
  const double metres = std::ldexp(1.0, level);
  PaintedGround& kept = pieces_[level];
  const GroundPiece& old = kept.piece;
  const bool is_inside = !kept.colour.empty() && seen.x >= old.west && seen.br().y <= old.north &&
                         seen.br().x <= old.west + old.size.width * old.metres &&
                         seen.y >= old.north - old.size.height * old.metres;
  if (is_inside) return kept;
  // With a margin, so that a camera in motion needs a new piece once in a while only.
  const double margin = 4 * metres + std::max(3.0, 0.08 * std::max(seen.width, seen.height));
  const auto down = [&](double value) { return std::floor(value / metres) * metres; };
  GroundPiece piece{.west = down(seen.x - margin),
                    .north = down(seen.br().y + margin) + metres,
                    .metres = metres,
                    .size = {}};
  piece.size = {static_cast<int>(std::ceil((seen.br().x + margin - piece.west) / metres)),
                static_cast<int>(std::ceil((piece.north - seen.y + margin) / metres))};
  kept = {};  // frees the old one first
  kept = painter_.paint(piece);
  return kept;
}

void WorldRenderer::draw_ground(const SceneView& view, cv::Mat& colour, cv::Mat* road) {
  colour.create(view.size, CV_8UC4);
  for (const RowBand& band : bands_of(view)) {
    const PaintedGround& ground = piece_for(band.level, seen_by(view, band));
    cv::Mat rows = colour.rowRange(band.begin, band.end);
    cv::warpPerspective(ground.colour, rows, piece_to_band(ground.piece, view, band), rows.size(),
                        cv::INTER_LINEAR, cv::BORDER_REPLICATE);
    if (road == nullptr) continue;
    cv::Mat mask = road->rowRange(band.begin, band.end);
    cv::warpPerspective(ground.road, mask, piece_to_band(ground.piece, view, band), mask.size(),
                        cv::INTER_NEAREST, cv::BORDER_REPLICATE);
  }
}

WorldPicture WorldRenderer::render(const SceneView& view, const std::vector<Vehicle>& vehicles,
                                   uint32_t frame) {
  WorldPicture result;
  const SceneView fine = finer(view, supersampling);
  const WorldLight& light = world_.light;
  const bool is_night = light.daylight == Daylight::night;
  cv::Mat ground, road(fine.size, CV_8U);
  draw_ground(fine, ground, &road);
  cv::resize(road, result.road, view.size, 0, 0, cv::INTER_NEAREST);

  cv::Mat shadows(fine.size, CV_8U, grey(255)), added, image;
  if (is_night)
    added = headlights(fine, vehicles);
  else
    for (const Vehicle& vehicle : vehicles)
      if (is_ahead(view, vehicle.pose.at, 22.0))
        draw_shadow(shadows, fine, vehicle, light.sun, light.shade * light.ambient);
  light_up(ground, shadows, added, image);
  ground.release(), shadows.release(), added.release();

  const cv::Point2d to_sun = to_sun_of(light);
  std::vector<Standing> all;
  for (const Building& building : buildings_) add_building(all, fine, building, to_sun);
  for (const Tree& tree : trees_) add_tree(all, fine, tree, light.sun);
  for (const Post& lamp : world_.lamps) add_lamp(all, fine, lamp, is_night ? 2.0 : light.ambient);
  for (const Footbridge& bridge : world_.footbridges)
    add_footbridge(all, fine, bridge, {.light = light.ambient, .to_sun = to_sun});
  for (size_t i = 0; i < vehicles.size(); ++i)
    add_vehicle(
        all, fine, vehicles[i],
        {.light = painter_.light_at(vehicles[i].pose.at),
         .to_sun = to_sun,
         .has_lamps_on = light.daylight != Daylight::day && vehicles[i].id < first_parked_id},
        static_cast<uint16_t>(i + 1));
  std::vector<StandingThing> things;
  for (const Standing& each : all) things.push_back(each.thing);
  cv::Mat ids = cv::Mat::zeros(fine.size, CV_16U);
  StandingCanvas canvas{image, ids, fine};
  for (const size_t i : depth_order(things, view.nadir)) all[i].draw(canvas);

  result.vehicles = seen_vehicles(view, vehicles, ids);
  result.picture = expose(image, view, light, sim::mix(world_.seed, sim::mix(13, frame)));
  return result;
}

}  // namespace shingle
