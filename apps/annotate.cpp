#include "apps/annotate.hpp"

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
constexpr size_t legend_lines = 8;

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

// Black on the colour; `at` is the top left corner. Returns the label's height.
int draw(cv::Mat& picture, const Label& label, cv::Point at, const Pen& pen) {
  int below = 0;
  const cv::Size size =
      cv::getTextSize(label.text, cv::FONT_HERSHEY_SIMPLEX, pen.letters, 1, &below) +
      cv::Size(4, 4);
  cv::rectangle(picture, cv::Rect(at, size + cv::Size(0, below)), label.colour, cv::FILLED);
  cv::putText(picture, label.text, at + cv::Point(2, size.height - 2), cv::FONT_HERSHEY_SIMPLEX,
              pen.letters, cv::Scalar::all(0), 1, cv::LINE_AA);
  return size.height + below;
}

int height_of(const Label& label, const Pen& pen) {
  int below = 0;
  return cv::getTextSize(label.text, cv::FONT_HERSHEY_SIMPLEX, pen.letters, 1, &below).height + 4 +
         below;
}

void draw_lines(cv::Mat& picture, const std::vector<Label>& labels, const Pen& pen) {
  int top = 0;
  for (const Label& label : labels) top += draw(picture, label, {0, top}, pen);
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

  void box(const Detection& detection) const {
    const Label label{
        label_of(name_of_class(names, detection.class_id), static_cast<double>(detection.score)),
        colour_of(detection.class_id)};
    const cv::Rect box(
        cv::Point(static_cast<int>(detection.box.x), static_cast<int>(detection.box.y)),
        cv::Size(static_cast<int>(detection.box.w), static_cast<int>(detection.box.h)));
    cv::rectangle(picture, box, label.colour, pen.line, cv::LINE_AA);
    draw(picture, label, {box.x, std::max(0, box.y - height_of(label, pen))}, pen);
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
