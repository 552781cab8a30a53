// Time: what a live pipeline is told, and which frames are left out.
#include "tests/apps/program.hpp"
#include "tests/gstreamer/pipeline_fixture.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

constexpr GstClockTime tenth = GST_SECOND / 10;
constexpr const char* to_appsink = "! appsink name=out sync=false";

struct Latency {
  gboolean live = FALSE;
  GstClockTime least = 0, most = 0;
};

Latency latency_of(GstElement* element) {
  Latency latency;
  GstQuery* query = gst_query_new_latency();
  REQUIRE(gst_element_query(element, query));
  gst_query_parse_latency(query, &latency.live, &latency.least, &latency.most);
  gst_query_unref(query);
  return latency;
}

// As a sink says it: the frame of this running time came so late.
void say_late(const Pipeline& pipeline, GstClockTime shown, GstClockTimeDiff late) {
  GstPad* pad = gst_element_get_static_pad(pipeline.element("infer"), "src");
  GstEvent* event = gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1.5, late, shown);
  gst_pad_send_event(pad, event);  // appsrc has no use for it
  gst_object_unref(pad);
}

}  // namespace

TEST_CASE("a live pipeline is told the measured latency") {
  Pipeline pipeline(
      "videotestsrc is-live=true num-buffers=8 name=source ! "
      "video/x-raw,format=BGR,width=500,height=300,framerate=10/1 ! " +
      infer(vehicles_model()) + "! fakesink sync=true qos=false");
  pipeline.play();
  CHECK(pipeline.end() == "end of stream");
  const guint64 own = pipeline.stat("latency");
  CHECK(own > 0);
  const Latency source = latency_of(pipeline.element("source"));
  const Latency all = latency_of(pipeline.element("infer"));
  CHECK(all.live);
  CHECK(all.least == source.least + own);
  CHECK(all.most >= all.least);
  CHECK(pipeline.figure("frames") == 8);
}

TEST_CASE("the latency is known before the first frame") {
  const ScratchFolder folder;
  Pipeline pipeline(
      "videotestsrc is-live=true ! "
      "video/x-raw,format=BGR,width=120,height=90,framerate=10/1 ! " +
      infer(tiny_model(folder), "head=raw") + "! fakesink");
  pipeline.set(GST_STATE_PAUSED);
  CHECK(pipeline.figure("frames") == 0);
  CHECK(pipeline.stat("latency") > 0);
}

TEST_CASE("frames that come too late are not computed, but dropped, counted and told") {
  const ScratchFolder folder;
  const TestPicture picture = drawn("BGR", 120, 90);
  Pipeline pipeline(appsrc(picture) + "! " + infer(tiny_model(folder), "head=raw") + to_appsink);
  pipeline.play();
  pipeline.give(picture, 0);
  REQUIRE(pipeline.pulled() != nullptr);
  say_late(pipeline, 0, 3 * tenth);  // so all up to 0 + 2 * 300 ms + 100 ms are late
  for (GstClockTime i = 1; i < 12; ++i) pipeline.give(picture, i * tenth);
  pipeline.give_end();
  for (GstClockTime i = 8; i < 12; ++i) {
    const Sample sample = pipeline.pulled();
    REQUIRE(sample != nullptr);
    GstBuffer* buffer = gst_sample_get_buffer(sample.get());
    CHECK(GST_BUFFER_PTS(buffer) == i * tenth);
    CHECK(GST_BUFFER_IS_DISCONT(buffer) == (i == 8));
  }
  CHECK(pipeline.pulled() == nullptr);
  CHECK(pipeline.figure("dropped") == 7);
  CHECK(pipeline.figure("frames") == 5);
  CHECK(pipeline.stat("submitted") == 6);  // and one grey picture before the first
  CHECK(pipeline.messages(GST_MESSAGE_QOS) == 7);
}

TEST_CASE("with qos=false late frames are computed") {
  const ScratchFolder folder;
  const TestPicture picture = drawn("BGR", 120, 90);
  Pipeline pipeline(appsrc(picture) + "! " + infer(tiny_model(folder), "head=raw qos=false") +
                    to_appsink);
  pipeline.play();
  pipeline.give(picture, 0);
  REQUIRE(pipeline.pulled() != nullptr);
  say_late(pipeline, 0, 3 * tenth);
  for (GstClockTime i = 1; i < 6; ++i) pipeline.give(picture, i * tenth);
  pipeline.give_end();
  for (int i = 1; i < 6; ++i) CHECK(pipeline.pulled() != nullptr);
  CHECK(pipeline.figure("dropped") == 0);
}

TEST_CASE("a live source that is faster than the workers loses frames at a sink with a clock") {
  Pipeline pipeline(
      "videotestsrc is-live=true num-buffers=400 ! "
      "video/x-raw,format=BGR,width=1280,height=720,framerate=400/1 ! " +
      infer(vehicles_model(), "open=2 workers=1") + "! fakesink sync=true qos=true");
  pipeline.play();
  CHECK(pipeline.end() == "end of stream");
  CHECK(pipeline.figure("frames") > 0);
  CHECK(pipeline.figure("dropped") > 0);
  CHECK(pipeline.figure("frames") + pipeline.figure("dropped") == 400);
}

TEST_CASE(
    "frames that miss the option deadline are dropped and counted, and the stream ends well") {
  const ScratchFolder folder;
  const TestPicture picture = drawn("BGR", 500, 300);
  Pipeline pipeline(appsrc(picture) + "! " +
                    infer(vehicles_model(), "options=\"deadline=0.000001\"") + to_appsink);
  pipeline.play();
  for (GstClockTime i = 0; i < 5; ++i) pipeline.give(picture, i * tenth);
  pipeline.give_end();
  CHECK(pipeline.pulled() == nullptr);
  CHECK(pipeline.end() == "end of stream");
  CHECK(pipeline.figure("frames") == 0);
  CHECK(pipeline.figure("dropped") == 5);
  CHECK(pipeline.stat("late") >= 5);
}
