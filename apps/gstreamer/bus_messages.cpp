#include "apps/gstreamer/bus_messages.hpp"

#include <filesystem>

namespace shingle::gst {
namespace {

const char* name_of(shingle_code code) {
  switch (code) {
    case SHINGLE_RUNTIME:
      return "SHINGLE_RUNTIME";
    case SHINGLE_USAGE:
      return "SHINGLE_USAGE";
    case SHINGLE_BAD_INPUT:
      return "SHINGLE_BAD_INPUT";
    case SHINGLE_LATE:
      return "SHINGLE_LATE";
    case SHINGLE_CANCELLED:
      return "SHINGLE_CANCELLED";
    case SHINGLE_BUSY:
      return "SHINGLE_BUSY";
    case SHINGLE_CLOSED:
      return "SHINGLE_CLOSED";
    case SHINGLE_FORKED:
      return "SHINGLE_FORKED";
    case SHINGLE_TIMEOUT:
      return "SHINGLE_TIMEOUT";
    case SHINGLE_NO_MEMORY:
      return "SHINGLE_NO_MEMORY";
    default:
      return "another code";
  }
}

bool misses_a_file(const InferSettings& settings) {
  for (const std::string* path :
       {&settings.model, &settings.weights, &settings.cluster, &settings.keys, &settings.names}) {
    std::error_code ignored;
    if (!path->empty() && !std::filesystem::exists(*path, ignored)) return true;
  }
  return false;
}

GstResourceError kind_of(const InferSettings& settings, shingle_code code) {
  if (code == SHINGLE_USAGE) return GST_RESOURCE_ERROR_SETTINGS;
  if (code == SHINGLE_NO_MEMORY) return GST_RESOURCE_ERROR_NO_SPACE_LEFT;
  if (code != SHINGLE_BAD_INPUT) return GST_RESOURCE_ERROR_OPEN_READ_WRITE;
  return misses_a_file(settings) ? GST_RESOURCE_ERROR_NOT_FOUND : GST_RESOURCE_ERROR_READ;
}

void post(GstElement* element, GQuark domain, int kind, const InferFailure& failure,
          const char* where) {
  gst_element_message_full(
      element, GST_MESSAGE_ERROR, domain, kind, g_strdup(failure.sentence.c_str()),
      g_strdup_printf("%s: %s (%d)", where, name_of(failure.code), static_cast<int>(failure.code)),
      __FILE__, "shingleinfer", __LINE__);
}

}  // namespace

void post_open_error(GstElement* element, const InferSettings& settings,
                     const InferFailure& failure) {
  post(element, GST_RESOURCE_ERROR, kind_of(settings, failure.code), failure,
       "opening the session");
}

void post_frame_error(GstElement* element, const InferFailure& failure) {
  if (failure.code == SHINGLE_NO_MEMORY)
    post(element, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, failure, "a frame");
  else
    post(element, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, failure, "a frame");
}

void post_dropped(GstElement* element, const DroppedFrame& frame) {
  GstMessage* message = gst_message_new_qos(GST_OBJECT(element), FALSE, frame.running_time,
                                            frame.stream_time, frame.timestamp, frame.duration);
  gst_message_set_qos_values(message, frame.behind, 1.0, 1'000'000);
  gst_message_set_qos_stats(message, GST_FORMAT_BUFFERS, frame.processed, frame.dropped);
  gst_element_post_message(element, message);
}

}  // namespace shingle::gst
