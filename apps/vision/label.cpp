#include "apps/vision/label.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <opencv2/imgproc.hpp>

namespace shingle {
namespace {

// Okabe and Ito's colours (BGR): told apart by the colour-blind too. Black letters read on each.
const std::array<cv::Scalar, 7> first_colours{cv::Scalar(0, 159, 230),  cv::Scalar(233, 180, 86),
                                              cv::Scalar(115, 158, 0),  cv::Scalar(66, 228, 240),
                                              cv::Scalar(178, 114, 0),  cv::Scalar(0, 94, 213),
                                              cv::Scalar(167, 121, 204)};
constexpr double least_letters = 0.3;  // smaller ones nobody reads
constexpr int label_border = 4;        // of a label beyond its letters, both sides together

struct LabelSize {
  cv::Size all;
  int below = 0;  // the part of the height that is below the letters' line
};

LabelSize size_of(const std::string& text, double letters) {
  LabelSize size;
  size.all = cv::getTextSize(text, cv::FONT_HERSHEY_SIMPLEX, letters, 1, &size.below) +
             cv::Size(label_border, label_border);
  size.all.height += size.below;
  return size;
}

// Black on the colour; `at` is the top left corner. Returns the label's height.
int draw(cv::Mat& picture, const Label& label, cv::Point at, double letters) {
  const LabelSize size = size_of(label.text, letters);
  cv::rectangle(picture, cv::Rect(at, size.all), label.colour, cv::FILLED);
  const cv::Point line(label_border / 2, size.all.height - size.below - label_border / 2);
  cv::putText(picture, label.text, at + line, cv::FONT_HERSHEY_SIMPLEX, letters, cv::Scalar::all(0),
              1, cv::LINE_AA);
  return size.all.height;
}

// The largest letters, at most the picture's, whose label is no larger than the box; none where
// those could not be read.
std::optional<double> letters_within(const std::string& text, cv::Size box, const Pen& pen) {
  const double least = std::max(least_letters, pen.letters / 2);
  for (double letters = pen.letters; letters >= least; letters *= 0.95) {
    const cv::Size label = size_of(text, letters).all;
    if (label.width <= box.width && label.height <= box.height) return letters;
  }
  return std::nullopt;
}

}  // namespace

// Beyond the first colours: the bits of the number spread over the channels, as PASCAL VOC's
// palette does it, and lightened so that black letters read.
cv::Scalar colour_of(int class_id) {
  const auto index = static_cast<size_t>(std::max(class_id, 0));
  if (index < first_colours.size()) return first_colours[index];
  std::array<int, 3> channels{};
  for (size_t bit = 0; bit < 24; ++bit)
    channels[bit % 3] |= static_cast<int>((index >> bit) & 1U) << (7 - bit / 3);
  return {64.0 + channels[2] * 0.75, 64.0 + channels[1] * 0.75, 64.0 + channels[0] * 0.75};
}

Pen pen_for(cv::Size picture) {  // the same share of the picture at any size
  const double size = std::max(picture.width, picture.height) / 1000.0;
  return {std::clamp(0.5 * size, 0.35, 2.0), std::clamp(static_cast<int>(2.0 * size + 0.5), 1, 8)};
}

int line_of(cv::Size box, const Pen& pen) {
  return std::clamp(std::min(box.width, box.height) / 20, 1, pen.line);
}

std::string label_of(const std::string& name, double score) {
  char number[16];
  std::snprintf(number, sizeof number, " %.2f", score);
  return name + number;
}

void draw_lines(cv::Mat& picture, const std::vector<Label>& labels, const Pen& pen) {
  int top = 0;
  for (const Label& label : labels) top += draw(picture, label, {0, top}, pen.letters);
}

void draw_label(cv::Mat& picture, const Label& name, double score, cv::Rect box, const Pen& pen) {
  for (const std::string& text : {label_of(name.text, score), name.text})
    if (const auto letters = letters_within(text, box.size(), pen)) {
      const int top = std::max(0, box.y - size_of(text, *letters).all.height);
      draw(picture, {text, name.colour}, {box.x, top}, *letters);
      return;
    }
}

}  // namespace shingle
