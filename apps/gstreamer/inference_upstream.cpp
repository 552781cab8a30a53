// Frames, events and queries that come from upstream.
#include <utility>

#include "apps/gstreamer/bus_messages.hpp"
#include "apps/gstreamer/inference.hpp"

namespace shingle::gst {
namespace {

// Maps a buffer for reading, for as long as it lives.
class MappedFrame {
 public:
  MappedFrame(const GstVideoInfo& info, GstBuffer* buffer) {
    is_mapped_ = gst_video_frame_map(&frame_, &info, buffer, GST_MAP_READ);
  }
  ~MappedFrame() {
    if (is_mapped_) gst_video_frame_unmap(&frame_);
  }
  MappedFrame(const MappedFrame&) = delete;
  MappedFrame& operator=(const MappedFrame&) = delete;

  bool is_mapped() const { return is_mapped_; }
  shingle_picture picture() const {
    shingle_picture picture{};
    picture.struct_size = sizeof picture;
    picture.format =
        GST_VIDEO_FRAME_FORMAT(&frame_) == GST_VIDEO_FORMAT_RGB ? SHINGLE_RGB : SHINGLE_BGR;
    picture.width = GST_VIDEO_FRAME_WIDTH(&frame_);
    picture.height = GST_VIDEO_FRAME_HEIGHT(&frame_);
    picture.row_bytes = GST_VIDEO_FRAME_PLANE_STRIDE(&frame_, 0);
    picture.data = GST_VIDEO_FRAME_PLANE_DATA(&frame_, 0);
    // From the first pixel to the last, which gst_video_frame_map() has checked to be there.
    picture.size =
        static_cast<size_t>(picture.row_bytes * (picture.height - 1) + int64_t{picture.width} * 3);
    return picture;
  }

 private:
  GstVideoFrame frame_{};
  bool is_mapped_ = false;
};

GstFlowReturn flow_of(bool is_heard) { return is_heard ? GST_FLOW_OK : GST_FLOW_ERROR; }

// GstPad forgets the same three types of sticky events at a flush.
bool outlives_flush(GstEvent* event) {
  const GstEventType type = GST_EVENT_TYPE(event);
  return GST_EVENT_IS_STICKY(event) && type != GST_EVENT_EOS && type != GST_EVENT_SEGMENT &&
         type != GST_EVENT_STREAM_GROUP_DONE;
}

}  // namespace

GstFlowReturn Inference::take(BufferPointer buffer) {
  if (!has_info_) {
    GST_ELEMENT_ERROR(pads_.element, CORE, NEGOTIATION, (nullptr), ("a buffer came before caps"));
    return GST_FLOW_NOT_NEGOTIATED;
  }
  PendingFrame frame = pending(std::move(buffer));
  if (is_too_late(frame)) return GST_FLOW_OK;
  if (const GstFlowReturn flow = queue_.wait_for_frame_room(); flow != GST_FLOW_OK) return flow;
  if (is_too_late(frame)) return GST_FLOW_OK;  // while it waited
  const InferFailure failure = submit(frame);
  if (failure.code == SHINGLE_CANCELLED) return GST_FLOW_FLUSHING;
  if (failure.code != SHINGLE_OK) return fail(failure);
  frame.after_gap = std::exchange(after_gap_, false);
  return queue_.push(std::make_unique<PendingFrame>(std::move(frame)));
}

// Where segments are not of time, as appsrc's are unless it is told otherwise, no frame has a time.
PendingFrame Inference::pending(BufferPointer buffer) const {
  PendingFrame frame{.buffer = std::move(buffer),
                     .request = {},
                     .info = info_,
                     .running_time = GST_CLOCK_TIME_NONE,
                     .stream_time = GST_CLOCK_TIME_NONE};
  if (segment_.format != GST_FORMAT_TIME) return frame;
  const GstClockTime pts = GST_BUFFER_PTS(frame.buffer.get());
  frame.running_time = gst_segment_to_running_time(&segment_, GST_FORMAT_TIME, pts);
  frame.stream_time = gst_segment_to_stream_time(&segment_, GST_FORMAT_TIME, pts);
  return frame;
}

// SHINGLE_CANCELLED: it began to flush.
InferFailure Inference::submit(PendingFrame& frame) const {
  const auto open = session();
  const MappedFrame mapped(frame.info, frame.buffer.get());
  if (!mapped.is_mapped())
    return {SHINGLE_USAGE, "a buffer is smaller than its caps say, or cannot be read"};
  const shingle_picture picture = mapped.picture();
  const auto begin = std::chrono::steady_clock::now();
  shingle_code code = SHINGLE_BUSY;  // frames that a flush cancelled keep their places for a while
  while (code == SHINGLE_BUSY && !queue_.is_flushing()) code = open->submit(picture, frame.request);
  frame.submitting = std::chrono::steady_clock::now() - begin;
  if (code == SHINGLE_BUSY) return {SHINGLE_CANCELLED};
  return code == SHINGLE_OK ? InferFailure{} : last_failure(code);
}

bool Inference::is_too_late(const PendingFrame& frame) {
  GST_OBJECT_LOCK(pads_.element);
  const bool drops = properties_.drops_late;
  GST_OBJECT_UNLOCK(pads_.element);
  if (!drops || !GST_CLOCK_TIME_IS_VALID(frame.running_time)) return false;
  const RunningTime time(frame.running_time);
  std::unique_lock lock(mutex_);
  if (!late_frames_.is_late(time)) return false;
  const std::chrono::nanoseconds behind = late_frames_.behind(time);
  lock.unlock();
  after_gap_ = true;
  drop(frame, behind.count());
  return true;
}

void Inference::drop(const PendingFrame& frame, GstClockTimeDiff behind) {
  ++counts_.dropped;
  post_dropped(pads_.element, {.running_time = frame.running_time,
                               .stream_time = frame.stream_time,
                               .timestamp = GST_BUFFER_PTS(frame.buffer.get()),
                               .duration = GST_BUFFER_DURATION(frame.buffer.get()),
                               .behind = behind,
                               .processed = counts_.frames,
                               .dropped = counts_.dropped});
}

GstFlowReturn Inference::fail(const InferFailure& failure) {
  ++counts_.errors;
  post_frame_error(pads_.element, failure);
  return GST_FLOW_ERROR;
}

GstFlowReturn Inference::hear_from_upstream(GstEvent* event) {
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_FLUSH_START: {
      const bool heard = gst_pad_push_event(pads_.source, event);
      begin_flush();
      return flow_of(heard);
    }
    case GST_EVENT_FLUSH_STOP: {
      if (!queue_.is_flushing()) begin_flush();  // it came alone
      const bool heard = gst_pad_push_event(pads_.source, event);
      end_flush();
      return flow_of(heard);
    }
    default:
      break;
  }
  if (GST_EVENT_IS_SERIALIZED(event)) return take_serialized(EventPointer(event));
  return flow_of(gst_pad_event_default(pads_.sink, GST_OBJECT(pads_.element), event));
}

void Inference::begin_flush() {
  queue_.begin_flush();
  gst_pad_pause_task(pads_.source);  // waits until it has left push_next()
  queue_.drop_frames();
}

// Upstream believes that downstream has the events which waited here, and does not repeat them. The
// source pad sends what it stores before the next frame. It stores nothing behind an EOS, which
// GST_EVENT_FLUSH_STOP takes from it, so this comes after that.
void Inference::end_flush() {
  gst_segment_init(&segment_, GST_FORMAT_TIME);
  after_gap_ = gap_downstream_ = false;
  std::unique_lock lock(mutex_);
  late_frames_.forget();
  lock.unlock();
  if (!GST_PAD_IS_ACTIVE(pads_.source)) return;
  for (const EventPointer& event : queue_.end_flush())
    if (outlives_flush(event.get())) gst_pad_store_sticky_event(pads_.source, event.get());
  start_task();
}

// Behind the frames that came before it.
GstFlowReturn Inference::take_serialized(EventPointer event) {
  const GstEventType type = GST_EVENT_TYPE(event.get());
  if (type == GST_EVENT_CAPS && !read_caps(event.get())) return GST_FLOW_NOT_NEGOTIATED;
  if (type == GST_EVENT_SEGMENT) gst_event_copy_segment(event.get(), &segment_);
  if (type == GST_EVENT_STREAM_START) queue_.revive(GST_FLOW_EOS);
  queue_.wait_for_event_room();
  const GstFlowReturn flow = queue_.push(std::move(event));
  const bool is_refused = flow == GST_FLOW_NOT_LINKED || flow < GST_FLOW_EOS;
  // Behind the end nobody upstream asks for the flow any more.
  if (type == GST_EVENT_EOS && is_refused) GST_ELEMENT_FLOW_ERROR(pads_.element, flow);
  return flow;
}

bool Inference::read_caps(GstEvent* event) {
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  if (!gst_video_info_from_caps(&info_, caps)) return false;
  has_info_ = true;
  const int frames = GST_VIDEO_INFO_FPS_N(&info_), seconds = GST_VIDEO_INFO_FPS_D(&info_);
  const std::lock_guard lock(mutex_);
  frame_duration_ = frames <= 0 ? 0 : gst_util_uint64_scale_int(GST_SECOND, seconds, frames);
  return true;
}

bool Inference::answer_upstream(GstQuery* query) {
  if (GST_QUERY_IS_SERIALIZED(query) && !queue_.wait_until_empty()) return false;
  if (GST_QUERY_TYPE(query) == GST_QUERY_ALLOCATION) return answer_allocation(query);
  return gst_pad_query_default(pads_.sink, GST_OBJECT(pads_.element), query);
}

// Buffers go through as they are, so downstream's wishes count. Its pools do not: frames under way
// would use up a pool with a bound, and nobody would give one back.
bool Inference::answer_allocation(GstQuery* query) {
  if (!gst_pad_peer_query(pads_.source, query)) return false;
  while (gst_query_get_n_allocation_pools(query) > 0)
    gst_query_remove_nth_allocation_pool(query, 0);
  return true;
}

}  // namespace shingle::gst
