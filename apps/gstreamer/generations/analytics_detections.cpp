// GStreamer from 1.24 on, as on Debian 13.
#include <gst/analytics/analytics.h>

#include "apps/gstreamer/analytics.hpp"

namespace shingle::gst {

void add_analytics(GstBuffer* buffer, std::span<const shingle_box> boxes, PictureSides picture) {
  if (boxes.empty()) return;
  GstAnalyticsRelationMeta* relations = gst_buffer_add_analytics_relation_meta(buffer);
  if (relations == nullptr) return;
  for (const shingle_box& box : boxes) {
    const BoxRegion at = region_of(box, picture);
    GstAnalyticsODMtd detection;
    gst_analytics_relation_meta_add_od_mtd(relations, g_quark_from_string(box.class_name),
                                           static_cast<gint>(at.x), static_cast<gint>(at.y),
                                           static_cast<gint>(at.width),
                                           static_cast<gint>(at.height), box.score, &detection);
  }
}

}  // namespace shingle::gst
