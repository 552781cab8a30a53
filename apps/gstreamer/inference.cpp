#include "apps/gstreamer/inference.hpp"

#include <cassert>

#include "apps/gstreamer/bus_messages.hpp"
#include "apps/gstreamer/debug_category.hpp"

namespace shingle::gst {
namespace {

// The library's notes, such as a lost node.
void note(int32_t level, const char* sentence, void* element) {
  GST_CAT_LEVEL_LOG(debug_category(), level == SHINGLE_WARNING ? GST_LEVEL_WARNING : GST_LEVEL_INFO,
                    static_cast<GstElement*>(element), "%s", sentence);
}

}  // namespace

std::shared_ptr<InferSession> Inference::session() const {
  const std::lock_guard lock(mutex_);
  return session_;
}

Attached Inference::attached() const {
  GST_OBJECT_LOCK(pads_.element);
  const guint metas = properties_.attached;
  GST_OBJECT_UNLOCK(pads_.element);
  const auto open = session();
  return {.metas = metas, .model = open == nullptr ? std::string() : open->model()};
}

bool Inference::open() {
  GST_OBJECT_LOCK(pads_.element);
  const InferSettings settings = properties_.session;
  GST_OBJECT_UNLOCK(pads_.element);
  InferFailure failure;
  std::shared_ptr<InferSession> opened =
      InferSession::open(settings, {note, pads_.element}, failure);
  if (opened == nullptr) {
    post_open_error(pads_.element, settings, failure);
    return false;
  }
  queue_.set_most_frames(settings.open);
  counts_.frames = counts_.dropped = counts_.errors = 0;
  has_info_ = after_gap_ = gap_downstream_ = false;
  gst_segment_init(&segment_, GST_FORMAT_TIME);
  const std::lock_guard lock(mutex_);
  latency_ = {};
  latency_.add(opened->first_latency());
  late_frames_.forget();
  frame_duration_ = 0;
  open_frames_ = settings.open;
  session_ = std::move(opened);
  return true;
}

void Inference::close() {
  std::shared_ptr<InferSession> closed;  // ends without the lock
  std::unique_lock lock(mutex_);
  closed.swap(session_);
  lock.unlock();
}

bool Inference::activate_source(bool active) {
  if (!active) {
    queue_.begin_flush();
    const bool stopped = gst_pad_stop_task(pads_.source);
    queue_.clear();
    return stopped;
  }
  queue_.end_flush();
  start_task();
  return true;
}

void Inference::start_task() { gst_pad_start_task(pads_.source, push_next, this, nullptr); }

GstStructure* Inference::stats() const {
  const auto open = session();
  const shingle_counters counters = open == nullptr ? shingle_counters{} : open->counters();
  std::unique_lock lock(mutex_);
  const guint64 latency = static_cast<guint64>(latency_.told().count());
  lock.unlock();
  const auto number = [](uint64_t value) { return guint64{value}; };
  return gst_structure_new(
      "shingle-stats", "frames", G_TYPE_UINT64, counts_.frames.load(), "dropped", G_TYPE_UINT64,
      counts_.dropped.load(), "errors", G_TYPE_UINT64, counts_.errors.load(), "in-flight",
      G_TYPE_UINT64, guint64{queue_.frames()}, "latency", G_TYPE_UINT64, latency, "submitted",
      G_TYPE_UINT64, number(counters.submitted), "computed", G_TYPE_UINT64,
      number(counters.computed), "late", G_TYPE_UINT64, number(counters.late), "cancelled",
      G_TYPE_UINT64, number(counters.cancelled), "failed", G_TYPE_UINT64, number(counters.failed),
      "tiles", G_TYPE_UINT64, number(counters.tiles), "borrowed-tiles", G_TYPE_UINT64,
      number(counters.borrowed_tiles), "wire-bytes", G_TYPE_UINT64, number(counters.wire_bytes),
      "plan-changes", G_TYPE_UINT64, number(counters.plan_changes), "nodes", G_TYPE_UINT64,
      number(counters.nodes), nullptr);
}

}  // namespace shingle::gst
