#include "apps/heads/head.hpp"

#include <array>

namespace shingle {

std::string_view metadata_of(const Clues& clues, std::string_view key) {
  for (const MetadataEntry& entry : clues.metadata)
    if (entry.key == key) return entry.value;
  return {};
}

std::span<const Head* const> all_heads() {
  static constexpr std::array heads{&yolox_head,
                                    &yolov5_head,
                                    &yolov8_head,
                                    &fastestdet_head,
                                    &nanodet_head,
                                    &yolov2_head,
                                    &yolov3_head,
                                    &segmentation_head,
                                    &classification_head,
                                    &end_to_end_head,
                                    &end_to_end_seg_head,
                                    &end_to_end_pose_head,
                                    &end_to_end_obb_head,
                                    &yolov8_seg_head,
                                    &yolov8_pose_head,
                                    &yolov8_obb_head,
                                    &rtdetr_head,
                                    &rtdetr_logits_head,
                                    &rtdetr_rows_head,
                                    &ssd_head,
                                    &yolox_decoded_head,
                                    &depth_head,
                                    &picture_head,
                                    &dbnet_head,
                                    &ctc_head,
                                    &ctc_last_head,
                                    &features_head,
                                    &raw_head};
  return heads;
}

}  // namespace shingle
