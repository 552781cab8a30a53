// Caps that downstream refuses when their event comes, though its answer to the query was yes.
// They wait behind frames, so upstream has got its answer long before downstream refuses them.
#include "tests/gstreamer/bare_infer.hpp"

using namespace shingle;
using namespace shingle::testing;

namespace {

struct RefusedCaps {
  RefusedCaps() {
    element.begin("one", first);
    downstream.refuse(second.width);
  }
  void check_error() const {
    const BusWord word = element.error();
    CHECK_MESSAGE(word.debug.find("not-negotiated") != std::string::npos, word.line());
    CHECK(word.source == "infer");
    CHECK(word.domain == GST_STREAM_ERROR);
    CHECK_FALSE(element.has_error());
  }

  const ScratchFolder folder{};
  const TestPicture first = drawn("BGR", 120, 90), second = drawn("RGB", 322, 90);
  BareInfer element{infer(tiny_model(folder), "head=raw open=4")};
  Downstream& downstream = element.downstream();
};

using Heard = std::vector<std::string>;

}  // namespace

TEST_CASE_FIXTURE(RefusedCaps,
                  "refused caps before the last frame are an error, if the end waits behind it") {
  downstream.hold();
  CHECK(element.give(first, 0) == GST_FLOW_OK);
  CHECK(element.say(caps_event(second)));
  CHECK(element.give(second, 1) == GST_FLOW_OK);
  CHECK(element.say(gst_event_new_eos()));
  downstream.let_go();
  REQUIRE(downstream.hears("end"));
  CHECK(downstream.heard() == Heard{"stream one", "caps 120", "segment 0", "frame 0", "end"});
  check_error();
}

TEST_CASE_FIXTURE(RefusedCaps,
                  "refused caps are told by the next frame's flow, and by an error at the end") {
  CHECK(element.give(first, 0) == GST_FLOW_OK);
  CHECK(element.say(caps_event(second)));
  CHECK(element.give(second, 1) == GST_FLOW_OK);
  REQUIRE(downstream.hears("end"));
  CHECK(element.give(second, 2) == GST_FLOW_NOT_NEGOTIATED);
  CHECK_FALSE(element.has_error());
  CHECK_FALSE(element.say(gst_event_new_eos()));
  check_error();
}

TEST_CASE_FIXTURE(RefusedCaps, "refused caps behind the last frame do not keep the end back") {
  downstream.hold();
  CHECK(element.give(first, 0) == GST_FLOW_OK);
  CHECK(element.say(caps_event(second)));
  CHECK(element.say(gst_event_new_eos()));
  downstream.let_go();
  REQUIRE(downstream.hears("end"));
  CHECK(downstream.heard() == Heard{"stream one", "caps 120", "segment 0", "frame 0", "end"});
  CHECK_FALSE(element.has_error());
}
