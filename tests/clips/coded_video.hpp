// Videos that cameras write and our own writers do not: other depths, sizes and times, with tracks
// of subtitles or KLV beside the pictures.
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle::clips {

struct SidePacket {
  double seconds = 0.0, duration = 0.0;
  std::string bytes{};
};

struct CodedVideo {
  cv::Size size{64, 48};
  int frames = 10;
  double frames_per_second = 25.0;
  double begin_seconds = 0.0;  // when the first picture is shown
  bool has_ten_bits = false, is_hdr = false;
  bool reorders = false;                  // pictures are not stored in the order of showing
  std::vector<SidePacket> subtitles{};    // text, as the container has it
  std::vector<SidePacket> klv_packets{};  // MPEG-TS only
};

// Frame i is grey: 8 + 10 i. The path's ending names the container: .mp4, .mov, .mkv, .ts, .h264.
Status write_coded(const std::string& path, const CodedVideo& video);

}  // namespace shingle::clips
