// FrameQueue: frames that are computed, and the events between them, in the order of the stream.
//
//   sink pad's thread   wait_for_room() -> push()
//   source pad's task   wait_for_head() -> shingle_wait() -> take() -> downstream -> pushed()
//   any thread          begin_flush(): cancels all requests, so that both threads leave
//
//   open -- stop(flow) --> stopped: downstream takes nothing; frames are dropped, sticky events
//   kept
//     |                       | revive()
//     '-- begin_flush() --> flushing -- end_flush() --> open and empty
//
// One lock guards all of it. A request is freed by take(), stop(), drop_frames(), clear() or
// end_flush() alone, so the task may wait for the head's without the lock.
#pragma once

#include <gst/video/video.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include "apps/gstreamer/gst_pointers.hpp"
#include "apps/gstreamer/infer_session.hpp"

namespace shingle::gst {

struct PendingFrame {
  BufferPointer buffer;
  RequestHandle request;
  GstVideoInfo info;  // of this frame: later ones may have other sides
  GstClockTime running_time, stream_time;
  std::chrono::nanoseconds submitting{};  // how long its submission took
  bool after_gap = false;                 // frames before it were dropped
};

using PendingItem = std::variant<std::unique_ptr<PendingFrame>, EventPointer>;

class FrameQueue {
 public:
  // Frames under way at once, from now on. At least 1.
  void set_most_frames(size_t most);

  // --- the sink pad's thread ---
  // Until a frame may be added. What downstream takes: GST_FLOW_OK, or why there will be no room.
  GstFlowReturn wait_for_frame_room();
  void wait_for_event_room();  // or until push() refuses events
  // GST_FLOW_OK: the item is behind all others. Else it is gone, and this is why.
  GstFlowReturn push(PendingItem item);
  // Until all that was pushed is downstream. False: it is flushing, or downstream takes nothing.
  bool wait_until_empty();

  // --- the source pad's task ---
  struct Head {
    shingle_request* request = nullptr;  // null: an event
  };
  std::optional<Head> wait_for_head();  // none: it is flushing
  std::optional<PendingItem> take();    // the head; none: it is flushing
  void pushed();                        // what was taken is downstream
  // From now on downstream takes nothing, for this reason. True: the end of the stream waits, so
  // that nobody upstream will hear of it.
  bool stop(GstFlowReturn why);

  // --- any thread ---
  // If it was stopped for this reason, downstream takes frames again.
  void revive(GstFlowReturn why);
  void begin_flush();
  void drop_frames();  // not the events. REQUIRES: it is flushing, and the task does not run
  void clear();        // REQUIRES: it is flushing, and the task does not run
  // Opens it, empty. The events that were in it, in their order. REQUIRES: the task does not run.
  std::vector<EventPointer> end_flush();
  bool is_flushing() const;
  size_t frames() const;

 private:
  bool is_kept(const PendingItem& item) const;
  GstFlowReturn flow_locked() const { return flushing_ ? GST_FLOW_FLUSHING : flow_; }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<PendingItem> items_;
  size_t most_frames_ = 1, frames_ = 0;
  bool flushing_ = true;  // until the source pad is active
  bool pushing_ = false;  // the task has an item that is not downstream yet
  GstFlowReturn flow_ = GST_FLOW_OK;
};

}  // namespace shingle::gst
