// BareInfer: an element shingleinfer between two pads of the test, which sees every event and every
// flow return, and decides when downstream takes a buffer, and whether.
//
//   test's thread    say(), give() -> source pad -> shingleinfer
//   element's task   shingleinfer -> Downstream: holds, hears, answers
//
// All waits end after a minute.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/gstreamer/pipeline_fixture.hpp"

namespace shingle::testing {

// Events; the caller's.
GstEvent* stream_start(const std::string& name);
GstEvent* caps_event(const TestPicture& picture);
GstEvent* segment_from(uint64_t seconds);
GstEvent* tag_event(const std::string& title);

// A sink pad without an element. Functions may be called on any thread.
class Downstream {
 public:
  Downstream();
  ~Downstream();
  Downstream(const Downstream&) = delete;
  Downstream& operator=(const Downstream&) = delete;

  GstPad* pad() const { return pad_; }
  void hold();  // the next buffer waits: until let_go() or a flush
  void let_go();
  void refuse(int32_t width);       // the event of such caps, though a query says that they fit
  void answer(GstFlowReturn flow);  // to buffers, from now on

  // What it took, in its order: "stream NAME", "caps WIDTH", "segment SECONDS", "tag TITLE", "end",
  // "frame NUMBER", and other events by GStreamer's name.
  std::vector<std::string> heard() const;
  bool hears(const std::string& what) const;  // waits for it
  void forget();                              // what it has heard

 private:
  static GstFlowReturn chain(GstPad* pad, GstObject* parent, GstBuffer* buffer);
  static gboolean event(GstPad* pad, GstObject* parent, GstEvent* event);
  GstFlowReturn take(GstClockTime pts);
  bool hear(GstEvent* event);

  GstPad* pad_ = nullptr;
  mutable std::mutex mutex_;  // guards these:
  mutable std::condition_variable changed_;
  std::vector<std::string> heard_;
  std::optional<int32_t> refused_width_;
  GstFlowReturn answer_ = GST_FLOW_OK;
  bool holds_ = false, flushing_ = false;
};

class BareInfer {
 public:
  // The element's words in a pipeline, as of infer(). The test fails if it does not start.
  explicit BareInfer(const std::string& element);
  ~BareInfer();
  BareInfer(const BareInfer&) = delete;
  BareInfer& operator=(const BareInfer&) = delete;

  GstPad* source() const { return source_; }  // the test's, linked to sink()
  GstPad* sink() const { return sink_; }      // the element's
  Downstream& downstream() { return downstream_; }

  bool say(GstEvent* event) const;  // takes it; whether it was heard
  // A stream with caps and the segment 0, which downstream has heard then.
  void begin(const std::string& stream, const TestPicture& picture) const;
  GstFlowReturn give(const TestPicture& picture, GstClockTime number) const;  // at NUMBER / 10 s
  void flush() const;
  BusWord error() const;  // the next one on the bus; the test fails if none comes
  bool has_error() const;

 private:
  GstElement* element_ = nullptr;
  GstBus* bus_ = nullptr;
  GstPad *source_ = nullptr, *sink_ = nullptr;
  Downstream downstream_;
};

}  // namespace shingle::testing
