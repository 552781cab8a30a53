// Boxes as GstAnalyticsODMtd, which GStreamer has from 1.24 on. CMake chooses one file of
// generations/.
#pragma once

#include <gst/gst.h>
#include <shingle/shingle.h>

#include <span>

#include "apps/gstreamer/box_region.hpp"

namespace shingle::gst {

// One for each box, in their order. No effect where GStreamer has no such meta.
// REQUIRES: the buffer is writable.
void add_analytics(GstBuffer* buffer, std::span<const shingle_box> boxes, PictureSides picture);

}  // namespace shingle::gst
