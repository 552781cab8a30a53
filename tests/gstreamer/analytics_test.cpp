// Boxes as GStreamer's own metas for analytics, where it has them (1.24 and later, Debian 13).
#if __has_include(<gst/analytics/analytics.h>)
#define GST_USE_UNSTABLE_API
#include <gst/analytics/analytics.h>

#include "tests/gstreamer/pipeline_fixture.hpp"

using namespace shingle::testing;

TEST_CASE("each region of a buffer is a detection for analytics as well") {
  const TestPicture picture = drawn("BGR", 500, 300);
  Pipeline pipeline(appsrc(picture) + "! " + infer(vehicles_model(), "score=0.02") +
                    "! appsink name=out sync=false");
  pipeline.play();
  pipeline.give(picture, 0);
  pipeline.give_end();
  const Sample sample = pipeline.pulled();
  REQUIRE(sample != nullptr);
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
  CHECK(pipeline.end() == "end of stream");
}

#endif
