// What shingleinfer tells on the pipeline's bus.
#pragma once

#include <gst/gst.h>

#include <string>

#include "apps/gstreamer/infer_session.hpp"
#include "apps/gstreamer/infer_settings.hpp"

namespace shingle::gst {

// A session that did not open. RESOURCE NOT_FOUND: a file of the settings is not there. RESOURCE
// READ: it is there and wrong. RESOURCE SETTINGS: a property or an option. RESOURCE NO_SPACE_LEFT:
// memory. RESOURCE OPEN_READ_WRITE: the cluster or its nodes.
void post_open_error(GstElement* element, const InferSettings& settings,
                     const InferFailure& failure);

// A frame that was not computed: STREAM FAILED, or RESOURCE NO_SPACE_LEFT.
void post_frame_error(GstElement* element, const InferFailure& failure);

struct DroppedFrame {
  GstClockTime running_time, stream_time, timestamp, duration;
  GstClockTimeDiff behind;     // how late it is
  guint64 processed, dropped;  // frames so far
};
void post_dropped(GstElement* element, const DroppedFrame& frame);

}  // namespace shingle::gst
