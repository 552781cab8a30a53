#include "tests/clips/coded_video.hpp"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

#include <cmath>
#include <cstring>
#include <memory>

namespace shingle::clips {
namespace {

constexpr AVRational ticks{1, 90000};

int64_t ticks_of(double seconds) { return std::llround(seconds * ticks.den); }

struct Output {
  AVFormatContext* context = nullptr;
  AVCodecContext* codec = nullptr;
  AVFrame* frame = av_frame_alloc();
  AVPacket* packet = av_packet_alloc();
  AVStream *pictures = nullptr, *subtitles = nullptr, *klv = nullptr;
  int64_t picture_ticks = 0;  // how long each is shown

  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() {
    if (context != nullptr && context->pb != nullptr) avio_closep(&context->pb);
    avformat_free_context(context);
    avcodec_free_context(&codec);
    av_frame_free(&frame);
    av_packet_free(&packet);
  }
};

bool open_codec(Output& out, const CodedVideo& video) {
  const AVCodec* encoder = avcodec_find_encoder_by_name("libx264");
  if (encoder == nullptr) return false;
  out.codec = avcodec_alloc_context3(encoder);
  out.codec->width = video.size.width;
  out.codec->height = video.size.height;
  out.codec->pix_fmt = video.has_ten_bits ? AV_PIX_FMT_YUV420P10LE : AV_PIX_FMT_YUV420P;
  out.codec->time_base = ticks;
  out.codec->framerate = av_d2q(video.frames_per_second, 100000);
  out.codec->max_b_frames = video.reorders ? 2 : 0;
  if (video.is_hdr) out.codec->color_trc = AVCOL_TRC_ARIB_STD_B67;
  if ((out.context->oformat->flags & AVFMT_GLOBALHEADER) != 0)
    out.codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  AVDictionary* settings = nullptr;
  av_dict_set(&settings, "crf", "4", 0);
  const int error = avcodec_open2(out.codec, encoder, &settings);
  av_dict_free(&settings);
  return error >= 0;
}

AVStream* side_stream(Output& out, AVMediaType type, AVCodecID id) {
  AVStream* stream = avformat_new_stream(out.context, nullptr);
  stream->codecpar->codec_type = type;
  stream->codecpar->codec_id = id;
  stream->time_base = ticks;
  return stream;
}

bool begin(Output& out, const std::string& path, const CodedVideo& video) {
  if (avformat_alloc_output_context2(&out.context, nullptr, nullptr, path.c_str()) < 0 ||
      !open_codec(out, video))
    return false;
  out.pictures = avformat_new_stream(out.context, nullptr);
  out.pictures->time_base = ticks;
  avcodec_parameters_from_context(out.pictures->codecpar, out.codec);
  const bool is_matroska = std::strcmp(out.context->oformat->name, "matroska") == 0;
  if (!video.subtitles.empty())
    out.subtitles = side_stream(out, AVMEDIA_TYPE_SUBTITLE,
                                is_matroska ? AV_CODEC_ID_SUBRIP : AV_CODEC_ID_MOV_TEXT);
  if (!video.klv_packets.empty())
    out.klv = side_stream(out, AVMEDIA_TYPE_DATA, AV_CODEC_ID_SMPTE_KLV);
  return avio_open(&out.context->pb, path.c_str(), AVIO_FLAG_WRITE) >= 0 &&
         avformat_write_header(out.context, nullptr) >= 0;
}

bool put(Output& out, AVStream& stream) {
  out.packet->stream_index = stream.index;
  av_packet_rescale_ts(out.packet, ticks, stream.time_base);
  return av_interleaved_write_frame(out.context, out.packet) >= 0;
}

bool encode(Output& out, const AVFrame* frame) {
  if (avcodec_send_frame(out.codec, frame) < 0) return false;
  while (avcodec_receive_packet(out.codec, out.packet) >= 0) {
    out.packet->duration = out.picture_ticks;
    if (!put(out, *out.pictures)) return false;
  }
  return true;
}

void paint(Output& out, int value) {
  av_frame_make_writable(out.frame);
  const bool is_deep = out.codec->pix_fmt == AV_PIX_FMT_YUV420P10LE;
  for (int plane = 0; plane < 3; ++plane) {
    const int level = plane == 0 ? 16 + value * 219 / 255 : 128;
    const int rows = plane == 0 ? out.codec->height : out.codec->height / 2;
    const int columns = plane == 0 ? out.codec->width : out.codec->width / 2;
    for (int y = 0; y < rows; ++y) {
      uint8_t* row = out.frame->data[plane] + y * out.frame->linesize[plane];
      for (int x = 0; x < columns; ++x)
        if (is_deep)
          reinterpret_cast<uint16_t*>(row)[x] = static_cast<uint16_t>(level * 4);
        else
          row[x] = static_cast<uint8_t>(level);
    }
  }
}

bool put_side(Output& out, AVStream* stream, const std::vector<SidePacket>& packets) {
  for (const SidePacket& each : packets) {
    if (av_new_packet(out.packet, static_cast<int>(each.bytes.size())) < 0) return false;
    std::memcpy(out.packet->data, each.bytes.data(), each.bytes.size());
    out.packet->pts = out.packet->dts = ticks_of(each.seconds);
    out.packet->duration = ticks_of(each.duration);
    if (!put(out, *stream)) return false;
  }
  return true;
}

bool put_all(Output& out, const CodedVideo& video) {
  out.picture_ticks = ticks_of(1.0 / video.frames_per_second);
  out.frame->format = out.codec->pix_fmt;
  out.frame->width = out.codec->width;
  out.frame->height = out.codec->height;
  if (av_frame_get_buffer(out.frame, 0) < 0) return false;
  for (int i = 0; i < video.frames; ++i) {
    paint(out, 8 + 10 * i % 240);
    out.frame->pts = ticks_of(video.begin_seconds + i / video.frames_per_second);
    if (!encode(out, out.frame)) return false;
  }
  return encode(out, nullptr) && put_side(out, out.subtitles, video.subtitles) &&
         put_side(out, out.klv, video.klv_packets) && av_write_trailer(out.context) >= 0;
}

}  // namespace

Status write_coded(const std::string& path, const CodedVideo& video) {
  av_log_set_level(AV_LOG_QUIET);
  Output out;
  if (!begin(out, path, video) || !put_all(out, video)) return Error{"cannot write " + path};
  return success();
}

}  // namespace shingle::clips
