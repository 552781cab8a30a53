#include "apps/vision/annotate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "apps/vision/in_colour.hpp"
#include "apps/vision/mat_view.hpp"

namespace shingle {
namespace {

constexpr size_t legend_lines = 8;
constexpr float least_point_score = 0.5F;  // of key points that are drawn

// COCO's 17 key points: nose, eyes, ears, shoulders, elbows, wrists, hips, knees, ankles.
constexpr std::array<std::pair<size_t, size_t>, 19> coco_bones{{{0, 1},
                                                                {0, 2},
                                                                {1, 2},
                                                                {1, 3},
                                                                {2, 4},
                                                                {3, 5},
                                                                {4, 6},
                                                                {5, 6},
                                                                {5, 7},
                                                                {7, 9},
                                                                {6, 8},
                                                                {8, 10},
                                                                {5, 11},
                                                                {6, 12},
                                                                {11, 12},
                                                                {11, 13},
                                                                {13, 15},
                                                                {12, 14},
                                                                {14, 16}}};
constexpr size_t coco_points = 17;

// Where OpenCV draws it. What lies far outside is moved: its lines leave the picture there.
cv::Point pixel_of(double x, double y) {
  constexpr double far = 16000.0;
  return {cvRound(std::clamp(x, -far, far)), cvRound(std::clamp(y, -far, far))};
}

void blend(cv::Vec3b& pixel, const cv::Scalar& colour) {
  for (int c = 0; c < 3; ++c)
    pixel[c] = static_cast<uchar>((pixel[c] + static_cast<int>(colour[c])) / 2);
}

struct Annotation {
  cv::Mat& picture;
  const ClassNames& names;
  Pen pen;

  void operator()(const Unread&) const {}
  void operator()(const Features&) const {}

  void operator()(const Detections& detections) const { draw_all(detections); }
  void operator()(const Instances& instances) const { draw_all(instances); }
  void operator()(const BodyPoses& poses) const { draw_all(poses); }
  void operator()(const TurnedBoxes& boxes) const { draw_all(boxes); }

  void operator()(const ClassMap& map) const {
    for (int y = 0; y < map.height; ++y)
      for (int x = 0; x < map.width; ++x) {
        const int32_t class_id = map.classes[static_cast<size_t>(y * map.width + x)];
        if (class_id != ClassMap::unseen) blend(picture.at<cv::Vec3b>(y, x), colour_of(class_id));
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

  // Dark is the least, bright the most. What has no number keeps its pixels.
  void operator()(const ValueMap& map) const {
    const FoundRange range = range_of(map);
    const double spread = std::max(double{range.most} - double{range.least}, 1e-30);
    cv::Mat grey(map.height, map.width, CV_8UC1, cv::Scalar(0)), mask = grey.clone(), colours;
    for (int y = 0; y < map.height; ++y)
      for (int x = 0; x < map.width; ++x) {
        const float value = map.values[static_cast<size_t>(y) * static_cast<size_t>(map.width) +
                                       static_cast<size_t>(x)];
        if (!std::isfinite(value)) continue;
        grey.at<uchar>(y, x) =
            static_cast<uchar>((double{value} - double{range.least}) / spread * 255.0 + 0.5);
        mask.at<uchar>(y, x) = 255;
      }
    cv::applyColorMap(grey, colours, cv::COLORMAP_INFERNO);
    colours.copyTo(picture, mask);
  }

  void operator()(const NewPicture& made) const {
    picture = in_colour(mat_of(made.image), picture);
  }

  void operator()(const ReadText& read) const {
    if (!read.text.empty())
      draw_lines(picture, {{label_of(read.text, double{read.score}), colour_of(0)}}, pen);
  }

  template <class T>
  void draw_all(const std::vector<T>& found) const {
    for (auto worst_first = found.rbegin(); worst_first != found.rend(); ++worst_first)
      object(*worst_first);
  }

  void object(const Detection& detection) const {
    const cv::Rect box(
        cv::Point(static_cast<int>(detection.box.x), static_cast<int>(detection.box.y)),
        cv::Size(static_cast<int>(detection.box.w), static_cast<int>(detection.box.h)));
    const cv::Scalar colour = colour_of(detection.class_id);
    cv::rectangle(picture, box, colour, line_of(box.size(), pen), cv::LINE_AA);
    draw_label(picture, {name_of_class(names, detection.class_id), colour},
               static_cast<double>(detection.score), box, pen);
  }

  void object(const Instance& instance) const {
    const cv::Scalar colour = colour_of(instance.detection.class_id);
    for_each_stretch(instance.mask, [&](int y, int begin, int end) {
      for (int x = begin; x < end; ++x) blend(picture.at<cv::Vec3b>(y, x), colour);
    });
    object(instance.detection);
  }

  void object(const BodyPose& pose) const {
    object(pose.detection);
    const auto shown = [](const KeyPoint& point) { return point.score >= least_point_score; };
    const auto place = [](const KeyPoint& point) {
      return pixel_of(double{point.x}, double{point.y});
    };
    if (pose.points.size() == coco_points)
      for (const auto& [from, to] : coco_bones)
        if (shown(pose.points[from]) && shown(pose.points[to]))
          cv::line(picture, place(pose.points[from]), place(pose.points[to]), colour_of(3),
                   pen.line, cv::LINE_AA);
    for (const KeyPoint& point : pose.points)
      if (shown(point))
        cv::circle(picture, place(point), pen.line + 1, colour_of(5), cv::FILLED, cv::LINE_AA);
  }

  void object(const TurnedBox& box) const {
    std::vector<cv::Point> corners;
    for (const PixelPoint& corner : corners_of(box))
      corners.push_back(pixel_of(corner.x, corner.y));
    const cv::Scalar colour = colour_of(box.class_id);
    const cv::Size size(pixel_of(double{box.w}, double{box.h}));
    cv::polylines(picture, corners, true, colour, line_of(size, pen), cv::LINE_AA);
    const cv::Rect all = cv::boundingRect(corners) & cv::Rect(cv::Point(), picture.size());
    draw_label(picture, {name_of_class(names, box.class_id), colour}, double{box.score}, all, pen);
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

void annotate(cv::Mat& picture, const Finding& finding, const ClassNames& names) {
  std::visit(Annotation{picture, names, pen_for(picture.size())}, finding);
}

}  // namespace shingle
