#include "apps/drone/verbs/video_pictures.hpp"

#include <cassert>

namespace shingle::drone {

Result<VideoPictures> VideoPictures::open(const std::string& path) {
  quiet_media_libraries();
  auto input = MediaInput::open(path);
  if (!input) return bad_input(input.error());
  if (input->is_live())
    return bad_input("'" + path + "' is a live source; its pictures cannot be paired with frames");
  return VideoPictures(path, std::move(*input));
}

Result<bool> VideoPictures::next(std::span<const PixelBox> vehicles) {
  auto picture = input_.next();
  if (!picture) return bad_input(picture.error());
  if (!*picture) return false;
  now_ = std::move(**picture);
  ++frame_;
  motion_ = finder_.next(now_.image, vehicles);
  return true;
}

Status VideoPictures::go_to(uint32_t frame, std::span<const PixelBox> vehicles) {
  assert(frame > frame_);
  before_ = now_;
  while (frame_ < frame) {
    const auto more = next(vehicles);
    if (!more) return more.failure();
    if (!*more)
      return bad_input("'" + path_ + "' ends after " + std::to_string(frame_) +
                       " pictures, before frame " + std::to_string(frame));
    between_.see(motion_);
  }
  camera_motion_ = between_.take();
  return success();
}

std::vector<FollowedBox> VideoPictures::follow(std::span<const PixelBox> boxes) const {
  if (before_.image.empty() || before_.image.size() != now_.image.size()) return {};
  return follow_boxes(before_.image, now_.image, boxes);
}

}  // namespace shingle::drone
