#include "apps/vision/media/video_reader.hpp"

extern "C" {
#include <libavutil/imgutils.h>
}

#include <cassert>
#include <cmath>
#include <cstdio>

#include "apps/vision/media/av_handles.hpp"
#include "apps/vision/media/video_turn.hpp"

namespace shingle {
namespace {

using Clock = std::chrono::steady_clock;

// What libav asks while it waits: may it go on?
struct Patience {
  Clock::time_point until{};
  std::stop_token stop{};

  bool is_over() const { return stop.stop_requested() || Clock::now() >= until; }
  void begin(std::chrono::milliseconds longest, const std::stop_token& by) {
    until = Clock::now() + longest;
    stop = by;
  }
};
int is_over(void* patience) { return static_cast<const Patience*>(patience)->is_over() ? 1 : 0; }

std::string size_text(cv::Size size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

std::string seconds_text(double seconds) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f s", seconds);
  return text;
}

// RTSP over TCP first: what is lost on the way would be holes in pictures.
AVDictionary* options_for(const VideoReaderOptions& options) {
  AVDictionary* dictionary = nullptr;
  av_dict_set(&dictionary, "rtsp_flags", "prefer_tcp", 0);
  if (options.is_live) av_dict_set(&dictionary, "analyzeduration", "1000000", 0);  // microseconds
  return dictionary;
}

bool is_quarter(double turn) { return std::fmod(turn, 90.0) == 0.0; }

void turn_upright(cv::Mat& image, double turn) {
  const auto quarters = static_cast<int>(turn / 90.0);
  constexpr int codes[] = {0, cv::ROTATE_90_CLOCKWISE, cv::ROTATE_180,
                           cv::ROTATE_90_COUNTERCLOCKWISE};
  if (quarters > 0) cv::rotate(image.clone(), image, codes[quarters]);
}

}  // namespace

struct VideoReader::State {
  VideoReaderOptions options;
  Patience patience{};
  av::Input input{};
  AVStream* stream = nullptr;  // the input's
  av::Codec codec{};
  av::Frame frame{}, picture{};  // as decoded; in BGR
  av::Packet packet{};
  av::Scaler scaler{};
  double turn = 0.0;
  bool is_drained = false;  // the decoder was told that nothing follows
  cv::Size first_size{};    // as decoded
  uint64_t given = 0;
  std::optional<int64_t> first_time{};  // of the stream's time base

  Result<std::optional<VideoFrame>> next();
  Status open(const std::string& source);
  Status open_decoder();
  Error failed(int error) const;
  Status feed();
  Result<VideoFrame> taken();
  Status check();
  Result<cv::Mat> image();
};

Error VideoReader::State::failed(int error) const {
  if (!patience.is_over() || patience.stop.stop_requested()) return Error{av::reason_of(error)};
  return Error{"nothing came for " +
               seconds_text(std::chrono::duration<double>(options.longest_wait).count())};
}

Status VideoReader::State::open(const std::string& source) {
  AVFormatContext* context = avformat_alloc_context();
  context->interrupt_callback = {.callback = is_over, .opaque = &patience};
  AVDictionary* dictionary = options_for(options);
  int error = avformat_open_input(&context, source.c_str(), nullptr, &dictionary);
  av_dict_free(&dictionary);
  if (error < 0) return failed(error);  // it has freed the context
  input.reset(context);
  if (error = avformat_find_stream_info(context, nullptr); error < 0) return failed(error);
  if (patience.is_over()) return failed(AVERROR_EXIT);
  return open_decoder();
}

Status VideoReader::State::open_decoder() {
  const AVCodec* decoder = nullptr;
  const int best = av_find_best_stream(input.get(), AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
  if (best < 0 || decoder == nullptr)
    return bad_input(best == AVERROR_DECODER_NOT_FOUND ? "no decoder for its pictures"
                                                       : "there are no moving pictures in it");
  for (unsigned i = 0; i < input->nb_streams; ++i)
    if (static_cast<int>(i) != best) input->streams[i]->discard = AVDISCARD_ALL;
  stream = input->streams[best];
  turn = av::turn_of(*stream);
  codec.reset(avcodec_alloc_context3(decoder));
  if (const int error = avcodec_parameters_to_context(codec.get(), stream->codecpar); error < 0)
    return failed(error);
  codec->pkt_timebase = stream->time_base;
  codec->thread_count = 0;                                    // as many as there are cores
  if (options.is_live) codec->thread_type = FF_THREAD_SLICE;  // the other way holds pictures back
  if (const int error = avcodec_open2(codec.get(), decoder, nullptr); error < 0)
    return failed(error);
  frame.reset(av_frame_alloc());
  picture.reset(av_frame_alloc());
  packet.reset(av_packet_alloc());
  return success();
}

Result<std::optional<VideoFrame>> VideoReader::State::next() {
  for (;;) {
    const int error = avcodec_receive_frame(codec.get(), frame.get());
    if (error >= 0) {
      auto frame_taken = taken();
      if (!frame_taken) return frame_taken.failure();
      return std::optional(std::move(*frame_taken));
    }
    if (error == AVERROR_EOF) return std::optional<VideoFrame>();
    if (is_drained) continue;  // a damaged picture, with others behind it
    if (const Status fed = feed(); !fed) return fed.failure();
  }
}

// One packet, or the news that nothing follows.
Status VideoReader::State::feed() {
  const int error = av_read_frame(input.get(), packet.get());
  if (patience.is_over()) {
    av_packet_unref(packet.get());
    return failed(AVERROR_EXIT);
  }
  if (error < 0) {  // a file that breaks off ends there; whoever waits for a stream must be told
    if (error != AVERROR_EOF && options.is_live) return failed(error);
    is_drained = true;
    avcodec_send_packet(codec.get(), nullptr);
    return success();
  }
  if (packet->stream_index == stream->index)
    avcodec_send_packet(codec.get(), packet.get());  // damaged ones are passed over
  av_packet_unref(packet.get());
  return success();
}

Result<VideoFrame> VideoReader::State::taken() {
  if (const Status fit = check(); !fit) return fit.failure();
  auto bgr = image();
  if (!bgr) return bgr.failure();
  VideoFrame taken{.image = std::move(*bgr)};
  const int64_t time = frame->best_effort_timestamp;
  if (time != AV_NOPTS_VALUE) {
    if (!first_time) first_time = time;
    taken.seconds = static_cast<double>(time - *first_time) * av_q2d(stream->time_base);
  }
  ++given;
  return taken;
}

Status VideoReader::State::check() {
  const cv::Size size(frame->width, frame->height);
  if (given == 0) first_size = size;
  if (size != first_size)
    return bad_input("its picture " + std::to_string(given + 1) + " is " + size_text(size) +
                     ", those before are " + size_text(first_size) + "; cut the video there");
  if (!is_quarter(turn))
    return bad_input(
        "its pictures are turned by " + std::to_string(static_cast<int>(turn)) +
        " degrees; only quarter turns are read: turn them with ffmpeg's filter rotate");
  if (frame->color_trc == AVCOL_TRC_SMPTE2084 || frame->color_trc == AVCOL_TRC_ARIB_STD_B67)
    return bad_input(
        "its pictures are HDR (PQ or HLG), which no model was trained on; convert "
        "them to BT.709 with ffmpeg's filters zscale and tonemap");
  return success();
}

// As OpenCV's own reader converts, so models see the same bytes. More than 8 bits are rounded.
Result<cv::Mat> VideoReader::State::image() {
  const int w = frame->width, h = frame->height;
  if (picture->width != w || picture->height != h) {
    av_frame_unref(picture.get());
    picture->format = AV_PIX_FMT_BGR24;
    picture->width = w;
    picture->height = h;
    if (const int error = av_frame_get_buffer(picture.get(), 0); error < 0) return failed(error);
  }
  scaler.reset(sws_getCachedContext(scaler.release(), w, h,
                                    static_cast<AVPixelFormat>(frame->format), w, h,
                                    AV_PIX_FMT_BGR24, SWS_BICUBIC, nullptr, nullptr, nullptr));
  if (!scaler) return Error{"its pictures' format is not known to libswscale"};
  sws_scale(scaler.get(), frame->data, frame->linesize, 0, h, picture->data, picture->linesize);
  cv::Mat image =
      cv::Mat(h, w, CV_8UC3, picture->data[0], static_cast<size_t>(picture->linesize[0])).clone();
  turn_upright(image, turn);
  return image;
}

Result<VideoReader> VideoReader::open(const std::string& source, const VideoReaderOptions& options,
                                      const std::stop_token& stop) {
  av_log_set_level(AV_LOG_QUIET);
  auto state = std::make_unique<State>();
  state->options = options;
  state->patience.begin(options.longest_wait, stop);
  const bool is_url = source.find("://") != std::string::npos;
  const Status opened = state->open(is_url ? source : av::file_url(source));
  if (!opened) return opened.failure();
  return VideoReader(std::move(state));
}

VideoReader::VideoReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
VideoReader::VideoReader(VideoReader&& other) noexcept = default;
VideoReader& VideoReader::operator=(VideoReader&& other) noexcept = default;
VideoReader::~VideoReader() = default;

Result<std::optional<VideoFrame>> VideoReader::next(const std::stop_token& stop) {
  state_->patience.begin(state_->options.longest_wait, stop);
  return state_->next();
}

double VideoReader::frames_per_second() const {
  const AVRational rate = av_guess_frame_rate(state_->input.get(), state_->stream, nullptr);
  const double number = rate.den > 0 ? av_q2d(rate) : 0.0;
  return number > 0.0 && number < 1000.0 ? number : 0.0;
}

std::optional<uint64_t> VideoReader::frame_count() const {
  if (state_->stream->nb_frames > 0) return static_cast<uint64_t>(state_->stream->nb_frames);
  if (!has_end() || frames_per_second() <= 0.0) return std::nullopt;
  const double seconds = static_cast<double>(state_->input->duration) / AV_TIME_BASE;
  return static_cast<uint64_t>(seconds * frames_per_second() + 0.5);
}

bool VideoReader::has_end() const {
  return state_->input->duration != AV_NOPTS_VALUE && state_->input->duration > 0;
}

cv::Size VideoReader::size() const {
  const AVCodecParameters& parameters = *state_->stream->codecpar;
  const cv::Size size(parameters.width, parameters.height);
  return std::fmod(state_->turn, 180.0) == 90.0 ? cv::Size(size.height, size.width) : size;
}

}  // namespace shingle
