// The plane-to-plane motion that most points agree on. Too few, or too close together, or a motion
// that no camera makes from picture to picture: none. An unknown motion is better than a wrong one.
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <span>

#include "apps/drone/motion/point_matches.hpp"

namespace shingle::drone {

struct AgreementLimits {
  double most_error = 1.0;       // pixels, of a point that agrees
  size_t least_points = 24;      // that agree
  double least_share = 0.4;      // of all points
  double least_spread = 0.12;    // of the picture's area within the hull of those that agree
  double most_area_ratio = 3.0;  // of the picture's outline before and after, either way
};

struct RobustHomography {
  cv::Matx33d matrix = cv::Matx33d::eye();  // from -> to
  size_t points = 0, agreeing = 0;
};

// `size`: of both pictures. MAGSAC++ (Barath et al. 2020) chooses the points, least squares on them
// the matrix. The same points give the same bits.
std::optional<RobustHomography> robust_homography(std::span<const PointMatch> matches,
                                                  cv::Size size, const AgreementLimits& limits);

// Where the picture's outline goes, from the top left corner clockwise. None: part of it goes to
// infinity, it is turned inside out, or it is not convex any more.
std::optional<std::vector<cv::Point2f>> outline_after(const cv::Matx33d& matrix, cv::Size size);

// The part of the picture that lies within the other one after the motion; 0 where none is known.
double common_share(const cv::Matx33d& matrix, cv::Size size);

}  // namespace shingle::drone
