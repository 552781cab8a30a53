#include "apps/drone/motion/motion_finder.hpp"

#include <cassert>
#include <opencv2/imgproc.hpp>

namespace shingle::drone {
namespace {

constexpr AgreementLimits by_flow{};
constexpr AgreementLimits by_features{.most_error = 2.0, .least_points = 30, .least_share = 0.3};
constexpr AgreementLimits by_fine_flow{.most_error = 0.7, .least_share = 0.3};
constexpr double most_left_over = 5.0;   // pixels between what is expected and found
constexpr double vehicle_margin = 0.15;  // of a box's sides: shadows and wheels

cv::Point2f mapped_point(const cv::Matx33d& matrix, const cv::Point2f& point) {
  const cv::Vec3d at = matrix * cv::Vec3d(point.x, point.y, 1.0);
  return {static_cast<float>(at[0] / at[2]), static_cast<float>(at[1] / at[2])};
}

// How far the middle of the picture goes.
double middle_moved(const cv::Matx33d& matrix, cv::Size size) {
  const cv::Point2f middle(static_cast<float>(size.width) / 2, static_cast<float>(size.height) / 2);
  return cv::norm(mapped_point(matrix, middle) - middle);
}

double error_of(const cv::Matx33d& matrix, const PointMatch& match) {
  return cv::norm(mapped_point(matrix, match.from) - match.to);
}

// Most points stand still: do they lie on marks that are burnt in, while all else moves? Then there
// are whole parts of the picture in which everything moves. Traffic under a camera that stands
// still leaves ground between the vehicles.
std::optional<RobustHomography> moving_behind(std::span<const PointMatch> matches,
                                              const RobustHomography& found, cv::Size size) {
  constexpr int cells = 4, fewest = 3;
  for (const cv::Point2f& corner : {cv::Point2f(0, 0), cv::Point2f(cv::Size2f(size))})
    if (cv::norm(mapped_point(found.matrix, corner) - corner) > by_flow.most_error)
      return std::nullopt;
  std::vector<PointMatch> others;
  for (const PointMatch& match : matches)
    if (error_of(found.matrix, match) > by_flow.most_error) others.push_back(match);
  const auto second = robust_homography(others, size, by_flow);
  if (!second) return std::nullopt;
  int moving[cells][cells] = {}, still[cells][cells] = {};
  for (const PointMatch& match : matches) {
    const int row = std::min(cells - 1, static_cast<int>(match.from.y) * cells / size.height);
    const int column = std::min(cells - 1, static_cast<int>(match.from.x) * cells / size.width);
    if (error_of(found.matrix, match) <= by_flow.most_error)
      ++still[row][column];
    else if (error_of(second->matrix, match) <= by_flow.most_error)
      ++moving[row][column];
  }
  int all_move = 0, none_moves = 0;
  for (int row = 0; row < cells; ++row)
    for (int column = 0; column < cells; ++column) {
      all_move += moving[row][column] >= fewest && still[row][column] == 0 ? 1 : 0;
      none_moves += still[row][column] >= fewest && moving[row][column] == 0 ? 1 : 0;
    }
  return all_move >= fewest && 2 * all_move > none_moves ? second : std::nullopt;
}

void forbid(cv::Mat& allowed, const PixelBox& box, double margin, double scale) {
  const double across = box.w * margin, along = box.h * margin;
  const cv::Rect2d area((box.x - across) / scale, (box.y - along) / scale,
                        (box.w + 2.0 * across) / scale, (box.h + 2.0 * along) / scale);
  const cv::Rect2d inside = area & cv::Rect2d({0, 0}, cv::Size2d(allowed.size()));
  if (inside.width > 0.0 && inside.height > 0.0)
    allowed(cv::Rect(cv::Point(cvFloor(inside.x), cvFloor(inside.y)),
                     cv::Point(cvCeil(inside.br().x), cvCeil(inside.br().y))))
        .setTo(0);
}

}  // namespace

PictureMotion MotionFinder::next(const cv::Mat& picture, std::span<const PixelBox> vehicles) {
  assert(!picture.empty() && picture.depth() == CV_8U);
  PictureMotion motion;
  const bool is_other = picture.size() != whole_;
  if (is_other) {
    whole_ = picture.size();
    scale_ = std::max(1.0, static_cast<double>(whole_.width) / options_.work_width);
    marks_ = {};
  }
  Seen now = seen(picture, vehicles);
  if (is_other)
    begin_chain(std::move(now), motion);
  else {
    follow(now, motion);
    if (!motion.to_key)
      lose(std::move(now), motion);
    else
      previous_ = std::move(now);
  }
  motion.key = key_number_;
  motion.first = first_number_;
  if (motion.to_key && !motion.to_first)
    motion.to_first = in_pixels(key_to_first_ * key_to_previous_->inv());
  ++count_;
  return motion;
}

MotionFinder::Seen MotionFinder::seen(const cv::Mat& picture, std::span<const PixelBox> vehicles) {
  Seen now{.grey = as_grey(picture)};
  if (scale_ > 1.0)
    cv::resize(now.grey, now.grey, {}, 1.0 / scale_, 1.0 / scale_, cv::INTER_AREA);
  else
    now.grey = now.grey.clone();  // the caller may write the next picture into the same memory
  now.levels = flow_pyramid(now.grey);
  now.allowed = allowed_at(now.grey.size(), vehicles);
  now.corners = corners_of(now.grey, now.allowed, options_.most_points);
  return now;
}

cv::Mat MotionFinder::allowed_at(cv::Size size, std::span<const PixelBox> vehicles) const {
  cv::Mat allowed = marks_.allowed(size);
  for (const PixelBox& box : vehicles) forbid(allowed, box, vehicle_margin, scale_);
  for (const PixelBox& box : options_.ignored) forbid(allowed, box, 0.0, scale_);
  return allowed;
}

void MotionFinder::follow(const Seen& now, PictureMotion& motion) {
  const Found step = step_to(now);
  if (step) {
    motion.from_previous = in_pixels(step->matrix);
    motion.points = step->points;
    motion.agreeing = step->agreeing;
    marks_.see(previous_.grey, now.grey, middle_moved(step->matrix, now.grey.size()));
  }
  const KeyFound key = key_to(now, step);
  key_to_previous_.reset();
  if (!key.found) return;
  motion.points = key.found->points;
  motion.agreeing = key.found->agreeing;
  key_to_previous_ = key.found->matrix;
  unknown_ = 0;
  motion.to_key = in_pixels(key.found->matrix.inv());
  if (!key.is_held || common_share(key.found->matrix, now.grey.size()) < options_.least_common)
    begin_key(now, motion);
}

// From picture to picture.
MotionFinder::Found MotionFinder::step_to(const Seen& now) const {
  const cv::Size size = now.grey.size();
  const auto matches = matches_by_flow(previous_.levels, now.levels, previous_.corners);
  if (Found found = robust_homography(matches, size, by_flow)) {
    const Found behind_marks = moving_behind(matches, *found, size);
    return behind_marks ? behind_marks : found;
  }
  return robust_homography(
      matches_by_features(previous_.grey, previous_.allowed, now.grey, now.allowed), size,
      by_features);
}

// From the key frame to this picture: where the step leads, then held against the key frame itself.
MotionFinder::KeyFound MotionFinder::key_to(const Seen& now, const Found& step) const {
  if (step && key_to_previous_) {
    const cv::Matx33d expected = step->matrix * *key_to_previous_;
    if (Found fine = refined(now, expected)) return {fine, true};
    if (!outline_after(expected, now.grey.size())) return {};
    return {RobustHomography{expected, step->points, step->agreeing}, false};
  }
  const Found rough =
      robust_homography(matches_by_features(key_.grey, key_.allowed, now.grey, now.allowed),
                        now.grey.size(), by_features);
  if (!rough) return {};
  const Found fine = refined(now, rough->matrix);
  return {fine ? fine : rough, fine.has_value()};
}

// This picture is laid onto the key frame as expected; flow finds what is left between them.
MotionFinder::Found MotionFinder::refined(const Seen& now, const cv::Matx33d& expected) const {
  const cv::Size size = now.grey.size();
  if (!outline_after(expected, size)) return std::nullopt;
  cv::Mat laid;
  cv::warpPerspective(now.grey, laid, expected, size, cv::INTER_LINEAR | cv::WARP_INVERSE_MAP,
                      cv::BORDER_REPLICATE);
  const cv::Rect2f inside(flow_window, flow_window,
                          static_cast<float>(size.width - 2 * flow_window),
                          static_cast<float>(size.height - 2 * flow_window));
  const cv::Mat beside_marks = marks_.allowed(size);  // a mark is at one place in all pictures
  std::vector<cv::Point2f> shown;
  for (const cv::Point2f& corner : key_.corners) {
    const cv::Point2f at = mapped_point(expected, corner);
    if (inside.contains(at) && now.allowed.at<unsigned char>(cv::Point(at)) != 0 &&
        beside_marks.at<unsigned char>(cv::Point(corner)) != 0)
      shown.push_back(corner);
  }
  std::vector<PointMatch> matches = matches_by_flow(key_.levels, flow_pyramid(laid), shown);
  // What is far from where it is expected does not lie on the ground.
  std::erase_if(matches, [](const PointMatch& match) {
    return cv::norm(match.to - match.from) > most_left_over;
  });
  for (PointMatch& match : matches) match.to = mapped_point(expected, match.to);
  return robust_homography(matches, size, by_fine_flow);
}

void MotionFinder::begin_chain(Seen now, PictureMotion& motion) {
  first_number_ = key_number_ = count_;
  unknown_ = 0;
  key_to_first_ = cv::Matx33d::eye();
  key_to_previous_ = cv::Matx33d::eye();
  motion.to_key = motion.to_first = Homography::Identity();
  motion.is_key = true;
  previous_ = key_ = std::move(now);
}

// Places in this picture are told by itself from here on.
void MotionFinder::begin_key(const Seen& now, PictureMotion& motion) {
  key_to_first_ = key_to_first_ * key_to_previous_->inv();
  motion.to_first = in_pixels(key_to_first_);
  motion.to_key = Homography::Identity();
  motion.is_key = true;
  key_number_ = count_;
  key_to_previous_ = cv::Matx33d::eye();
  key_ = now;
}

void MotionFinder::lose(Seen now, PictureMotion& motion) {
  if (++unknown_ > options_.patience)
    begin_chain(std::move(now), motion);
  else
    previous_ = std::move(now);
}

// Work pixels count from the middle of the first one and are `scale_` whole pixels wide.
Homography MotionFinder::in_pixels(const cv::Matx33d& work) const {
  const cv::Matx33d to_whole(scale_, 0.0, 0.5 * scale_, 0.0, scale_, 0.5 * scale_, 0.0, 0.0, 1.0);
  cv::Matx33d whole = to_whole * work * to_whole.inv();
  whole = whole * (1.0 / whole(2, 2));
  Homography result;
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) result(row, column) = whole(row, column);
  return result;
}

}  // namespace shingle::drone
