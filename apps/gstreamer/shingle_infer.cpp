#include "apps/gstreamer/shingle_infer.hpp"

#include "apps/gstreamer/debug_category.hpp"

G_DEFINE_TYPE(GstShingleInfer, gst_shingle_infer, GST_TYPE_ELEMENT)

namespace {

using shingle::gst::BufferPointer;
using shingle::gst::Inference;

constexpr const char* pictures =
    "video/x-raw, format = (string) { BGR, RGB }, width = (int) [ 1, 65536 ], height = (int) [ 1, "
    "65536 ], "
    "framerate = (fraction) [ 0, max ]";

Inference& inference_of(GstObject* element) {
  return *reinterpret_cast<GstShingleInfer*>(element)->inference;
}

GstFlowReturn chain(GstPad*, GstObject* element, GstBuffer* buffer) {
  return inference_of(element).take(BufferPointer(buffer));
}

GstFlowReturn sink_event(GstPad*, GstObject* element, GstEvent* event) {
  return inference_of(element).hear_from_upstream(event);
}

gboolean sink_query(GstPad*, GstObject* element, GstQuery* query) {
  return inference_of(element).answer_upstream(query);
}

gboolean source_event(GstPad*, GstObject* element, GstEvent* event) {
  return inference_of(element).hear_from_downstream(event);
}

gboolean source_query(GstPad*, GstObject* element, GstQuery* query) {
  return inference_of(element).answer_downstream(query);
}

gboolean activate_source(GstPad*, GstObject* element, GstPadMode mode, gboolean active) {
  if (mode != GST_PAD_MODE_PUSH) return FALSE;
  return inference_of(element).activate_source(active != FALSE);
}

GstPad* new_pad(GstElement* element, const char* name) {
  GstElementClass* element_class = GST_ELEMENT_GET_CLASS(element);
  GstPad* pad =
      gst_pad_new_from_template(gst_element_class_get_pad_template(element_class, name), name);
  GST_PAD_SET_PROXY_CAPS(pad);
  gst_element_add_pad(element, pad);
  return pad;
}

GstStateChangeReturn change_state(GstElement* element, GstStateChange change) {
  Inference& inference = inference_of(GST_OBJECT(element));
  if (change == GST_STATE_CHANGE_READY_TO_PAUSED && !inference.open())
    return GST_STATE_CHANGE_FAILURE;
  const GstStateChangeReturn changed =
      GST_ELEMENT_CLASS(gst_shingle_infer_parent_class)->change_state(element, change);
  const bool failed_to_start =
      change == GST_STATE_CHANGE_READY_TO_PAUSED && changed == GST_STATE_CHANGE_FAILURE;
  if (change == GST_STATE_CHANGE_PAUSED_TO_READY || failed_to_start) inference.close();
  return changed;
}

void finalize(GObject* object) {
  delete reinterpret_cast<GstShingleInfer*>(object)->inference;
  G_OBJECT_CLASS(gst_shingle_infer_parent_class)->finalize(object);
}

void add_template(GstElementClass* element_class, const char* name, GstPadDirection direction) {
  GstCaps* caps = gst_caps_from_string(pictures);
  gst_element_class_add_pad_template(element_class,
                                     gst_pad_template_new(name, direction, GST_PAD_ALWAYS, caps));
  gst_caps_unref(caps);
}

}  // namespace

static void gst_shingle_infer_class_init(GstShingleInferClass* own_class) {
  auto* object_class = G_OBJECT_CLASS(own_class);
  auto* element_class = GST_ELEMENT_CLASS(own_class);
  object_class->finalize = finalize;
  element_class->change_state = change_state;
  shingle::gst::install_properties(object_class);
  shingle::gst::register_frame_meta();
  add_template(element_class, "sink", GST_PAD_SINK);
  add_template(element_class, "src", GST_PAD_SRC);
  gst_element_class_set_static_metadata(
      element_class, "Distributed inference", "Filter/Analyzer/Video",
      "Finds objects in pictures by a neural network that a cluster of small machines computes",
      "shingle developers");
}

static void gst_shingle_infer_init(GstShingleInfer* self) {
  auto* element = GST_ELEMENT(self);
  GstPad* sink = new_pad(element, "sink");
  GstPad* source = new_pad(element, "src");
  self->inference = new Inference({element, sink, source});
  gst_pad_set_chain_function(sink, chain);
  gst_pad_set_event_full_function(sink, sink_event);
  gst_pad_set_query_function(sink, sink_query);
  gst_pad_set_event_function(source, source_event);
  gst_pad_set_query_function(source, source_query);
  gst_pad_set_activatemode_function(source, activate_source);
}
