// ModelCheck: what a model will be like on a cluster, before anything runs: which layers are cut
// into tiles, which need their whole map and why, by which kernels they are computed, and which of
// these are slow.
#pragma once

#include <string>
#include <vector>

#include "devices/layers/kernel_kind.hpp"
#include "partition/model/model.hpp"
#include "partition/search/layer_order.hpp"

namespace shingle {

struct CheckedLayer {
  std::string name, op;  // "Convolution 3x3"
  Shape output;
  MapKind cut = MapKind::map;  // as the planner sees it
  int32_t grid = 1;            // rows and columns that its algorithm computes together
  KernelKind kernel = KernelKind::plain;
  int64_t macs = 0;
  std::string why_whole, why_slow;  // a clause each; empty if it is not
};

struct ModelCheck {
  std::vector<CheckedLayer> layers;  // in the model's order
  int64_t macs = 0;
  int64_t distributed_macs = 0;  // in layers that several nodes can share
  int32_t gathers = 0;           // times that a frame's maps come together on one node in between
};

ModelCheck check_of(const Model& model);

// Layers of one kind: the same operator, cut and kernel.
struct LayerGroup {
  CheckedLayer like;  // the first of them
  std::string last;   // the last one's name
  int64_t layers = 0, macs = 0;
};

std::vector<LayerGroup> by_work(const ModelCheck& check);     // the most multiply-adds first
std::vector<LayerGroup> one_by_one(const ModelCheck& check);  // a group for each layer, in order

const char* name_of(MapKind cut);  // "tiles", "columns", "rows", "whole map"

}  // namespace shingle
