#include "tests/gstreamer/bare_infer.hpp"

#include <algorithm>
#include <chrono>

namespace shingle::testing {
namespace {

constexpr std::chrono::minutes longest_wait(1);
constexpr GstClockTime tenth = GST_SECOND / 10;

std::string title_in(GstEvent* event) {
  GstTagList* tags = nullptr;
  gst_event_parse_tag(event, &tags);
  gchar* title = nullptr;
  gst_tag_list_get_string(tags, GST_TAG_TITLE, &title);
  const std::string copy = title == nullptr ? "" : title;
  g_free(title);
  return copy;
}

int32_t width_in(GstEvent* event) {
  GstCaps* caps = nullptr;
  gst_event_parse_caps(event, &caps);
  int width = 0;
  gst_structure_get_int(gst_caps_get_structure(caps, 0), "width", &width);
  return width;
}

std::string words_for(GstEvent* event) {
  const GstEventType type = GST_EVENT_TYPE(event);
  if (type == GST_EVENT_CAPS) return "caps " + std::to_string(width_in(event));
  if (type == GST_EVENT_TAG) return "tag " + title_in(event);
  if (type == GST_EVENT_EOS) return "end";
  if (type == GST_EVENT_STREAM_START) {
    const gchar* name = nullptr;
    gst_event_parse_stream_start(event, &name);
    return std::string("stream ") + name;
  }
  if (type == GST_EVENT_SEGMENT) {
    const GstSegment* segment = nullptr;
    gst_event_parse_segment(event, &segment);
    return "segment " + std::to_string(segment->start / GST_SECOND);
  }
  return gst_event_type_get_name(type);
}

gboolean take_upstream_event(GstPad*, GstObject*, GstEvent* event) {
  gst_event_unref(event);
  return TRUE;
}

// Without a template a pad takes no other caps than its first.
GstPad* pad_for_all_caps() {
  GstPadTemplate* all =
      gst_pad_template_new("downstream", GST_PAD_SINK, GST_PAD_ALWAYS, GST_CAPS_ANY);
  GstPad* pad = gst_pad_new_from_template(all, "downstream");
  gst_object_unref(all);
  return GST_PAD(gst_object_ref_sink(pad));
}

GstElement* parsed(const std::string& words) {
  start_gstreamer();
  GError* error = nullptr;
  GstElement* element =
      gst_parse_launch_full(words.c_str(), nullptr, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  REQUIRE_MESSAGE(error == nullptr, words, ": ", error->message);
  return GST_ELEMENT(gst_object_ref_sink(element));
}

}  // namespace

GstEvent* stream_start(const std::string& name) { return gst_event_new_stream_start(name.c_str()); }

GstEvent* caps_event(const TestPicture& picture) {
  GstCaps* caps = gst_caps_from_string(picture.caps().c_str());
  GstEvent* event = gst_event_new_caps(caps);
  gst_caps_unref(caps);
  return event;
}

GstEvent* segment_from(uint64_t seconds) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  segment.start = seconds * GST_SECOND;
  return gst_event_new_segment(&segment);
}

GstEvent* tag_event(const std::string& title) {
  return gst_event_new_tag(gst_tag_list_new(GST_TAG_TITLE, title.c_str(), nullptr));
}

Downstream::Downstream() {
  start_gstreamer();
  pad_ = pad_for_all_caps();
  gst_pad_set_element_private(pad_, this);
  gst_pad_set_chain_function(pad_, chain);
  gst_pad_set_event_function(pad_, event);
  gst_pad_set_active(pad_, TRUE);
}

Downstream::~Downstream() {
  gst_pad_set_active(pad_, FALSE);
  gst_object_unref(pad_);
}

void Downstream::hold() {
  const std::lock_guard lock(mutex_);
  holds_ = true;
}

void Downstream::let_go() {
  const std::lock_guard lock(mutex_);
  holds_ = false;
  changed_.notify_all();
}

void Downstream::refuse(int32_t width) {
  const std::lock_guard lock(mutex_);
  refused_width_ = width;
}

void Downstream::answer(GstFlowReturn flow) {
  const std::lock_guard lock(mutex_);
  answer_ = flow;
}

std::vector<std::string> Downstream::heard() const {
  const std::lock_guard lock(mutex_);
  return heard_;
}

bool Downstream::hears(const std::string& what) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, longest_wait,
                           [&] { return std::ranges::find(heard_, what) != heard_.end(); });
}

void Downstream::forget() {
  const std::lock_guard lock(mutex_);
  heard_.clear();
}

GstFlowReturn Downstream::chain(GstPad* pad, GstObject*, GstBuffer* buffer) {
  const GstClockTime pts = GST_BUFFER_PTS(buffer);
  gst_buffer_unref(buffer);
  return static_cast<Downstream*>(gst_pad_get_element_private(pad))->take(pts);
}

gboolean Downstream::event(GstPad* pad, GstObject*, GstEvent* event) {
  const bool is_heard = static_cast<Downstream*>(gst_pad_get_element_private(pad))->hear(event);
  gst_event_unref(event);
  return is_heard;
}

GstFlowReturn Downstream::take(GstClockTime pts) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, longest_wait, [&] { return !holds_ || flushing_; });
  if (flushing_) return GST_FLOW_FLUSHING;
  heard_.push_back("frame " + std::to_string(pts / tenth));
  changed_.notify_all();
  return answer_;
}

bool Downstream::hear(GstEvent* event) {
  const GstEventType type = GST_EVENT_TYPE(event);
  const std::lock_guard lock(mutex_);
  if (type == GST_EVENT_CAPS && refused_width_ == width_in(event)) return false;
  if (type == GST_EVENT_FLUSH_START) flushing_ = true;
  if (type == GST_EVENT_FLUSH_STOP) flushing_ = holds_ = false;
  heard_.push_back(words_for(event));
  changed_.notify_all();
  return true;
}

BareInfer::BareInfer(const std::string& element)
    : element_(parsed(element)),
      bus_(gst_bus_new()),
      source_(GST_PAD(gst_object_ref_sink(gst_pad_new("upstream", GST_PAD_SRC)))),
      sink_(gst_element_get_static_pad(element_, "sink")) {
  gst_element_set_bus(element_, bus_);
  gst_pad_set_event_function(source_, take_upstream_event);
  gst_pad_set_active(source_, TRUE);
  GstPad* left = gst_element_get_static_pad(element_, "src");
  CHECK(gst_pad_link(left, downstream_.pad()) == GST_PAD_LINK_OK);
  gst_object_unref(left);
  CHECK(gst_pad_link(source_, sink_) == GST_PAD_LINK_OK);
  const bool starts =
      gst_element_set_state(element_, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE;
  CHECK_MESSAGE(starts, element);
}

BareInfer::~BareInfer() {
  downstream_.let_go();  // the element's task may wait there
  gst_pad_set_active(source_, FALSE);
  gst_element_set_state(element_, GST_STATE_NULL);
  gst_bus_set_flushing(bus_, TRUE);  // its messages keep the element
  gst_object_unref(sink_);
  gst_object_unref(source_);
  gst_object_unref(element_);
  gst_object_unref(bus_);
}

bool BareInfer::say(GstEvent* event) const { return gst_pad_push_event(source_, event); }

void BareInfer::begin(const std::string& stream, const TestPicture& picture) const {
  CHECK(say(stream_start(stream)));
  CHECK(say(caps_event(picture)));
  CHECK(say(segment_from(0)));
  CHECK(downstream_.hears("segment 0"));
}

GstFlowReturn BareInfer::give(const TestPicture& picture, GstClockTime number) const {
  return gst_pad_push(source_, buffer_of(picture, number * tenth));
}

void BareInfer::flush() const {
  CHECK(say(gst_event_new_flush_start()));
  CHECK(say(gst_event_new_flush_stop(TRUE)));
}

BusWord BareInfer::error() const {
  const auto longest = static_cast<GstClockTime>(std::chrono::nanoseconds(longest_wait).count());
  GstMessage* message = gst_bus_timed_pop_filtered(bus_, longest, GST_MESSAGE_ERROR);
  REQUIRE_MESSAGE(message != nullptr, "no error within a minute");
  const BusWord word = word_of(message);
  gst_message_unref(message);
  return word;
}

bool BareInfer::has_error() const {
  GstMessage* message = gst_bus_pop_filtered(bus_, GST_MESSAGE_ERROR);
  if (message == nullptr) return false;
  gst_message_unref(message);
  return true;
}

}  // namespace shingle::testing
