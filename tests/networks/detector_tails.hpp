// The last nodes of exported detectors that suppress in the graph, node by node as PyTorch's
// exporter writes them (opset 13 and up). Which boxes there are depends on the picture.
#pragma once

#include "tests/networks/onnx_graph.hpp"

namespace shingle::networks {

struct TailOptions {
  int64_t anchors = 0, classes = 1;
  float min_score = 0.25F, max_overlap = 0.45F;
  int64_t most = 300;        // boxes
  int64_t candidates = 400;  // of a class; torchvision only
};

// Ultralytics' NMSModel (`nms=True`). `boxes` [1, anchors, 4] are corners, `scores` [1, anchors,
// classes]. Returns [1, most, 6]: corners, score, class; rows without a box are zeros.
std::string ultralytics_tail(OnnxGraph& graph, const std::string& boxes, const std::string& scores,
                             const TailOptions& options);

// torchvision's SSD.postprocess_detections of one picture. `boxes` [anchors, 4] are corners,
// `scores` [anchors, 1 + classes] probabilities, the first of them that of nothing. Makes the
// outputs `boxes` [n, 4], `scores` [n], `labels` [n].
void torchvision_tail(OnnxGraph& graph, const std::string& boxes, const std::string& scores,
                      const TailOptions& options);

}  // namespace shingle::networks
