// SideTracks: what a video file carries beside its pictures: subtitles, as DJI's drones write
// their telemetry into MP4 and MOV, and KLV, as MISB's standards put it into transport streams.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle {

struct SidePacket {
  std::vector<std::byte> bytes{};
  // Since the first picture is shown; without pictures, since the track's first packet. None: the
  // packet has no time.
  std::optional<double> seconds{};
  double duration = 0.0;  // seconds; 0: not told
};

struct SideTracks {
  std::vector<SidePacket> subtitles{};  // UTF-8 text, of the first track of text
  std::vector<SidePacket> klv{};        // payloads, of the first track of KLV
};

// By how it begins: MP4, MOV, Matroska or an MPEG transport stream.
bool is_video_container(const std::string& path);

// Reads the whole file, without decoding a picture. A file that breaks off is read as far as it
// goes. Errors: it is no video file.
Result<SideTracks> read_side_tracks(const std::string& path);

}  // namespace shingle
