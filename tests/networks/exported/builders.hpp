// The exported networks, each in a file of its own. `x`: the network's input.
#pragma once

#include "tests/networks/exported/layers.hpp"

namespace shingle::networks {

void export_vit_tiny(Exporter& to, const Value& x);
void export_espcn(Exporter& to, const Value& x);
void export_unet(Exporter& to, const Value& x);
void export_yolo11n(Exporter& to, const Value& x);
void export_yolo11n_obb(Exporter& to, const Value& x);
void export_yolo26n(Exporter& to, const Value& x);
void export_rtdetr_r18(Exporter& to, const Value& x);
void export_crnn(Exporter& to, const Value& x);
void export_yolo11n_seg(Exporter& to, const Value& x);
void export_mobilenetv3(Exporter& to, const Value& x);
void export_efficientnet_b0(Exporter& to, const Value& x);
void export_convnext_tiny(Exporter& to, const Value& x);
void export_deit_small(Exporter& to, const Value& x);
void export_mobilevit_s(Exporter& to, const Value& x);
void export_segformer_b0(Exporter& to, const Value& x);
void export_deeplabv3_mobilenet(Exporter& to, const Value& x);
void export_midas_small(Exporter& to, const Value& x);
void export_dbnet(Exporter& to, const Value& x);

}  // namespace shingle::networks
