// Annotation: what was found, drawn into the picture: boxes with names and scores, areas in
// colours with a legend, or the best classes as lines of text. Letters and lines follow the
// picture's size, and those of a box its own: a label is never larger than its box.
#pragma once

#include <opencv2/core.hpp>

#include "apps/vision/class_names.hpp"
#include "apps/vision/finding.hpp"

namespace shingle {

// REQUIRES: 8-bit BGR; the finding is of a picture of this size.
void annotate(cv::Mat& picture, const Finding& finding, const ClassNames& names);

// The colour of a class, the same in every picture; no two of the first 256 classes share one.
cv::Scalar colour_of(int class_id);

}  // namespace shingle
