#include "apps/vision/media/side_tracks.hpp"

#include <array>
#include <fstream>
#include <string_view>

#include "apps/vision/media/av_handles.hpp"

namespace shingle {
namespace {

bool is_text(const AVCodecParameters& track) {
  return track.codec_id == AV_CODEC_ID_MOV_TEXT || track.codec_id == AV_CODEC_ID_SUBRIP ||
         track.codec_id == AV_CODEC_ID_TEXT;
}

bool is_klv(const AVCodecParameters& track) { return track.codec_id == AV_CODEC_ID_SMPTE_KLV; }

template <class Wanted>
const AVStream* first_track(const AVFormatContext& input, Wanted wanted) {
  for (unsigned i = 0; i < input.nb_streams; ++i)
    if (wanted(*input.streams[i]->codecpar)) return input.streams[i];
  return nullptr;
}

// A sample of 3GPP timed text (TS 26.245, 5.17): two bytes of length, the text, boxes of styles.
std::vector<std::byte> text_of(std::vector<std::byte> bytes, AVCodecID codec) {
  if (codec != AV_CODEC_ID_MOV_TEXT) return bytes;
  if (bytes.size() < 2) return {};
  const size_t length = std::to_integer<size_t>(bytes[0]) * 256 + std::to_integer<size_t>(bytes[1]);
  bytes.erase(bytes.begin(), bytes.begin() + 2);
  if (length < bytes.size()) bytes.resize(length);
  return bytes;
}

// When the first picture is shown, in seconds of the file. None: no pictures, or no times.
std::optional<double> first_picture(const AVFormatContext& input) {
  const AVStream* pictures = first_track(
      input, [](const AVCodecParameters& track) { return track.codec_type == AVMEDIA_TYPE_VIDEO; });
  if (pictures == nullptr || pictures->start_time == AV_NOPTS_VALUE) return std::nullopt;
  return static_cast<double>(pictures->start_time) * av_q2d(pictures->time_base);
}

// Reads what is left of the file; `begin` is subtracted from the packets' times.
SideTracks tracks_in(AVFormatContext& input, std::optional<double> begin) {
  const AVStream* const text = first_track(input, is_text);
  const AVStream* const klv = first_track(input, is_klv);
  // Pictures are not even read where the file says where the rest lies.
  for (unsigned i = 0; i < input.nb_streams; ++i)
    if (input.streams[i] != text && input.streams[i] != klv)
      input.streams[i]->discard = AVDISCARD_ALL;
  SideTracks tracks;
  const av::Packet packet(av_packet_alloc());
  while (av_read_frame(&input, packet.get()) >= 0) {
    const AVStream& track = *input.streams[packet->stream_index];
    if (&track == text || &track == klv) {
      const auto* data = reinterpret_cast<const std::byte*>(packet->data);
      SidePacket side{.bytes = {data, data + packet->size}};
      if (packet->pts != AV_NOPTS_VALUE) {
        const double seconds = static_cast<double>(packet->pts) * av_q2d(track.time_base);
        if (!begin) begin = seconds;
        side.seconds = seconds - *begin;
      }
      side.duration = static_cast<double>(packet->duration) * av_q2d(track.time_base);
      if (&track == text) side.bytes = text_of(std::move(side.bytes), track.codecpar->codec_id);
      if (!side.bytes.empty())
        (&track == text ? tracks.subtitles : tracks.klv).push_back(std::move(side));
    }
    av_packet_unref(packet.get());
  }
  return tracks;
}

}  // namespace

bool is_video_container(const std::string& path) {
  constexpr size_t packet = 188;  // of a transport stream
  std::array<char, 2 * packet + 1> head{};
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), head.size());
  const std::string_view bytes(head.data(), static_cast<size_t>(file.gcount()));
  if (bytes.size() < head.size()) return false;
  return bytes.substr(4, 4) == "ftyp" || bytes.substr(0, 4) == "\x1A\x45\xDF\xA3" ||
         (bytes[0] == 'G' && bytes[packet] == 'G' && bytes[2 * packet] == 'G');
}

Result<SideTracks> read_side_tracks(const std::string& path) {
  av_log_set_level(AV_LOG_QUIET);
  AVFormatContext* context = nullptr;
  int error = avformat_open_input(&context, av::file_url(path).c_str(), nullptr, nullptr);
  const av::Input input(context);
  if (error >= 0) error = avformat_find_stream_info(context, nullptr);
  if (error < 0) return bad_input("cannot read '" + path + "' as a video: " + av::reason_of(error));
  return tracks_in(*context, first_picture(*context));
}

}  // namespace shingle
