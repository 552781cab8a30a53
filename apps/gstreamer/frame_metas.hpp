// What a request found, as metas of its buffer.
//
//   GstVideoRegionOfInterestMeta  for each box: roi_type is the class's name, id the box's number;
//                                 its parameter `detection` has the doubles x_min, x_max, y_min,
//                                 y_max (0 to 1), confidence, and the int label_id
//   GstAnalyticsODMtd             for each box, where GStreamer has it (1.24 and later)
//   GstShingleMeta                a custom meta, whose structure has
//       model            string   the element's property `model`
//       width, height    int      the picture's sides, to which all numbers below refer
//       findings         string   the JSON of shingle_findings()
//       masks            int      how many; mask-0, mask-1, ... are structures:
//           box int (a region's id; -1: the whole picture), x, y, width, height int,
//           data GBytes: a byte for each pixel, row by row (of a box 0 or 1, else the class)
//       tensors          int      how many; tensor-0, tensor-1, ... are structures:
//           name string, rank int, dim-0, dim-1, ... gint64, data GBytes: float32, densely packed
//                                 in this machine's order of bytes
#pragma once

#include <gst/video/video.h>

#include <string>

#include "apps/gstreamer/infer_session.hpp"

namespace shingle::gst {

constexpr const char* frame_meta_name = "GstShingleMeta";

enum AttachedMeta : guint {
  attach_boxes = 1,
  attach_findings = 2,
  attach_masks = 4,
  attach_tensors = 8
};

void register_frame_meta();  // once, before the first buffer

struct Attached {
  guint metas = 0;  // AttachedMeta
  std::string model{};
};

// REQUIRES: the buffer is writable, and the request has ended as SHINGLE_OK. SHINGLE_OK, or the
// code of the first function that failed. A model that finds no boxes has none: that is no failure.
shingle_code attach_metas(GstBuffer* buffer, shingle_request* request, const GstVideoInfo& info,
                          const Attached& attached);

}  // namespace shingle::gst
