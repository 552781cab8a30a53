// Labels: what drawings share: colours, how thick lines are, and letters on a ground that shows
// them.
#pragma once

#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

namespace shingle {

// The colour of a class, the same in every picture; no two of the first 256 classes share one.
cv::Scalar colour_of(int class_id);

struct Pen {
  double letters = 0.4;  // OpenCV's font scale
  int line = 1;
};
Pen pen_for(cv::Size picture);  // the same share of the picture at any size
int line_of(cv::Size box, const Pen& pen);

struct Label {
  std::string text;
  cv::Scalar colour;
};
std::string label_of(const std::string& name, double score);  // "car 0.81"

void draw_lines(cv::Mat& picture, const std::vector<Label>& labels, const Pen& pen);

// Above `box`, no larger than it: where there is no room for `name` and `score` the score goes,
// then all.
void draw_label(cv::Mat& picture, const Label& name, double score, cv::Rect box, const Pen& pen);

}  // namespace shingle
