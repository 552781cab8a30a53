#include "apps/scene/render/ground_painter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "apps/scene/overhead.hpp"

namespace shingle {
namespace {

constexpr int strip_rows = 1024;     // painted at a time, to bound memory
constexpr double lamp_reach = 16;    // metres
constexpr double lamp_light = 0.55;  // of daylight, below a lamp

// Smooth noise of one cell size, from a lattice in metres: CV_32F.
cv::Mat octave(const GroundPiece& piece, double cell, uint64_t seed) {
  const double south = piece.north - piece.metres * piece.size.height;
  const double east = piece.west + piece.metres * piece.size.width;
  const auto x0 = static_cast<int64_t>(std::floor(piece.west / cell)) - 1;
  const auto x1 = static_cast<int64_t>(std::floor(east / cell)) + 2;
  const auto y0 = static_cast<int64_t>(std::floor(south / cell)) - 1;
  const auto y1 = static_cast<int64_t>(std::floor(piece.north / cell)) + 2;
  cv::Mat lattice(static_cast<int>(y1 - y0), static_cast<int>(x1 - x0), CV_32F);
  for (int row = 0; row < lattice.rows; ++row)
    for (int column = 0; column < lattice.cols; ++column) {
      const uint64_t place = sim::mix(static_cast<uint64_t>(x0 + column) * 0x9E3779B97F4A7C15ULL,
                                      static_cast<uint64_t>(y0 + row));
      lattice.at<float>(row, column) =
          static_cast<float>(static_cast<double>(sim::mix(seed, place) >> 11) * 0x1p-52 - 1.0);
    }
  // From the middle of a texel to the lattice, whose points stand at whole cells.
  const double step = piece.metres / cell;
  const cv::Matx23d to_lattice{
      step, 0,     piece.west / cell - static_cast<double>(x0) + step / 2,
      0,    -step, piece.north / cell - static_cast<double>(y0) - step / 2};
  cv::Mat smooth;
  cv::warpAffine(lattice, smooth, to_lattice, piece.size, cv::INTER_LINEAR | cv::WARP_INVERSE_MAP,
                 cv::BORDER_REPLICATE);
  return smooth;
}

// Variance about that of one octave. Octaves finer than a texel are left out: they average to 0.
cv::Mat grain_of(const GroundPiece& piece, double coarsest, double finest, double persistence,
                 uint64_t seed) {
  cv::Mat sum(piece.size, CV_32F, cv::Scalar(0));
  double weight = 1.0, all = 0.0;
  uint64_t number = 0;
  for (double cell = coarsest; cell >= finest; cell /= 2, weight *= persistence, ++number) {
    all += weight * weight;
    if (cell < piece.metres) continue;
    cv::Mat smooth = octave(piece, cell, sim::mix(seed, number));
    sum += smooth * weight;
  }
  return sum / std::sqrt(all);
}

void paint_patches(const SceneView& view, cv::Mat& colour, cv::Mat& roughness,
                   const std::vector<Patch>& patches) {
  for (const Patch& patch : patches) {
    const Outline outline = pixels(view, patch.outline, 0);
    fill(colour, outline, patch.colour);
    fill(roughness, outline, grey(patch.roughness * 255));
  }
}

void shade_below(cv::Mat& light, const SceneView& view, const Outline& outline, double low,
                 double high, const WorldLight& world) {
  Outline reach;
  for (const double z : {low, high})
    for (const cv::Point2d& point : outline) reach.push_back(pixel(view, point + world.sun * z, 0));
  fill(light, hull(reach), grey(255 * world.shade));
}

double lamp_at(const std::vector<Post>& lamps, cv::Point2d at) {
  double sum = 0.0;
  for (const Post& lamp : lamps) {
    const cv::Point2d off = lamp.at + lamp.arm - at;
    const double share = off.dot(off) / (lamp_reach * lamp_reach);
    if (share < 1.0) sum += lamp_light * (1 - share) * (1 - share);
  }
  return std::min(sum, 0.8);
}

}  // namespace

SceneView view_of(const GroundPiece& piece) {
  const double k = 1.0 / piece.metres;
  return {.matrix = {k, 0, 0, -piece.west * k, 0, -k, 0, piece.north * k, 0, 0, 0, 1},
          .nadir = {},
          .size = piece.size};
}

PaintedGround GroundPainter::paint(const GroundPiece& piece) const {
  PaintedGround painted{.piece = piece,
                        .colour = cv::Mat(piece.size, CV_8UC4),
                        .road = cv::Mat::zeros(piece.size, CV_8U)};
  for (int row = 0; row < piece.size.height; row += strip_rows) {
    const int rows = std::min(strip_rows, piece.size.height - row);
    GroundPiece strip = piece;
    strip.north -= row * piece.metres;
    strip.size.height = rows;
    paint_strip(strip, painted.colour.rowRange(row, row + rows),
                painted.road.rowRange(row, row + rows));
  }
  return painted;
}

cv::Mat GroundPainter::base_colour(const GroundPiece& piece) const {
  const cv::Mat share = grain_of(piece, 16, 1, 0.7, sim::mix(world_.seed, 21));
  cv::Mat base(piece.size, CV_8UC3);
  const Colour &a = world_.base_a, &b = world_.base_b;
  base.forEach<cv::Vec3b>([&](cv::Vec3b& colour, const int* at) {
    const double part = std::clamp(0.5 + 0.5 * share.at<float>(at[0], at[1]), 0.0, 1.0);
    for (int c = 0; c < 3; ++c)
      colour[c] = cv::saturate_cast<uchar>(a[c] * (1 - part) + b[c] * part);
  });
  return base;
}

void GroundPainter::paint_roads(const SceneView& view, cv::Mat& colour, cv::Mat& roughness,
                                cv::Mat& road) const {
  const RoadDrawing& drawing = world_.network.drawing;
  paint_patches(view, colour, roughness, drawing.verges);
  paint_patches(view, colour, roughness, drawing.asphalt);
  for (const Patch& patch : drawing.asphalt) fill(road, pixels(view, patch.outline, 0), grey(255));
  paint_patches(view, colour, roughness, drawing.marks);
  paint_patches(view, colour, roughness, drawing.islands);
  for (const Patch& patch : drawing.islands) fill(road, pixels(view, patch.outline, 0), grey(0));
  cv::threshold(road, road, 127, 255, cv::THRESH_BINARY);
}

void GroundPainter::paint_strip(const GroundPiece& piece, cv::Mat colour, cv::Mat road) const {
  const SceneView view = view_of(piece);
  cv::Mat painted = base_colour(piece);
  cv::Mat roughness(piece.size, CV_8U, grey(world_.base_roughness * 255));
  paint_patches(view, painted, roughness, world_.fields);
  paint_roads(view, painted, roughness, road);
  const cv::Mat grain = grain_of(piece, 4, 0.0625, 0.85, sim::mix(world_.seed, 22));
  const cv::Mat light = light_on(piece);
  painted.forEach<cv::Vec3b>([&](cv::Vec3b& value, const int* at) {
    const float rough = static_cast<float>(roughness.at<uchar>(at[0], at[1])) / 255.0F;
    const float factor = 1.0F + rough * grain.at<float>(at[0], at[1]);
    cv::Vec4b& out = colour.at<cv::Vec4b>(at[0], at[1]);
    for (int c = 0; c < 3; ++c)
      out[c] = cv::saturate_cast<uchar>(static_cast<float>(value[c]) * factor);
    out[3] = light.at<uchar>(at[0], at[1]);
  });
}

// Shadows of what stands for ever, or what lamps leave in the night.
cv::Mat GroundPainter::light_on(const GroundPiece& piece) const {
  const WorldLight& of_world = world_.light;
  cv::Mat light(piece.size, CV_8U, grey(255));
  const SceneView view = view_of(piece);
  if (of_world.daylight == Daylight::night) {
    // On a coarse grid: lamps have no edges.
    constexpr double step = 1.0;
    GroundPiece coarse{.west = piece.west, .north = piece.north, .metres = step, .size = {}};
    coarse.size = {static_cast<int>(piece.size.width * piece.metres / step) + 2,
                   static_cast<int>(piece.size.height * piece.metres / step) + 2};
    cv::Mat pools(coarse.size, CV_32F, cv::Scalar(0));
    for (int y = 0; y < pools.rows; ++y)
      for (int x = 0; x < pools.cols; ++x)
        pools.at<float>(y, x) = static_cast<float>(
            255 * std::min(1.0, of_world.ambient +
                                    lamp_at(world_.lamps, {coarse.west + (x + 0.5) * step,
                                                           coarse.north - (y + 0.5) * step})));
    const double k = piece.metres / step;
    const cv::Matx23d to_coarse{k, 0, k / 2 - 0.5, 0, k, k / 2 - 0.5};
    cv::Mat fine;
    cv::warpAffine(pools, fine, to_coarse, piece.size, cv::INTER_LINEAR | cv::WARP_INVERSE_MAP,
                   cv::BORDER_REPLICATE);
    fine.convertTo(light, CV_8U);
    return light;
  }
  for (const Building& building : world_.buildings)
    shade_below(light, view, building.outline, 0, building.height, of_world);
  for (const Footbridge& bridge : world_.footbridges) {
    Outline deck;
    for (const cv::Point2d unit : {cv::Point2d(-0.5, -0.5), cv::Point2d(0.5, -0.5),
                                   cv::Point2d(0.5, 0.5), cv::Point2d(-0.5, 0.5)})
      deck.push_back(place(bridge.middle, bridge.length, bridge.width, unit));
    shade_below(light, view, deck, bridge.deck_low, bridge.deck_high, of_world);
  }
  for (const Tree& tree : world_.trees) shade_tree(light, view, tree, of_world.sun, of_world.shade);
  for (const Post& lamp : world_.lamps)
    stroke(light, {pixel(view, lamp.at, 0), pixel(view, lamp.at + of_world.sun * lamp.height, 0)},
           0.16 / piece.metres, grey((of_world.shade + 0.15) * 255));
  return light * of_world.ambient;
}

double GroundPainter::light_at(cv::Point2d at) const {
  const WorldLight& light = world_.light;
  if (light.daylight == Daylight::night)
    return std::min(1.0, light.ambient + 0.05 + lamp_at(world_.lamps, at));
  const auto lies_in_shadow = [&](const Outline& outline, double height) {
    std::vector<cv::Point2f> reach;
    for (const double z : {0.0, height})
      for (const cv::Point2d& point : outline) reach.push_back(point + light.sun * z);
    std::vector<cv::Point2f> around;
    cv::convexHull(reach, around);
    return cv::pointPolygonTest(around, at, false) >= 0;
  };
  for (const Building& building : world_.buildings) {
    const cv::Point2d off = building.outline[0] - at;
    const double far = 70.0 + building.height * std::hypot(light.sun.x, light.sun.y);
    if (off.dot(off) < far * far && lies_in_shadow(building.outline, building.height))
      return light.shade * light.ambient;
  }
  return light.ambient;
}

}  // namespace shingle
