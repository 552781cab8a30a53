// A flush takes frames from the stream, but nothing that downstream must know for the next ones.
#include "tests/gstreamer/bare_infer.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

using Heard = std::vector<std::string>;

std::string tiny(const ScratchFolder& folder) {
  return infer(tiny_model(folder), "head=raw open=4");
}

// Begins a flush just before the element hears of a tag, once.
GstPadProbeReturn flush_at_tag(GstPad* pad, GstPadProbeInfo* info, gpointer) {
  if (GST_EVENT_TYPE(gst_pad_probe_info_get_event(info)) != GST_EVENT_TAG) return GST_PAD_PROBE_OK;
  gst_pad_send_event(pad, gst_event_new_flush_start());
  return GST_PAD_PROBE_REMOVE;
}

}  // namespace

TEST_CASE("stream, caps and tag that wait behind frames when a flush comes lead the next frame") {
  const ScratchFolder folder;
  const TestPicture first = drawn("BGR", 120, 90), second = drawn("RGB", 322, 90);
  BareInfer element(tiny(folder));
  Downstream& downstream = element.downstream();
  element.begin("one", first);
  downstream.hold();
  CHECK(element.give(first, 0) == GST_FLOW_OK);
  CHECK(element.give(first, 1) == GST_FLOW_OK);
  CHECK(element.say(stream_start("two")));
  CHECK(element.say(caps_event(second)));
  CHECK(element.say(segment_from(3)));
  CHECK(element.say(tag_event("night")));
  CHECK(element.say(gst_event_new_eos()));
  element.flush();
  downstream.forget();
  CHECK(element.say(segment_from(7)));
  CHECK(element.give(second, 100) == GST_FLOW_OK);
  REQUIRE(downstream.hears("frame 100"));
  CHECK(downstream.heard() ==
        Heard{"stream two", "caps 322", "segment 7", "tag night", "frame 100"});
}

TEST_CASE("of several caps that wait when a flush comes downstream hears the last") {
  const ScratchFolder folder;
  const TestPicture first = drawn("BGR", 120, 90), last = drawn("RGB", 322, 90);
  BareInfer element(tiny(folder));
  Downstream& downstream = element.downstream();
  element.begin("one", first);
  downstream.hold();
  CHECK(element.give(first, 0) == GST_FLOW_OK);
  CHECK(element.say(caps_event(drawn("RGB", 200, 90))));
  CHECK(element.say(caps_event(last)));
  element.flush();
  downstream.forget();
  CHECK(element.say(segment_from(7)));
  CHECK(element.give(last, 100) == GST_FLOW_OK);
  REQUIRE(downstream.hears("frame 100"));
  CHECK(downstream.heard() == Heard{"caps 322", "segment 7", "frame 100"});
}

TEST_CASE("caps and tag that come after downstream had enough outlive the flush that revives it") {
  const ScratchFolder folder;
  const TestPicture first = drawn("BGR", 120, 90), second = drawn("RGB", 322, 90);
  BareInfer element(tiny(folder));
  Downstream& downstream = element.downstream();
  element.begin("one", first);
  downstream.answer(GST_FLOW_EOS);
  CHECK(element.give(first, 0) == GST_FLOW_OK);
  REQUIRE(downstream.hears("end"));
  CHECK(element.say(caps_event(second)));
  CHECK(element.say(tag_event("night")));
  downstream.answer(GST_FLOW_OK);
  element.flush();
  downstream.forget();
  CHECK(element.say(segment_from(7)));
  CHECK(element.give(second, 100) == GST_FLOW_OK);
  REQUIRE(downstream.hears("frame 100"));
  CHECK(downstream.heard() == Heard{"caps 322", "segment 7", "tag night", "frame 100"});
}

TEST_CASE("an event that meets a flush is refused as flushing, not as an error, and comes again") {
  const ScratchFolder folder;
  const TestPicture picture = drawn("BGR", 120, 90);
  BareInfer element(tiny(folder));
  Downstream& downstream = element.downstream();
  element.begin("one", picture);
  gst_pad_add_probe(element.sink(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, flush_at_tag, nullptr,
                    nullptr);
  GstEvent* tag = tag_event("night");
  CHECK(gst_pad_store_sticky_event(element.source(), tag) == GST_FLOW_OK);
  gst_event_unref(tag);
  CHECK(element.give(picture, 0) == GST_FLOW_FLUSHING);  // the tag goes before it
  CHECK(element.say(gst_event_new_flush_stop(TRUE)));
  downstream.forget();
  CHECK(element.say(segment_from(7)));
  CHECK(element.give(picture, 100) == GST_FLOW_OK);
  REQUIRE(downstream.hears("frame 100"));
  CHECK(downstream.heard() == Heard{"segment 7", "tag night", "frame 100"});
  CHECK_FALSE(element.has_error());
}

TEST_CASE("a flush that ends without having begun drops the frames under way, and goes on") {
  const ScratchFolder folder;
  const TestPicture picture = drawn("BGR", 120, 90);
  BareInfer element(tiny(folder));
  Downstream& downstream = element.downstream();
  element.begin("one", picture);
  for (GstClockTime i = 0; i < 4; ++i) CHECK(element.give(picture, i) == GST_FLOW_OK);
  CHECK(element.say(gst_event_new_flush_stop(TRUE)));
  downstream.forget();
  CHECK(element.say(segment_from(7)));
  CHECK(element.give(picture, 100) == GST_FLOW_OK);
  REQUIRE(downstream.hears("frame 100"));
  CHECK(downstream.heard() == Heard{"segment 7", "frame 100"});
  CHECK_FALSE(element.has_error());
}
