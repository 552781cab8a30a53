// Owners of libav's objects, and its errors as text. Only files of this folder include it.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}

#include <memory>
#include <string>

namespace shingle::av {

struct Release {
  void operator()(AVCodecContext* codec) const { avcodec_free_context(&codec); }
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
  void operator()(SwsContext* scaler) const { sws_freeContext(scaler); }
  void operator()(AVFormatContext* input) const { avformat_close_input(&input); }
};
using Input = std::unique_ptr<AVFormatContext, Release>;  // of what is read
using Codec = std::unique_ptr<AVCodecContext, Release>;
using Frame = std::unique_ptr<AVFrame, Release>;
using Packet = std::unique_ptr<AVPacket, Release>;
using Scaler = std::unique_ptr<SwsContext, Release>;

// "No space left on device".
std::string reason_of(int error);

// A file's name that libav takes as one, whatever letters and colons are in it.
std::string file_url(const std::string& path);

}  // namespace shingle::av
