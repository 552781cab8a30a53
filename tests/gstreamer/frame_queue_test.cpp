// FrameQueue with events alone: frames need a session, so pipelines test them.
#include "apps/gstreamer/frame_queue.hpp"

#include "tests/gstreamer/bare_infer.hpp"

using namespace shingle::testing;
using shingle::gst::EventPointer;
using shingle::gst::FrameQueue;

namespace {

GstFlowReturn pushed(FrameQueue& queue, GstEvent* event) { return queue.push(EventPointer(event)); }

}  // namespace

TEST_CASE("while downstream takes nothing, sticky events are kept, and others hear the reason") {
  start_gstreamer();
  FrameQueue queue;
  CHECK(pushed(queue, tag_event("early")) == GST_FLOW_FLUSHING);  // not open yet
  CHECK(queue.end_flush().empty());
  queue.stop(GST_FLOW_NOT_LINKED);
  CHECK(pushed(queue, tag_event("night")) == GST_FLOW_OK);
  CHECK(pushed(queue, gst_event_new_gap(0, 1)) == GST_FLOW_NOT_LINKED);
  CHECK(pushed(queue, gst_event_new_eos()) == GST_FLOW_NOT_LINKED);
  queue.begin_flush();
  CHECK(pushed(queue, tag_event("late")) == GST_FLOW_FLUSHING);
  CHECK(queue.end_flush().size() == 1);
  CHECK(pushed(queue, gst_event_new_gap(0, 1)) == GST_FLOW_OK);  // it is open again
}

TEST_CASE("a flush hands over the events that waited, in their order") {
  start_gstreamer();
  FrameQueue queue;
  queue.end_flush();
  CHECK(pushed(queue, stream_start("two")) == GST_FLOW_OK);
  CHECK(pushed(queue, segment_from(3)) == GST_FLOW_OK);
  CHECK(pushed(queue, gst_event_new_eos()) == GST_FLOW_OK);
  queue.begin_flush();
  queue.drop_frames();
  const std::vector<EventPointer> events = queue.end_flush();
  REQUIRE(events.size() == 3);
  CHECK(GST_EVENT_TYPE(events[0].get()) == GST_EVENT_STREAM_START);
  CHECK(GST_EVENT_TYPE(events[1].get()) == GST_EVENT_SEGMENT);
  CHECK(GST_EVENT_TYPE(events[2].get()) == GST_EVENT_EOS);
  CHECK(queue.end_flush().empty());
}
