// The source pad's task, and events and queries that come from downstream.
#include <algorithm>

#include "apps/gstreamer/bus_messages.hpp"
#include "apps/gstreamer/inference.hpp"

namespace shingle::gst {

void Inference::push_next(gpointer self) {
  auto& inference = *static_cast<Inference*>(self);
  const auto head = inference.queue_.wait_for_head();
  if (head && head->request != nullptr) shingle_wait(head->request, -1);  // begin_flush() ends it
  auto item = head ? inference.queue_.take() : std::nullopt;
  if (!item) {
    gst_pad_pause_task(inference.pads_.source);
    return;
  }
  inference.push(std::move(*item));
  inference.queue_.pushed();
}

void Inference::push(PendingItem item) {
  if (auto* event = std::get_if<EventPointer>(&item)) {
    gst_pad_push_event(pads_.source, event->release());
    return;
  }
  const GstFlowReturn flow = push_frame(*std::get<std::unique_ptr<PendingFrame>>(item));
  if (flow < GST_FLOW_OK) stop(flow);
}

// The request has ended: push_next() has waited for it. A flush waits for this task and does not
// cancel what was taken, so nothing may block here but downstream.
GstFlowReturn Inference::push_frame(PendingFrame& frame) {
  const shingle_code code = shingle_wait(frame.request.get(), -1);
  if (code == SHINGLE_OK) return push_computed(frame);
  if (code == SHINGLE_CANCELLED) return GST_FLOW_FLUSHING;
  if (code != SHINGLE_LATE) return fail(last_failure(code));
  gap_downstream_ = true;
  drop(frame, 0);
  return GST_FLOW_OK;
}

GstFlowReturn Inference::push_computed(PendingFrame& frame) {
  GstBuffer* buffer = gst_buffer_make_writable(frame.buffer.release());
  const shingle_code code = attach_metas(buffer, frame.request.get(), frame.info, attached());
  if (code != SHINGLE_OK) {
    gst_buffer_unref(buffer);
    return fail(last_failure(code));
  }
  measure(frame);
  frame.request.reset();  // its outputs are not needed while downstream works
  if (frame.after_gap || gap_downstream_) GST_BUFFER_FLAG_SET(buffer, GST_BUFFER_FLAG_DISCONT);
  gap_downstream_ = false;
  ++counts_.frames;
  return gst_pad_push(pads_.source, buffer);
}

// Upstream hears of it by its next frame. If it has sent its last one, the element says it itself.
// An end from upstream would not pass any more, so downstream gets one here.
void Inference::stop(GstFlowReturn why) {
  const bool end_waits = queue_.stop(why);
  const bool is_refused = why == GST_FLOW_NOT_LINKED || why == GST_FLOW_NOT_NEGOTIATED;
  if (end_waits && (is_refused || why < GST_FLOW_ERROR)) GST_ELEMENT_FLOW_ERROR(pads_.element, why);
  if (why == GST_FLOW_EOS || why == GST_FLOW_NOT_NEGOTIATED || why <= GST_FLOW_ERROR)
    gst_pad_push_event(pads_.source, gst_event_new_eos());
}

// Without the time that it waited for downstream: that depends on what is told here.
void Inference::measure(const PendingFrame& frame) {
  int64_t computing = 0;
  shingle_duration(frame.request.get(), &computing);
  std::unique_lock lock(mutex_);
  const bool has_risen = latency_.add(frame.submitting + std::chrono::nanoseconds(computing));
  lock.unlock();
  if (has_risen)
    gst_element_post_message(pads_.element, gst_message_new_latency(GST_OBJECT(pads_.element)));
}

bool Inference::hear_from_downstream(GstEvent* event) {
  if (GST_EVENT_TYPE(event) == GST_EVENT_QOS) hear_lateness(event);
  if (GST_EVENT_TYPE(event) == GST_EVENT_RECONFIGURE) queue_.revive(GST_FLOW_NOT_LINKED);
  return gst_pad_event_default(pads_.source, GST_OBJECT(pads_.element), event);
}

void Inference::hear_lateness(GstEvent* event) {
  GstClockTimeDiff late = 0;
  GstClockTime shown = GST_CLOCK_TIME_NONE;
  gst_event_parse_qos(event, nullptr, nullptr, &late, &shown);
  if (!GST_CLOCK_TIME_IS_VALID(shown)) return;
  const std::lock_guard lock(mutex_);
  late_frames_.hear(RunningTime(shown), std::chrono::nanoseconds(late),
                    std::chrono::nanoseconds(frame_duration_));
}

bool Inference::answer_downstream(GstQuery* query) {
  if (GST_QUERY_TYPE(query) == GST_QUERY_LATENCY) return answer_latency(query);
  return gst_pad_query_default(pads_.source, GST_OBJECT(pads_.element), query);
}

// Upstream's, and what a frame takes here. As many frames as may be under way can be held back.
bool Inference::answer_latency(GstQuery* query) {
  if (!gst_pad_peer_query(pads_.sink, query)) return false;
  gboolean live = FALSE;
  GstClockTime least = 0, most = 0;
  gst_query_parse_latency(query, &live, &least, &most);
  std::unique_lock lock(mutex_);
  const auto own = static_cast<GstClockTime>(latency_.told().count());
  const GstClockTime held = std::max(own, frame_duration_ * open_frames_);
  lock.unlock();
  least += own;
  if (GST_CLOCK_TIME_IS_VALID(most)) most += held;
  gst_query_set_latency(query, live, least, most);
  return true;
}

}  // namespace shingle::gst
