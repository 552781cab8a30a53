#include "apps/gstreamer/frame_metas.hpp"

#include <span>
#include <string>

#include "apps/gstreamer/analytics.hpp"
#include "apps/gstreamer/box_region.hpp"
#include "apps/gstreamer/found_masks.hpp"

namespace shingle::gst {
namespace {

void add_region(GstBuffer* buffer, const shingle_box& box, int32_t number, PictureSides picture) {
  const BoxRegion at = region_of(box, picture);
  GstVideoRegionOfInterestMeta* meta = gst_buffer_add_video_region_of_interest_meta(
      buffer, box.class_name, at.x, at.y, at.width, at.height);
  meta->id = number;
  meta->parent_id = -1;
  gst_video_region_of_interest_meta_add_param(
      meta, gst_structure_new("detection", "x_min", G_TYPE_DOUBLE, at.x_min, "x_max", G_TYPE_DOUBLE,
                              at.x_max, "y_min", G_TYPE_DOUBLE, at.y_min, "y_max", G_TYPE_DOUBLE,
                              at.y_max, "confidence", G_TYPE_DOUBLE, double{box.score}, "label_id",
                              G_TYPE_INT, box.class_id, nullptr));
}

shingle_code add_boxes(GstBuffer* buffer, shingle_request* request, PictureSides picture) {
  const shingle_box* first = nullptr;
  size_t count = 0;
  const shingle_code code = shingle_boxes(request, &first, &count);
  if (code == SHINGLE_USAGE) return SHINGLE_OK;  // the model finds no boxes
  if (code != SHINGLE_OK) return code;
  const std::span boxes(first, count);
  for (size_t i = 0; i < count; ++i) add_region(buffer, boxes[i], static_cast<int32_t>(i), picture);
  add_analytics(buffer, boxes, picture);
  return SHINGLE_OK;
}

GBytes* bytes_of(const void* data, size_t size) { return g_bytes_new(data, size); }

// Gives `inner` to `outer` as its field NAME-NUMBER.
void add_structure(GstStructure* outer, const char* name, size_t number, GstStructure* inner) {
  const std::string field = std::string(name).append("-").append(std::to_string(number));
  gst_structure_set(outer, field.c_str(), GST_TYPE_STRUCTURE, inner, nullptr);
  gst_structure_free(inner);
}

void add_mask(GstStructure* structure, size_t number, const FoundMask& mask) {
  GBytes* data = bytes_of(mask.pixels.data(), mask.pixels.size());
  add_structure(structure, "mask", number,
                gst_structure_new("mask", "box", G_TYPE_INT, mask.box, "x", G_TYPE_INT, mask.x, "y",
                                  G_TYPE_INT, mask.y, "width", G_TYPE_INT, mask.width, "height",
                                  G_TYPE_INT, mask.height, "data", G_TYPE_BYTES, data, nullptr));
  g_bytes_unref(data);
}

shingle_code add_findings(GstStructure* structure, shingle_request* request, guint attached) {
  const char* json = nullptr;
  const shingle_code code = shingle_findings(request, &json);
  if (code != SHINGLE_OK) return code;
  if ((attached & attach_findings) != 0)
    gst_structure_set(structure, "findings", G_TYPE_STRING, json, nullptr);
  if ((attached & attach_masks) == 0) return SHINGLE_OK;
  const std::vector<FoundMask> masks = masks_of(json);
  for (size_t i = 0; i < masks.size(); ++i) add_mask(structure, i, masks[i]);
  gst_structure_set(structure, "masks", G_TYPE_INT, static_cast<int>(masks.size()), nullptr);
  return SHINGLE_OK;
}

void add_tensor(GstStructure* structure, size_t number, const shingle_tensor& output) {
  GBytes* data = bytes_of(output.data, output.size);
  GstStructure* tensor =
      gst_structure_new("tensor", "name", G_TYPE_STRING, output.name, "rank", G_TYPE_INT,
                        output.rank, "data", G_TYPE_BYTES, data, nullptr);
  for (int32_t i = 0; i < output.rank; ++i) {
    const std::string field = "dim-" + std::to_string(i);
    gst_structure_set(tensor, field.c_str(), G_TYPE_INT64, gint64{output.dims[i]}, nullptr);
  }
  add_structure(structure, "tensor", number, tensor);
  g_bytes_unref(data);
}

shingle_code add_tensors(GstStructure* structure, shingle_request* request) {
  size_t count = 0;
  for (;; ++count) {
    shingle_tensor output{};
    output.struct_size = sizeof output;
    const shingle_code code = shingle_output(request, count, &output);
    if (code == SHINGLE_USAGE) break;  // there is none of this number
    if (code != SHINGLE_OK) return code;
    add_tensor(structure, count, output);
  }
  gst_structure_set(structure, "tensors", G_TYPE_INT, static_cast<int>(count), nullptr);
  return SHINGLE_OK;
}

}  // namespace

void register_frame_meta() {
  if (gst_meta_get_info(frame_meta_name) != nullptr) return;
  // No tag: elements that scale or convert pass it on, and it says to which sides it refers.
  const gchar* no_tags[] = {nullptr};
  gst_meta_register_custom(frame_meta_name, no_tags, nullptr, nullptr, nullptr);
}

shingle_code attach_metas(GstBuffer* buffer, shingle_request* request, const GstVideoInfo& info,
                          const Attached& attached) {
  const PictureSides picture{GST_VIDEO_INFO_WIDTH(&info), GST_VIDEO_INFO_HEIGHT(&info)};
  if ((attached.metas & attach_boxes) != 0)
    if (const shingle_code code = add_boxes(buffer, request, picture); code != SHINGLE_OK)
      return code;
  if ((attached.metas & (attach_findings | attach_masks | attach_tensors)) == 0) return SHINGLE_OK;
  GstCustomMeta* meta = gst_buffer_add_custom_meta(buffer, frame_meta_name);
  GstStructure* structure = gst_custom_meta_get_structure(meta);
  const std::unique_ptr<gchar, decltype(&g_free)> model(  // in UTF-8, which paths need not be
      g_filename_display_name(attached.model.c_str()), g_free);
  gst_structure_set(structure, "model", G_TYPE_STRING, model.get(), "width", G_TYPE_INT,
                    picture.width, "height", G_TYPE_INT, picture.height, nullptr);
  if ((attached.metas & (attach_findings | attach_masks)) != 0)
    if (const shingle_code code = add_findings(structure, request, attached.metas);
        code != SHINGLE_OK)
      return code;
  return (attached.metas & attach_tensors) == 0 ? shingle_code{SHINGLE_OK}
                                                : add_tensors(structure, request);
}

}  // namespace shingle::gst
