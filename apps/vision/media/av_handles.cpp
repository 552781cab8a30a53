#include "apps/vision/media/av_handles.hpp"

namespace shingle::av {

std::string reason_of(int error) {
  char text[AV_ERROR_MAX_STRING_SIZE] = "";
  av_strerror(error, text, sizeof text);
  return text;
}

std::string file_url(const std::string& path) { return "file:" + path; }

}  // namespace shingle::av
