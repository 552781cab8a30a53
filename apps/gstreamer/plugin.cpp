// The plugin `shingle`: libgstshingle.so.
#include <gst/gst.h>

#include "apps/gstreamer/shingle_infer.hpp"

#define PACKAGE "shingle"  // GST_PLUGIN_DEFINE names it

static gboolean plugin_init(GstPlugin* plugin) {
  return gst_element_register(plugin, "shingleinfer", GST_RANK_NONE, gst_shingle_infer_get_type());
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, shingle,
                  "Neural networks on clusters of small machines", plugin_init,
                  SHINGLE_PLUGIN_VERSION, "MIT/X11", "shingle", "https://shingle.invalid")
