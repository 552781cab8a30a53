// The element shingleinfer, as GStreamer's type system knows it.
//
// Properties, pads and the order of state changes are here; what it does is in inference.hpp. Its
// session opens from READY to PAUSED, not from NULL to READY: programs that choose elements
// (decodebin, gst-inspect) take them to READY only to look at them, and local workers or a place in
// a cluster belong to a pipeline that runs. PAUSED to READY ends both.
#pragma once

#include <gst/gst.h>

#include "apps/gstreamer/inference.hpp"

struct GstShingleInfer {
  GstElement parent;
  shingle::gst::Inference* inference;  // owned
};

struct GstShingleInferClass {
  GstElementClass parent_class;
};

GType gst_shingle_infer_get_type();

namespace shingle::gst {

void install_properties(GObjectClass* object_class);

}  // namespace shingle::gst
