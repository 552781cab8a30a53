// Inference: what an element shingleinfer does. The element itself (shingle_infer.cpp) is its face
// in GStreamer's type system and calls it.
//
//   upstream -> take(): too late? -> submit -> FrameQueue -> push_next(): metas -> downstream
//               sink pad's thread              '-- the source pad's task
//
// The session is open from READY to PAUSED and back. Buffers are passed on themselves, with metas;
// their pixels are copied once, by shingle_submit_picture().
#pragma once

#include <gst/video/video.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "apps/gstreamer/frame_metas.hpp"
#include "apps/gstreamer/frame_queue.hpp"
#include "apps/gstreamer/infer_session.hpp"
#include "apps/gstreamer/infer_settings.hpp"
#include "apps/gstreamer/late_frames.hpp"
#include "apps/gstreamer/latency_meter.hpp"

namespace shingle::gst {

struct InferPads {
  GstElement* element = nullptr;  // all three outlive the object
  GstPad* sink = nullptr;
  GstPad* source = nullptr;
};

// What the properties say. Guarded by the element's object lock.
struct InferProperties {
  InferSettings session{};  // for the next time that it opens
  bool drops_late = true;   // "qos"; at once
  guint attached = attach_boxes | attach_findings | attach_masks;  // at once
};

struct InferCounts {
  std::atomic<guint64> frames = 0;   // that left
  std::atomic<guint64> dropped = 0;  // that came too late, or missed the option "deadline"
  std::atomic<guint64> errors = 0;   // that ended the stream
};

class Inference {
 public:
  explicit Inference(InferPads pads) : pads_(pads) {}

  InferProperties& properties() { return properties_; }
  const InferCounts& counts() const { return counts_; }
  GstStructure* stats() const;  // the caller's

  // --- state changes ---
  bool open();   // false: it has posted an error
  void close();  // REQUIRES: the pads are not active
  bool activate_source(bool active);

  // --- the sink pad's thread ---
  GstFlowReturn take(BufferPointer buffer);
  GstFlowReturn hear_from_upstream(GstEvent* event);  // takes it
  bool answer_upstream(GstQuery* query);

  // --- any thread ---
  bool hear_from_downstream(GstEvent* event);  // takes it
  bool answer_downstream(GstQuery* query);

 private:
  GstFlowReturn take_serialized(EventPointer event);
  bool read_caps(GstEvent* event);
  bool is_too_late(const PendingFrame& frame);
  PendingFrame pending(BufferPointer buffer) const;
  InferFailure submit(PendingFrame& frame) const;
  GstFlowReturn fail(const InferFailure& failure);
  void drop(const PendingFrame& frame, GstClockTimeDiff behind);
  void begin_flush();
  void end_flush();
  void start_task();

  static void push_next(gpointer self);
  void push(PendingItem item);
  GstFlowReturn push_frame(PendingFrame& frame);
  GstFlowReturn push_computed(PendingFrame& frame);
  void stop(GstFlowReturn why);
  void measure(const PendingFrame& frame);

  bool answer_allocation(GstQuery* query);
  bool answer_latency(GstQuery* query);
  void hear_lateness(GstEvent* event);
  Attached attached() const;
  std::shared_ptr<InferSession> session() const;

  const InferPads pads_;
  InferProperties properties_;
  InferCounts counts_;
  FrameQueue queue_;

  mutable std::mutex mutex_;  // guards these:
  std::shared_ptr<InferSession> session_{};
  LateFrames late_frames_{};
  LatencyMeter latency_{};
  GstClockTime frame_duration_ = 0;  // 0: not known
  uint64_t open_frames_ = 1;

  // Of the sink pad's thread.
  GstVideoInfo info_{};
  bool has_info_ = false;
  GstSegment segment_{};
  bool after_gap_ = false;

  bool gap_downstream_ = false;  // of the task: a frame that was computed was dropped
};

}  // namespace shingle::gst
