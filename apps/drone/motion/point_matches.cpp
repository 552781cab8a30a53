#include "apps/drone/motion/point_matches.hpp"

#include <cassert>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

namespace shingle::drone {
namespace {

constexpr int cells = 4;                   // each way
constexpr double least_quality = 0.02;     // of the best corner of a cell
constexpr double most_return_error = 0.5;  // pixels
constexpr int most_features = 1500;
constexpr float most_ratio = 0.8F;

std::vector<cv::Point2f> followed(const std::vector<cv::Mat>& from, const std::vector<cv::Mat>& to,
                                  const std::vector<cv::Point2f>& points,
                                  std::vector<cv::Point2f> guess,
                                  std::vector<unsigned char>& found) {
  const int flags = guess.empty() ? 0 : cv::OPTFLOW_USE_INITIAL_FLOW;
  std::vector<float> unused_errors;
  cv::calcOpticalFlowPyrLK(from, to, points, guess, found, unused_errors,
                           {flow_window, flow_window}, flow_levels,
                           {cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 30, 0.005}, flags);
  return guess;
}

// By point of `from`: the one of `to` that is clearly nearest, or -1.
std::vector<int> clearly_nearest(const cv::Mat& from, const cv::Mat& to) {
  std::vector<std::vector<cv::DMatch>> pairs;
  cv::BFMatcher(cv::NORM_HAMMING).knnMatch(from, to, pairs, 2);
  std::vector<int> nearest(static_cast<size_t>(from.rows), -1);
  for (const auto& pair : pairs)
    if (pair.size() == 2 && pair[0].distance < most_ratio * pair[1].distance)
      nearest[static_cast<size_t>(pair[0].queryIdx)] = pair[0].trainIdx;
  return nearest;
}

}  // namespace

cv::Mat as_grey(const cv::Mat& picture) {
  if (picture.channels() == 1) return picture;
  cv::Mat grey;
  cv::cvtColor(picture, grey, cv::COLOR_BGR2GRAY);
  return grey;
}

std::vector<cv::Point2f> corners_of(const cv::Mat& grey, const cv::Mat& allowed, int most) {
  assert(grey.type() == CV_8UC1 && allowed.size() == grey.size());
  const double apart = std::max(4.0, std::sqrt(static_cast<double>(grey.total()) / (3.0 * most)));
  std::vector<cv::Point2f> corners, of_cell;
  for (int row = 0; row < cells; ++row)
    for (int column = 0; column < cells; ++column) {
      const cv::Point first(column * grey.cols / cells, row * grey.rows / cells);
      const cv::Point end((column + 1) * grey.cols / cells, (row + 1) * grey.rows / cells);
      const cv::Rect cell(first, end);
      cv::goodFeaturesToTrack(grey(cell), of_cell, most / (cells * cells), least_quality, apart,
                              allowed(cell), 5);
      for (const cv::Point2f& corner : of_cell) corners.push_back(corner + cv::Point2f(first));
    }
  return corners;
}

std::vector<cv::Mat> flow_pyramid(const cv::Mat& grey) {
  std::vector<cv::Mat> levels;
  cv::buildOpticalFlowPyramid(grey, levels, {flow_window, flow_window}, flow_levels);
  return levels;
}

std::vector<PointMatch> matches_by_flow(const std::vector<cv::Mat>& from_levels,
                                        const std::vector<cv::Mat>& to_levels,
                                        std::span<const cv::Point2f> points,
                                        std::span<const cv::Point2f> guess) {
  assert(guess.empty() || guess.size() == points.size());
  if (points.empty()) return {};
  const std::vector<cv::Point2f> start(points.begin(), points.end());
  std::vector<unsigned char> is_there, is_back;
  const std::vector<cv::Point2f> there =
      followed(from_levels, to_levels, start, {guess.begin(), guess.end()}, is_there);
  const std::vector<cv::Point2f> back = followed(to_levels, from_levels, there, start, is_back);
  const cv::Rect2f picture(cv::Point2f(0, 0), cv::Size2f(to_levels.front().size()));
  std::vector<PointMatch> matches;
  for (size_t i = 0; i < start.size(); ++i)
    if (is_there[i] != 0 && is_back[i] != 0 && cv::norm(back[i] - start[i]) < most_return_error &&
        picture.contains(there[i]))
      matches.push_back({start[i], there[i]});
  return matches;
}

std::vector<PointMatch> matches_by_features(const cv::Mat& from, const cv::Mat& from_allowed,
                                            const cv::Mat& to, const cv::Mat& to_allowed) {
  const auto orb = cv::ORB::create(most_features);
  std::vector<cv::KeyPoint> from_points, to_points;
  cv::Mat from_words, to_words;
  orb->detectAndCompute(from, from_allowed, from_points, from_words);
  orb->detectAndCompute(to, to_allowed, to_points, to_words);
  if (from_words.rows < 2 || to_words.rows < 2) return {};
  const std::vector<int> there = clearly_nearest(from_words, to_words);
  const std::vector<int> back = clearly_nearest(to_words, from_words);
  std::vector<PointMatch> matches;
  for (size_t i = 0; i < there.size(); ++i)
    if (there[i] >= 0 && back[static_cast<size_t>(there[i])] == static_cast<int>(i))
      matches.push_back({from_points[i].pt, to_points[static_cast<size_t>(there[i])].pt});
  return matches;
}

}  // namespace shingle::drone
