// Gets every layer's map as a node of a running cluster computes it.
//
// Plans alone make the node show its maps; there is no message for this. Each layer is a block of
// its own. Some blocks have their home at the node, the others here. So the node's output arrives
// here as the input of the next layer:
//
//   node:  [ layer 0 ] ---.           .---> [ layer 2 ] ---.
//                         |           |                    |
//   here:                 `-> [ layer 1 ]                  `-> [ layer 3 ] ---> output
//
// A second plan and frame swap the two, and a third shows the layers that are left. So about half
// of the maps that the node's layers read were computed here.
#pragma once

#include "apps/client/session.hpp"
#include "devices/measure/layer_check.hpp"

namespace shingle {

struct NodeQuestion {
  const ClusterFile& cluster;
  NodeId self;            // this process: a member of the cluster that computes the other layers
  NodeId node;            // the node to ask
  std::string keys{};     // a KeyFolder's path
  bool insecure = false;  // instead of keys
  ExecutorOptions executor{};  // of this process
};

// The plan of all frames, apart from the homes. Its algorithms decide the bits of the maps.
Plan layer_by_layer(const Model& model, NodeId home);

// The maps by layer; each holds what another layer reads of it, or what the model outputs. The
// sentence names a node that does not answer.
Result<std::vector<LayerMap>> node_layer_maps(std::shared_ptr<const Model> model,
                                              const WholeInputs& inputs,
                                              const NodeQuestion& question);

// For each frame, the layers that the node computes. Each layer is in one frame: one in which a
// layer that is computed here reads it, or in which the model outputs it.
std::vector<std::vector<bool>> question_rounds(const Model& model);

}  // namespace shingle
