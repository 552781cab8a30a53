// Annotation: what was found, drawn into the picture: boxes with names and scores, their masks and
// skeletons, areas in colours with a legend, lines of text, a map of numbers in colours, or the
// picture that the model made in its place. Letters and lines follow the picture's size, and those
// of a box its own: a label is never larger than its box.
#pragma once

#include <opencv2/core.hpp>

#include "apps/findings/class_names.hpp"
#include "apps/findings/finding.hpp"
#include "apps/vision/label.hpp"

namespace shingle {

// A NewPicture replaces the picture, at its own size. REQUIRES: 8-bit BGR; the finding is of a
// picture of this size.
void annotate(cv::Mat& picture, const Finding& finding, const ClassNames& names);

}  // namespace shingle
