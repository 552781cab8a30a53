// Points of one picture found again in another one: by optical flow, or by features where the
// pictures are too far apart for flow.
//
// Pictures are 8-bit grey. Points are OpenCV's: 0,0 is the middle of the first pixel.
#pragma once

#include <opencv2/core.hpp>
#include <span>
#include <vector>

namespace shingle::drone {

cv::Mat as_grey(const cv::Mat& picture);  // of BGR; a grey one is shared, not copied

struct PointMatch {
  cv::Point2f from, to;
};

// Corners spread over the picture: each cell of a 4 x 4 grid gives its best ones (Shi and Tomasi
// 1994), so that one rich place does not take all. `allowed` is 0 where none may lie.
std::vector<cv::Point2f> corners_of(const cv::Mat& grey, const cv::Mat& allowed, int most);

// Pyramidal Lucas-Kanade flow (Bouguet 2001), there and back: a point that does not come back to
// within half a pixel is left out. `guess`, as many as points or none, is where they are expected.
// `from_levels` and `to_levels` are pyramids of cv::buildOpticalFlowPyramid with `flow_window`.
inline constexpr int flow_window = 15, flow_levels = 4;
std::vector<cv::Mat> flow_pyramid(const cv::Mat& grey);
std::vector<PointMatch> matches_by_flow(const std::vector<cv::Mat>& from_levels,
                                        const std::vector<cv::Mat>& to_levels,
                                        std::span<const cv::Point2f> points,
                                        std::span<const cv::Point2f> guess = {});

// ORB features (Rublee et al. 2011) that are each other's nearest and clearly nearer than the
// second one (Lowe's ratio 0.8).
std::vector<PointMatch> matches_by_features(const cv::Mat& from, const cv::Mat& from_allowed,
                                            const cv::Mat& to, const cv::Mat& to_allowed);

}  // namespace shingle::drone
