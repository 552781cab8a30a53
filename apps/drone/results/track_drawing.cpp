#include "apps/drone/results/track_drawing.hpp"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "apps/vision/label.hpp"

namespace shingle::drone {
namespace {

// Seen from the air, vehicles are small and many: letters of the usual size hide their neighbours.
constexpr double share_of_letters = 0.6, least_letters = 0.35;

Pen small_pen_for(cv::Size picture) {
  const Pen usual = pen_for(picture);
  return {std::max(least_letters, share_of_letters * usual.letters), std::max(1, usual.line / 2)};
}

// "car 12  43 km/h"
std::string text_of(const Sighting& sighting, const std::string& name) {
  std::string text = name + " " + std::to_string(sighting.track);
  if (const auto& speed = sighting.ground.speed_mps.value)
    text += "  " + std::to_string(std::lround(*speed * kmh_per_mps)) + " km/h";
  return text;
}

// Beside the box, where all of it is in the picture; on a ground of its colour.
void draw_text(cv::Mat& picture, const std::string& text, const cv::Scalar& colour, cv::Rect box,
               const Pen& pen) {
  int below = 0;
  const cv::Size size =
      cv::getTextSize(text, cv::FONT_HERSHEY_SIMPLEX, pen.letters, pen.line, &below);
  const int height = size.height + below + 2;
  const int x = std::clamp(box.x, 0, std::max(0, picture.cols - size.width - 4));
  const int above = box.y - height;
  const int y = above >= 0 ? above : std::min(box.y + box.height, picture.rows - height);
  cv::rectangle(picture, {x, y, size.width + 4, height}, colour, cv::FILLED);
  const double brightness = 0.114 * colour[0] + 0.587 * colour[1] + 0.299 * colour[2];
  cv::putText(picture, text, {x + 2, y + size.height + 1}, cv::FONT_HERSHEY_SIMPLEX, pen.letters,
              cv::Scalar::all(brightness > 128.0 ? 0 : 255), pen.line, cv::LINE_AA);
}

}  // namespace

void draw_tracks(cv::Mat& picture, std::span<const Sighting> sightings,
                 const std::function<std::string(int class_id)>& name_of) {
  const Pen pen = small_pen_for(picture.size());
  for (const Sighting& each : sightings) {
    const cv::Rect box(cvRound(each.box.x), cvRound(each.box.y), cvRound(each.box.w),
                       cvRound(each.box.h));
    const cv::Scalar colour = colour_of(std::max(0, each.class_id));
    cv::rectangle(picture, box, colour, line_of(box.size(), pen));
    draw_text(picture, text_of(each, name_of(each.class_id)), colour, box, pen);
  }
}

}  // namespace shingle::drone
