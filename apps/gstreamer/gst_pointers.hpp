// Owners of GStreamer's reference-counted objects.
#pragma once

#include <gst/gst.h>

#include <memory>

namespace shingle::gst {

struct UnrefBuffer {
  void operator()(GstBuffer* buffer) const { gst_buffer_unref(buffer); }
};
struct UnrefEvent {
  void operator()(GstEvent* event) const { gst_event_unref(event); }
};
using BufferPointer = std::unique_ptr<GstBuffer, UnrefBuffer>;
using EventPointer = std::unique_ptr<GstEvent, UnrefEvent>;

}  // namespace shingle::gst
