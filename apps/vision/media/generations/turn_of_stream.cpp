// libavformat before 60.15 (Debian 12): side data of the stream.
#include "apps/vision/media/av_handles.hpp"
#include "apps/vision/media/video_turn.hpp"

namespace shingle::av {

double turn_of(const AVStream& stream) {
  return turn_of_matrix(av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, nullptr));
}

}  // namespace shingle::av
