// Every layer's map as a node of a running cluster computes it.
//
// Nothing but plans asks for them. Each layer is a block of its own; some have their home at the
// node, the others here, so that what the node computes comes here as what the next layer reads:
//
//   node:  [ layer 0 ] ---.           .---> [ layer 2 ] ---.
//                         |           |                    |
//   here:                 `-> [ layer 1 ]                  `-> [ layer 3 ] ---> output
//
// A second plan and frame have it the other way round, and a third what neither showed. So a layer
// of the node's works on maps of which about half were computed here.
#pragma once

#include "apps/client/session.hpp"
#include "devices/measure/layer_check.hpp"

namespace shingle {

struct NodeQuestion {
  const ClusterFile& cluster;
  NodeId self;  // a member of the cluster: its part of the layers is computed in this process
  NodeId node;  // the one that is asked
  std::string keys{};          // a KeyFolder's path
  bool insecure = false;       // instead of keys
  ExecutorOptions executor{};  // of this process
};

// The plan that all frames follow but for the homes: its algorithms are those of the maps.
Plan layer_by_layer(const Model& model, NodeId home);

// By layer; every one knows what another layer or the model's output reads of it. `input` is the
// model's only input, whole. The sentence names the node that does not answer.
Result<std::vector<LayerMap>> node_layer_maps(std::shared_ptr<const Model> model,
                                              const std::vector<std::byte>& input,
                                              const NodeQuestion& question);

// Which layers the node computes, frame by frame: each in one of them, where another layer that is
// computed here, or the model's output, shows it.
std::vector<std::vector<bool>> question_rounds(const Model& model);

}  // namespace shingle
