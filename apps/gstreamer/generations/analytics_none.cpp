// GStreamer before 1.24, as on Debian 12, or without its library for analytics.
#include "apps/gstreamer/analytics.hpp"

namespace shingle::gst {

void add_analytics(GstBuffer*, std::span<const shingle_box>, PictureSides) {}

}  // namespace shingle::gst
