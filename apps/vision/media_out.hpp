// MediaOutput: where the annotated pictures go. A video file (.mp4, .avi, .mkv, .mov), one image
// file, or a folder of images.
#pragma once

#include <optional>
#include <string>

#include "apps/vision/media/mp4_writer.hpp"
#include "apps/vision/media_in.hpp"
#include "apps/vision/video_writer.hpp"

namespace shingle {

class MediaOutput {
 public:
  // Decides by the name's ending; a folder is made. Nothing is opened for a video before the first
  // picture. An error when the input cannot go there (a video into one image), or would be
  // replaced.
  static Result<MediaOutput> open(const std::string& path, const MediaInput& input);

  // In an MP4 file the picture is shown at its own time (Picture::seconds; images without one: two
  // a second); other containers count by the input's rate.
  Status write(const Picture& picture);
  Status close();  // always call it, also after an error: it ends the video well
  const std::string& path() const { return path_; }

 private:
  enum class Kind { mp4, video, image, folder };
  MediaOutput(std::string path, Kind kind, double frames_per_second)
      : path_(std::move(path)), kind_(kind), frames_per_second_(frames_per_second) {}
  Status write_mp4(const Picture& picture, uint64_t number);
  Status write_video(const Picture& picture);

  std::string path_;
  Kind kind_;
  double frames_per_second_;
  uint64_t written_ = 0;
  std::optional<Mp4Writer> mp4_;
  std::optional<VideoWriter> video_;
};

}  // namespace shingle
