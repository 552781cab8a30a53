// libavformat from 60.15 on (Debian 13): side data of the codec's parameters.
#include "apps/vision/media/av_handles.hpp"
#include "apps/vision/media/video_turn.hpp"

namespace shingle::av {

double turn_of(const AVStream& stream) {
  const AVPacketSideData* data =
      av_packet_side_data_get(stream.codecpar->coded_side_data, stream.codecpar->nb_coded_side_data,
                              AV_PKT_DATA_DISPLAYMATRIX);
  return turn_of_matrix(data == nullptr ? nullptr : data->data);
}

}  // namespace shingle::av
