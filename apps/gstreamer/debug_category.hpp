// The element's category of GST_DEBUG.
#pragma once

#include <gst/gst.h>

namespace shingle::gst {

GstDebugCategory* debug_category();

}  // namespace shingle::gst
