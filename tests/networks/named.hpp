// The named networks. Each function gets a builder and the input's height and width.
#pragma once

#include "tests/networks/builder.hpp"

namespace shingle::networks {

void build_yolov2(Builder& builder, int32_t size);
void build_yolov2_front(Builder& builder, int32_t size);  // layers 0-15
void build_yolov3_tiny(Builder& builder, int32_t size);
void build_yolov8n(Builder& builder, int32_t size);  // one output [1, 84, boxes], decoded
void build_resnet18(Builder& builder, int32_t size);
void build_resnet50(Builder& builder, int32_t size);
void build_mobilenetv2(Builder& builder, int32_t size);
void build_vgg16(Builder& builder, int32_t size);  // the 13 convolutions, pooled, one classifier
void build_unet(Builder& builder, int32_t size);   // with both kinds of up-sampling
void build_tiny(Builder& builder, int32_t size);

}  // namespace shingle::networks
