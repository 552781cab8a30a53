#include "apps/gstreamer/debug_category.hpp"

namespace shingle::gst {

GstDebugCategory* debug_category() {
  static GstDebugCategory* category =
      _gst_debug_category_new("shingleinfer", 0, "inference on a cluster");
  return category;
}

}  // namespace shingle::gst
