#include "apps/vision/annotate.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <opencv2/imgproc.hpp>
#include <optional>

namespace shingle {
namespace {

// Okabe and Ito's colours (BGR): told apart by the colour-blind too. Black letters read on each.
const std::array<cv::Scalar, 7> first_colours{cv::Scalar(0, 159, 230),  cv::Scalar(233, 180, 86),
                                              cv::Scalar(115, 158, 0),  cv::Scalar(66, 228, 240),
                                              cv::Scalar(178, 114, 0),  cv::Scalar(0, 94, 213),
                                              cv::Scalar(167, 121, 204)};
constexpr size_t legend_lines = 8;

constexpr double least_letters = 0.3;  // smaller ones nobody reads
constexpr int label_border = 4;        // of a label beyond its letters, both sides together

std::string label_of(const std::string& name, double score) {
  char number[16];
  std::snprintf(number, sizeof number, " %.2f", score);
  return name + number;
}

struct Pen {
  double letters = 0.4;  // OpenCV's font scale
  int line = 1;
};

Pen pen_for(cv::Size picture) {  // the same share of the picture at any size
  const double size = std::max(picture.width, picture.height) / 1000.0;
  return {std::clamp(0.5 * size, 0.35, 2.0), std::clamp(static_cast<int>(2.0 * size + 0.5), 1, 8)};
}

struct Label {
  std::string text;
  cv::Scalar colour;
};

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

void draw_lines(cv::Mat& picture, const std::vector<Label>& labels, const Pen& pen) {
  int top = 0;
  for (const Label& label : labels) top += draw(picture, label, {0, top}, pen.letters);
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

int line_of(cv::Size box, const Pen& pen) {
  return std::clamp(std::min(box.width, box.height) / 20, 1, pen.line);
}

struct Annotation {
  cv::Mat& picture;
  const ClassNames& names;
  Pen pen;

  void operator()(const Unread&) const {}

  void operator()(const Detections& detections) const {
    for (auto worst_first = detections.rbegin(); worst_first != detections.rend(); ++worst_first)
      box(*worst_first);
  }

  void operator()(const ClassMap& map) const {
    for (int y = 0; y < map.height; ++y)
      for (int x = 0; x < map.width; ++x) {
        const int32_t class_id = map.classes[static_cast<size_t>(y * map.width + x)];
        if (class_id == ClassMap::unseen) continue;
        const cv::Scalar colour = colour_of(class_id);
        cv::Vec3b& pixel = picture.at<cv::Vec3b>(y, x);
        for (int c = 0; c < 3; ++c)
          pixel[c] = static_cast<uchar>((pixel[c] + static_cast<int>(colour[c])) / 2);
      }
    legend(map);
  }

  void operator()(const Classification& best) const {
    std::vector<Label> labels;
    for (const ClassScore& of : best)
      labels.push_back({label_of(name_of_class(names, of.class_id), static_cast<double>(of.score)),
                        colour_of(of.class_id)});
    draw_lines(picture, labels, pen);
  }

  // A label larger than its box would hide the neighbours: it loses its score, then it goes.
  void box(const Detection& detection) const {
    const cv::Rect box(
        cv::Point(static_cast<int>(detection.box.x), static_cast<int>(detection.box.y)),
        cv::Size(static_cast<int>(detection.box.w), static_cast<int>(detection.box.h)));
    const cv::Scalar colour = colour_of(detection.class_id);
    cv::rectangle(picture, box, colour, line_of(box.size(), pen), cv::LINE_AA);
    const std::string name = name_of_class(names, detection.class_id);
    for (const std::string& text : {label_of(name, static_cast<double>(detection.score)), name})
      if (const auto letters = letters_within(text, box.size(), pen)) {
        const int top = std::max(0, box.y - size_of(text, *letters).all.height);
        draw(picture, {text, colour}, {box.x, top}, *letters);
        return;
      }
  }

  void legend(const ClassMap& map) const {
    std::vector<Label> labels;
    for (const ClassShare& share : shares_of(map)) {
      if (labels.size() == legend_lines) break;
      labels.push_back({name_of_class(names, share.class_id), colour_of(share.class_id)});
    }
    draw_lines(picture, labels, pen);
  }
};

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

void annotate(cv::Mat& picture, const Finding& finding, const ClassNames& names) {
  std::visit(Annotation{picture, names, pen_for(picture.size())}, finding);
}

}  // namespace shingle
