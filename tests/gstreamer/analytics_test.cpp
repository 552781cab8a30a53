// Tests that boxes are also GStreamer's own metas for analytics. GStreamer has these from 1.24 on
// (Debian 13); with an older one there is no test here.
#if __has_include(<gst/analytics/analytics.h>)
#define GST_USE_UNSTABLE_API
#include <gst/analytics/analytics.h>

#include "tests/gstreamer/pipeline_fixture.hpp"

using namespace shingle::testing;

TEST_CASE("each region of a buffer is a detection for analytics as well") {
  const TestPicture picture = drawn("BGR", 500, 300);
  const Sample sample = sample_of(picture, infer(vehicles_model(), "score=0.02"));
  GstBuffer* buffer = gst_sample_get_buffer(sample.get());
  const std::vector<CarriedBox> regions = boxes_of(buffer);
  REQUIRE(regions.size() > 1);
  GstAnalyticsRelationMeta* relations = gst_buffer_get_analytics_relation_meta(buffer);
  REQUIRE(relations != nullptr);
  size_t count = 0;
  gpointer state = nullptr;
  GstAnalyticsODMtd detection;
  while (gst_analytics_relation_meta_iterate(relations, &state, gst_analytics_od_mtd_get_mtd_type(),
                                             &detection)) {
    REQUIRE(count < regions.size());
    const CarriedBox& region = regions[count++];
    gint x = 0, y = 0, width = 0, height = 0;
    gfloat confidence = 0.0F;
    REQUIRE(gst_analytics_od_mtd_get_location(&detection, &x, &y, &width, &height, &confidence));
    CHECK(x == static_cast<gint>(region.x));
    CHECK(y == static_cast<gint>(region.y));
    CHECK(width == static_cast<gint>(region.width));
    CHECK(height == static_cast<gint>(region.height));
    CHECK(double{confidence} == region.confidence);
    CHECK(region.label == g_quark_to_string(gst_analytics_od_mtd_get_obj_type(&detection)));
  }
  CHECK(count == regions.size());
}

#endif
