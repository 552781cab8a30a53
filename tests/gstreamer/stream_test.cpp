// Order, ends, flushes, changes of caps and of states.
#include <atomic>

#include "tests/apps/program.hpp"
#include "tests/gstreamer/pipeline_fixture.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

constexpr const char* to_appsink = "! appsink name=out sync=false";
constexpr GstClockTime tenth = GST_SECOND / 10;

GstClockTime pts_of(const Sample& sample) {
  return GST_BUFFER_PTS(gst_sample_get_buffer(sample.get()));
}

int width_in_caps(const Sample& sample) {
  int width = 0;
  gst_structure_get_int(gst_caps_get_structure(gst_sample_get_caps(sample.get()), 0), "width",
                        &width);
  return width;
}

int width_in_meta(const Sample& sample) {
  const GstStructure* meta = frame_meta_of(gst_sample_get_buffer(sample.get()));
  REQUIRE(meta != nullptr);
  int width = 0;
  gst_structure_get_int(meta, "width", &width);
  return width;
}

}  // namespace

TEST_CASE("all frames leave in their order, and the end of the stream comes after the last one") {
  for (const int open : {1, 4, 16}) {
    CAPTURE(open);
    const ScratchFolder folder;
    const TestPicture picture = drawn("BGR", 120, 90);
    Pipeline pipeline(appsrc(picture) + "! " +
                      infer(tiny_model(folder), "head=raw open=" + std::to_string(open)) +
                      to_appsink);
    pipeline.play();
    for (GstClockTime i = 0; i < 40; ++i) pipeline.give(picture, i * tenth);
    pipeline.give_end();
    for (GstClockTime i = 0; i < 40; ++i) {
      const Sample sample = pipeline.pulled();
      REQUIRE(sample != nullptr);
      CHECK(pts_of(sample) == i * tenth);
      CHECK(GST_BUFFER_DURATION(gst_sample_get_buffer(sample.get())) == tenth);
    }
    CHECK(pipeline.pulled() == nullptr);
    CHECK(pipeline.end() == "end of stream");
    CHECK(pipeline.figure("frames") == 40);
    CHECK(pipeline.figure("dropped") == 0);
    CHECK(pipeline.figure("errors") == 0);
    CHECK(pipeline.stat("computed") == 41);  // and one grey picture before the first
    CHECK(pipeline.stat("in-flight") == 0);
  }
}

TEST_CASE("a buffer's pixels are not touched or copied") {
  const ScratchFolder folder;
  const TestPicture picture = drawn("RGB", 121, 91);
  Pipeline pipeline(appsrc(picture) + "! " + infer(tiny_model(folder), "head=raw") + to_appsink);
  pipeline.play();
  GstBuffer* buffer = gst_buffer_new_memdup(picture.pixels.data(), picture.pixels.size());
  GST_BUFFER_PTS(buffer) = 0;
  const GstMemory* memory = gst_buffer_peek_memory(buffer, 0);
  CHECK(gst_app_src_push_buffer(GST_APP_SRC(pipeline.element("in")), buffer) == GST_FLOW_OK);
  const Sample sample = pipeline.pulled();
  REQUIRE(sample != nullptr);
  GstBuffer* left = gst_sample_get_buffer(sample.get());
  CHECK(gst_buffer_peek_memory(left, 0) == memory);
  CHECK(gst_buffer_memcmp(left, 0, picture.pixels.data(), picture.pixels.size()) == 0);
}

TEST_CASE("frames without times are computed, too") {
  const ScratchFolder folder;
  const TestPicture picture = drawn("RGB", 121, 91);
  Pipeline pipeline("appsrc name=in caps=\"" + picture.caps() + "\" ! " +
                    infer(tiny_model(folder), "head=raw") + to_appsink);
  pipeline.play();
  for (int i = 0; i < 5; ++i) pipeline.give(picture, GST_CLOCK_TIME_NONE);
  pipeline.give_end();
  for (int i = 0; i < 5; ++i) CHECK(pipeline.pulled() != nullptr);
  CHECK(pipeline.pulled() == nullptr);
  CHECK(pipeline.end() == "end of stream");
}

TEST_CASE("a flush cancels the frames in flight, and those after it come out") {
  const TestPicture picture = drawn("BGR", 500, 300);
  Pipeline pipeline(appsrc(picture) + "! " + infer(vehicles_model(), "open=4") +
                    "! appsink name=out sync=false max-buffers=1");
  pipeline.play();
  for (GstClockTime i = 0; i < 30; ++i) pipeline.give(picture, i * tenth);
  REQUIRE(becomes_true([&] { return pipeline.stat("in-flight") == 4; }));
  GstElement* source = pipeline.element("in");
  CHECK(gst_element_send_event(source, gst_event_new_flush_start()));
  CHECK(pipeline.stat("in-flight") == 0);
  CHECK(gst_element_send_event(source, gst_event_new_flush_stop(TRUE)));
  const guint64 left_before = pipeline.figure("frames");
  CHECK(left_before < 30);
  for (GstClockTime i = 100; i < 105; ++i) pipeline.give(picture, i * tenth);
  pipeline.give_end();
  GstClockTime before = 0, last = 0;
  size_t after = 0;
  while (const Sample sample = pipeline.pulled()) {
    last = pts_of(sample);
    if (last >= 100 * tenth) {
      CHECK(last == (100 + after) * tenth);
      ++after;
    } else {
      CHECK(after == 0);
      CHECK(before <= last);
      before = last;
    }
  }
  CHECK(after == 5);
  CHECK(pipeline.end() == "end of stream");
}

TEST_CASE("frames in flight keep their size when the caps change") {
  const ScratchFolder folder;
  const TestPicture first = drawn("BGR", 200, 100), second = drawn("RGB", 322, 90);
  Pipeline pipeline(appsrc(first) + "! " + infer(tiny_model(folder), "head=raw open=8") +
                    to_appsink);
  pipeline.play();
  for (int change = 0, i = 0; change < 4; ++change) {
    const TestPicture& picture = change % 2 == 0 ? first : second;
    GstCaps* caps = gst_caps_from_string(picture.caps().c_str());
    gst_app_src_set_caps(GST_APP_SRC(pipeline.element("in")), caps);
    gst_caps_unref(caps);
    for (int k = 0; k < 3; ++k, ++i) pipeline.give(picture, static_cast<GstClockTime>(i) * tenth);
  }
  pipeline.give_end();
  for (int i = 0; i < 12; ++i) {
    const Sample sample = pipeline.pulled();
    REQUIRE(sample != nullptr);
    const int wanted = i / 3 % 2 == 0 ? 200 : 322;
    CHECK(width_in_caps(sample) == wanted);
    CHECK(width_in_meta(sample) == wanted);
  }
  CHECK(pipeline.end() == "end of stream");
}

TEST_CASE("a pipeline stops with frames in flight, leaves no worker, and starts again") {
  const ScratchFolder folder;
  const TestPicture picture = drawn("BGR", 500, 300);
  Pipeline pipeline(appsrc(picture) + "! " + infer(vehicles_model(), "open=8") + to_appsink);
  const size_t before = children().size();
  pipeline.play();
  CHECK(children().size() == before + 2);
  for (GstClockTime i = 0; i < 20; ++i) pipeline.give(picture, i * tenth);
  REQUIRE(becomes_true([&] { return pipeline.stat("in-flight") > 0; }));
  pipeline.set(GST_STATE_NULL);
  CHECK(children().size() == before);
  g_object_set(pipeline.element("infer"), "model", tiny_model(folder).c_str(), "head", "raw",
               "workers", 3U, nullptr);
  pipeline.play();
  CHECK(children().size() == before + 3);
  CHECK(pipeline.figure("frames") == 0);
  pipeline.give(picture, 0);
  pipeline.give_end();
  CHECK(pipeline.pulled() != nullptr);
  CHECK(pipeline.end() == "end of stream");
  pipeline.set(GST_STATE_READY);
  CHECK(children().size() == before);
}

TEST_CASE("when downstream has enough, the stream ends without an error") {
  const ScratchFolder folder;
  Pipeline pipeline("videotestsrc num-buffers=50 ! video/x-raw,format=BGR,width=120,height=90 ! " +
                    infer(tiny_model(folder), "head=raw") + "! identity eos-after=3 ! fakesink");
  pipeline.play();
  CHECK(pipeline.end() == "end of stream");
  CHECK(pipeline.figure("frames") < 50);
}

TEST_CASE("an error downstream ends the stream with that error") {
  const ScratchFolder folder;
  Pipeline pipeline("videotestsrc num-buffers=50 ! video/x-raw,format=BGR,width=120,height=90 ! " +
                    infer(tiny_model(folder), "head=raw") +
                    "! identity name=bad error-after=3 ! fakesink");
  pipeline.play();
  CHECK(pipeline.end().starts_with("error: bad:"));
}

TEST_CASE("an element without a peer says that it is not linked") {
  const ScratchFolder folder;
  Pipeline pipeline("videotestsrc num-buffers=50 ! video/x-raw,format=BGR,width=120,height=90 ! " +
                    infer(tiny_model(folder), "head=raw"));
  pipeline.play();
  const std::string how = pipeline.end();
  CHECK_MESSAGE(how.find("not-linked") != std::string::npos, how);
}

TEST_CASE("buffers from a bounded pool do not stop the stream") {
  const ScratchFolder folder;
  Pipeline pipeline("videotestsrc num-buffers=30 ! video/x-raw,format=RGB,width=120,height=90 ! " +
                    infer(tiny_model(folder), "head=raw open=16") +
                    "! videoconvert ! video/x-raw,format=I420 ! fakesink");
  pipeline.play();
  CHECK(pipeline.end() == "end of stream");
  CHECK(pipeline.figure("frames") == 30);
}

TEST_CASE("two elements with two models follow each other") {
  const ScratchFolder folder;
  const TestPicture picture = drawn("BGR", 500, 300);
  const std::string second = "shingleinfer workers=1 head=raw model=\"" + tiny_model(folder) +
                             "\" node-program=\"" + node_program() + "\" attach=tensors ";
  Pipeline pipeline(appsrc(picture) + "! " + infer(vehicles_model(), "score=0.02 attach=boxes") +
                    "! " + second + to_appsink);
  pipeline.play();
  pipeline.give(picture, 0);
  pipeline.give_end();
  const Sample sample = pipeline.pulled();
  REQUIRE(sample != nullptr);
  GstBuffer* buffer = gst_sample_get_buffer(sample.get());
  CHECK(boxes_of(buffer).size() > 0);
  REQUIRE(frame_meta_of(buffer) != nullptr);
  CHECK(gst_structure_has_field(frame_meta_of(buffer), "tensor-0"));
  CHECK(pipeline.end() == "end of stream");
}
