#include "apps/drone/verbs/flight_file.hpp"

#include <filesystem>

#include "apps/drone/logs/dji_srt.hpp"
#include "apps/drone/logs/misb0601.hpp"
#include "apps/drone/pipeline/photo_log.hpp"
#include "apps/drone/verbs/input_file.hpp"
#include "apps/vision/media/side_tracks.hpp"
#include "apps/vision/media_in.hpp"
#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

Result<Flight> read_video_log(const std::string& path, const LogOptions& options) {
  const auto tracks = read_side_tracks(path);
  if (!tracks) return tracks.failure();
  if (!tracks->klv.empty()) {
    std::vector<KlvPayload> payloads;
    for (const SidePacket& each : tracks->klv) payloads.push_back({each.bytes, each.seconds});
    return read_klv_log(payloads, path);
  }
  std::vector<SrtCue> cues;
  for (const SidePacket& each : tracks->subtitles) {
    if (!each.seconds) continue;
    const auto* text = reinterpret_cast<const char*>(each.bytes.data());
    cues.push_back({.line = cues.size() + 1,
                    .begin = each.seconds,
                    .end = *each.seconds + each.duration,
                    .text = std::string(text, each.bytes.size())});
  }
  if (!cues.empty()) return read_dji_cues(cues, path, options);
  return bad_input(in_quotes(path) +
                   " is a video without telemetry: it has neither KLV nor subtitles; use the SRT "
                   "file that the drone wrote beside it, or another log");
}

}  // namespace

Result<Flight> read_flight_file(const std::string& path, const FlightFileOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return read_photo_log(path, images_in(path), options.photos_per_second, options.log);
  if (is_image_name(path) && std::filesystem::exists(path, ignored))
    return read_photo_log(path, {path}, 1.0, options.log);
  if (is_video_container(path)) return read_video_log(path, options.log);
  const auto bytes = read_text(path);
  if (!bytes) return bytes.failure();
  return read_flight(*bytes, path, options.log);
}

}  // namespace shingle::drone
