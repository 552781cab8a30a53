#include "apps/vision/media/mp4_writer.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <opencv2/imgproc.hpp>
#include <optional>

#include "apps/vision/media/av_handles.hpp"

namespace shingle {
namespace {

// Exact for 24, 25, 30 and 29.97 pictures a second, and as fine as MPEG-4's encoder takes.
constexpr int ticks_a_second = 60000;
constexpr int64_t key_ticks = ticks_a_second;            // a key picture at least so often
constexpr const char* fragment_microseconds = "500000";  // half of what may be lost
constexpr int never = 1 << 30;                           // pictures: keys are asked for here
constexpr int mpeg4_quality = 3;                         // 1 is the best, 31 the worst

// An MP4 file that is open for writing.
class Container {
 public:
  Container() = default;
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;
  ~Container() { release(); }

  // libav's error; 0 or more is fine.
  int open(const std::string& path) {
    int error = avformat_alloc_output_context2(&context_, nullptr, "mp4", path.c_str());
    if (error < 0) return error;
    error = avio_open(&context_->pb, av::file_url(path).c_str(), AVIO_FLAG_WRITE);
    context_->flush_packets = 1;
    return error;
  }
  int begin(const AVCodecContext& codec) {
    AVStream* stream = avformat_new_stream(context_, nullptr);
    if (stream == nullptr) return AVERROR(ENOMEM);
    stream->time_base = codec.time_base;
    stream->avg_frame_rate = codec.framerate;
    if (const int error = avcodec_parameters_from_context(stream->codecpar, &codec); error < 0)
      return error;
    AVDictionary* options = nullptr;
    av_dict_set(&options, "movflags", "frag_keyframe+empty_moov+default_base_moof", 0);
    av_dict_set(&options, "frag_duration", fragment_microseconds, 0);
    const int error = avformat_write_header(context_, &options);
    av_dict_free(&options);
    return error < 0 ? error : context_->pb->error;
  }
  int write(AVPacket& packet, AVRational time_base) {
    packet.stream_index = 0;
    av_packet_rescale_ts(&packet, time_base, context_->streams[0]->time_base);
    return av_write_frame(context_, &packet);
  }
  int end() {
    const int error = av_write_trailer(context_), flushed = release();
    return error < 0 ? error : flushed;
  }
  int64_t size() const { return avio_tell(context_->pb); }  // of what the file has
  bool is_open() const { return context_ != nullptr; }

  int release() {
    if (context_ == nullptr) return 0;
    const int error = context_->pb != nullptr ? avio_closep(&context_->pb) : 0;
    avformat_free_context(context_);
    context_ = nullptr;
    return error;
  }

 private:
  AVFormatContext* context_ = nullptr;
};

av::Codec opened_encoder(const std::string& name, const Mp4Options& options) {
  const AVCodec* encoder = avcodec_find_encoder_by_name(name.c_str());
  if (encoder == nullptr) return nullptr;
  av::Codec codec(avcodec_alloc_context3(encoder));
  codec->width = options.size.width + options.size.width % 2;
  codec->height = options.size.height + options.size.height % 2;
  codec->pix_fmt = AV_PIX_FMT_YUV420P;
  codec->colorspace = AVCOL_SPC_SMPTE170M;  // what libswscale makes of BGR
  codec->color_range = AVCOL_RANGE_MPEG;
  codec->time_base = {1, ticks_a_second};
  codec->framerate = av_d2q(options.frames_per_second, 100000);
  codec->gop_size = never;
  codec->max_b_frames = 0;
  codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_QSCALE;
  codec->global_quality = FF_QP2LAMBDA * mpeg4_quality;
  AVDictionary* settings = nullptr;  // of libx264; others leave them
  av_dict_set(&settings, "preset", "veryfast", 0);
  av_dict_set(&settings, "tune", "zerolatency", 0);  // a picture is in the file's hands at once
  av_dict_set(&settings, "crf", "22", 0);
  const int error = avcodec_open2(codec.get(), encoder, &settings);
  av_dict_free(&settings);
  return error < 0 ? nullptr : std::move(codec);
}

std::string seconds_text(double seconds) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3f", seconds);
  return text;
}

}  // namespace

struct Mp4Writer::State {
  std::string path;
  Mp4Options options;
  Container container{};
  av::Codec codec{};
  av::Scaler scaler{};
  av::Frame frame{};
  av::Packet packet{};
  std::optional<int64_t> last{};  // ticks of the last picture
  int64_t last_key = 0, last_step = 0;
  uint64_t written = 0, kept = 0;  // pictures; of these in whole fragments
  int64_t kept_bytes = 0;
  std::optional<Error> failed{};

  Status open();
  Status take(const cv::Mat& picture, int64_t ticks);
  Status encode(const AVFrame* picture);  // null: what is left
  Status put();
  Status fail(int error);
};

Status Mp4Writer::State::open() {
  for (size_t i = 0; i < options.encoders.size() && !codec; ++i)
    codec = opened_encoder(options.encoders[i], options);
  if (!codec)
    return Error{"cannot write '" + path +
                 "': libavcodec has no encoder for H.264 or MPEG-4; name a folder or a .avi file"};
  if (const int error = container.open(path); error < 0) return fail(error);
  if (const int error = container.begin(*codec); error < 0) return fail(error);
  kept_bytes = container.size();
  frame.reset(av_frame_alloc());
  packet.reset(av_packet_alloc());
  frame->format = codec->pix_fmt;
  frame->width = codec->width;
  frame->height = codec->height;
  scaler.reset(sws_getContext(codec->width, codec->height, AV_PIX_FMT_BGR24, codec->width,
                              codec->height, codec->pix_fmt, SWS_BILINEAR | SWS_ACCURATE_RND,
                              nullptr, nullptr, nullptr));
  const int error = av_frame_get_buffer(frame.get(), 0);
  return error < 0 || !scaler ? fail(error < 0 ? error : AVERROR(ENOMEM)) : success();
}

Status Mp4Writer::State::take(const cv::Mat& picture, int64_t ticks) {
  cv::Mat even = picture;
  if (picture.cols != codec->width || picture.rows != codec->height)
    cv::copyMakeBorder(picture, even, 0, codec->height - picture.rows, 0,
                       codec->width - picture.cols, cv::BORDER_REPLICATE);
  if (const int error = av_frame_make_writable(frame.get()); error < 0) return fail(error);
  const uint8_t* const lines[] = {even.data};
  const int stride[] = {static_cast<int>(even.step)};
  sws_scale(scaler.get(), lines, stride, 0, even.rows, frame->data, frame->linesize);
  const bool is_key = !last || ticks - last_key >= key_ticks;
  if (is_key) last_key = ticks;
  if (last) last_step = ticks - *last;
  last = ticks;
  frame->pts = ticks;
  frame->pict_type = is_key ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
  frame->quality = codec->global_quality;
  return encode(frame.get());
}

Status Mp4Writer::State::encode(const AVFrame* picture) {
  int error = avcodec_send_frame(codec.get(), picture);
  if (error < 0) return fail(error);
  while ((error = avcodec_receive_packet(codec.get(), packet.get())) >= 0)
    if (const Status status = put(); !status) return status;
  return error == AVERROR(EAGAIN) || error == AVERROR_EOF ? success() : fail(error);
}

// A fragment goes to the file when the picture behind it comes.
Status Mp4Writer::State::put() {
  const auto usual = static_cast<int64_t>(ticks_a_second / options.frames_per_second + 0.5);
  packet->duration = last_step > 0 ? last_step : std::max<int64_t>(usual, 1);
  const int error = container.write(*packet, codec->time_base);
  if (error < 0) return fail(error);
  if (container.size() > kept_bytes) {
    kept_bytes = container.size();
    kept = written;
  }
  ++written;
  return success();
}

Status Mp4Writer::State::fail(int error) {
  failed = Error{"cannot write '" + path + "': " + av::reason_of(error)};
  if (written > 0) failed->sentence += "; its first " + std::to_string(kept) + " frames are kept";
  if (!container.is_open()) return *failed;
  container.release();
  std::error_code of_a_device;  // which cannot be cut
  if (kept_bytes > 0)
    std::filesystem::resize_file(path, static_cast<uint64_t>(kept_bytes), of_a_device);
  return *failed;
}

Result<Mp4Writer> Mp4Writer::open(const std::string& path, const Mp4Options& options) {
  av_log_set_level(AV_LOG_QUIET);
  assert(options.size.width > 0 && options.size.height > 0 && options.frames_per_second > 0.0);
  auto state = std::make_unique<State>();
  state->path = path;
  state->options = options;
  if (const Status opened = state->open(); !opened) return opened.failure();
  return Mp4Writer(std::move(state));
}

Mp4Writer::Mp4Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Mp4Writer::Mp4Writer(Mp4Writer&& other) noexcept = default;
Mp4Writer& Mp4Writer::operator=(Mp4Writer&& other) noexcept = default;
Mp4Writer::~Mp4Writer() = default;

Status Mp4Writer::write(const cv::Mat& picture, double seconds) {
  assert(picture.type() == CV_8UC3);
  State& state = *state_;
  if (state.failed) return *state.failed;
  if (picture.size() != state.options.size)
    return Error{"all frames of the video '" + state.path +
                 "' must have one size; write to a folder"};
  const int64_t ticks = std::llround(seconds * ticks_a_second);
  if (state.last && ticks <= *state.last)
    return Error{"the video '" + state.path + "' cannot take a frame at " + seconds_text(seconds) +
                 " s after the one at " +
                 seconds_text(static_cast<double>(*state.last) / ticks_a_second) +
                 " s; times must grow"};
  return state.take(picture, ticks);
}

Status Mp4Writer::close() {
  State& state = *state_;
  if (state.failed) return *state.failed;
  if (!state.container.is_open()) return success();
  if (const Status rest = state.encode(nullptr); !rest) return rest;
  if (const int error = state.container.end(); error < 0) return state.fail(error);
  return success();
}

}  // namespace shingle
