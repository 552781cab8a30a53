#include "apps/gstreamer/frame_queue.hpp"

#include <algorithm>
#include <cassert>

namespace shingle::gst {
namespace {

constexpr size_t most_events = 256;

// Null: an event.
const PendingFrame* frame_in(const PendingItem& item) {
  const auto* frame = std::get_if<std::unique_ptr<PendingFrame>>(&item);
  return frame == nullptr ? nullptr : frame->get();
}

bool is_end(const PendingItem& item) {
  const auto* event = std::get_if<EventPointer>(&item);
  return event != nullptr && GST_EVENT_TYPE(event->get()) == GST_EVENT_EOS;
}

}  // namespace

void FrameQueue::set_most_frames(size_t most) {
  assert(most >= 1);
  const std::lock_guard lock(mutex_);
  most_frames_ = most;
}

GstFlowReturn FrameQueue::wait_for_frame_room() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return flow_locked() != GST_FLOW_OK || frames_ < most_frames_; });
  return flow_locked();
}

void FrameQueue::wait_for_event_room() {
  std::unique_lock lock(mutex_);
  changed_.wait(
      lock, [&] { return flow_locked() != GST_FLOW_OK || items_.size() - frames_ < most_events; });
}

// While it is stopped: what the next stream needs.
bool FrameQueue::is_kept(const PendingItem& item) const {
  const auto* event = std::get_if<EventPointer>(&item);
  return event != nullptr && GST_EVENT_IS_STICKY(event->get()) && !is_end(item) &&
         items_.size() < most_events;
}

GstFlowReturn FrameQueue::push(PendingItem item) {
  const std::lock_guard lock(mutex_);
  if (flushing_) return GST_FLOW_FLUSHING;
  if (flow_ != GST_FLOW_OK && !is_kept(item)) return flow_;
  if (frame_in(item) != nullptr) ++frames_;
  items_.push_back(std::move(item));
  changed_.notify_all();
  return GST_FLOW_OK;
}

bool FrameQueue::wait_until_empty() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock,
                [&] { return flow_locked() != GST_FLOW_OK || (items_.empty() && !pushing_); });
  return flow_locked() == GST_FLOW_OK;
}

std::optional<FrameQueue::Head> FrameQueue::wait_for_head() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return flushing_ || (flow_ == GST_FLOW_OK && !items_.empty()); });
  if (flushing_) return std::nullopt;
  const PendingFrame* frame = frame_in(items_.front());
  return Head{frame == nullptr ? nullptr : frame->request.get()};
}

std::optional<PendingItem> FrameQueue::take() {
  const std::lock_guard lock(mutex_);
  if (flushing_) return std::nullopt;
  assert(!items_.empty() && flow_ == GST_FLOW_OK);
  PendingItem head = std::move(items_.front());
  items_.pop_front();
  if (frame_in(head) != nullptr) --frames_;
  pushing_ = true;
  changed_.notify_all();
  return head;
}

void FrameQueue::pushed() {
  const std::lock_guard lock(mutex_);
  pushing_ = false;
  changed_.notify_all();
}

bool FrameQueue::stop(GstFlowReturn why) {
  assert(why != GST_FLOW_OK);
  const std::lock_guard lock(mutex_);
  flow_ = why;
  const bool end_waits = std::ranges::any_of(items_, is_end);
  std::erase_if(items_,
                [](const PendingItem& item) { return frame_in(item) != nullptr || is_end(item); });
  frames_ = 0;
  changed_.notify_all();
  return end_waits;
}

void FrameQueue::revive(GstFlowReturn why) {
  const std::lock_guard lock(mutex_);
  if (flow_ == why) flow_ = GST_FLOW_OK;
  changed_.notify_all();
}

void FrameQueue::begin_flush() {
  const std::lock_guard lock(mutex_);
  flushing_ = true;
  for (const PendingItem& item : items_)
    if (const PendingFrame* frame = frame_in(item)) shingle_cancel(frame->request.get());
  changed_.notify_all();
}

void FrameQueue::drop_frames() {
  const std::lock_guard lock(mutex_);
  assert(flushing_);
  std::erase_if(items_, [](const PendingItem& item) { return frame_in(item) != nullptr; });
  frames_ = 0;
}

void FrameQueue::clear() {
  const std::lock_guard lock(mutex_);
  assert(flushing_);
  items_.clear();
  frames_ = 0;
}

std::vector<EventPointer> FrameQueue::end_flush() {
  const std::lock_guard lock(mutex_);
  std::vector<EventPointer> events;
  for (PendingItem& item : items_)
    if (auto* event = std::get_if<EventPointer>(&item)) events.push_back(std::move(*event));
  items_.clear();
  frames_ = 0;
  pushing_ = false;
  flow_ = GST_FLOW_OK;
  flushing_ = false;
  changed_.notify_all();
  return events;
}

bool FrameQueue::is_flushing() const {
  const std::lock_guard lock(mutex_);
  return flushing_;
}

size_t FrameQueue::frames() const {
  const std::lock_guard lock(mutex_);
  return frames_;
}

}  // namespace shingle::gst
