#include "tests/clips/clips.hpp"

#include <opencv2/imgproc.hpp>

#include "apps/vision/video_writer.hpp"

namespace shingle::clips {
namespace {

void draw_ground(cv::Mat& image) {
  for (int y = 0; y < image.rows; ++y)
    for (int x = 0; x < image.cols; ++x) {
      const int grain = (x * 7 + y * 13 + (x * y) % 31) % 24;
      const int lane = (y / 24) % 2 == 0 ? 12 : 0;
      image.at<cv::Vec3b>(y, x) = {static_cast<uchar>(90 + grain), static_cast<uchar>(100 + grain),
                                   static_cast<uchar>(95 + grain + lane)};
    }
}

}  // namespace

cv::Mat picture(int frame, cv::Size size) {
  cv::Mat image(size, CV_8UC3);
  draw_ground(image);
  for (int i = 0; i < 5; ++i) {
    const int x = (frame * (3 + i) + i * size.width / 5) % size.width;
    const int y = size.height * (i + 1) / 6;
    const cv::Scalar colour(40.0 * i, 220.0 - 30.0 * i, 60.0 + 35.0 * i);
    if (i % 2 == 0)
      cv::rectangle(image, cv::Rect(x, y - 8, size.width / 10, size.height / 14), colour,
                    cv::FILLED);
    else
      cv::circle(image, cv::Point(x, y), size.height / 20 + 2, colour, cv::FILLED);
  }
  return image;
}

Status render(const std::string& path, int frames, cv::Size size, double frames_per_second) {
  auto writer = VideoWriter::open(path, frames_per_second, size);
  if (!writer) return Error{writer.error()};
  for (int frame = 0; frame < frames; ++frame)
    if (const Status written = writer->write(picture(frame, size)); !written) return written;
  return writer->close();
}

}  // namespace shingle::clips
