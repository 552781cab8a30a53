// Connections: the data flow between the blocks of a draft, tensor by tensor. Results are kept, so
// a draft with one changed block computes only what concerns that block.
#pragma once

#include <map>

#include "partition/simulation/block_work.hpp"

namespace shingle {

// One tensor: its makers and readers in plan order, and what must be sent.
struct Linked {
  struct Reader {
    uint32_t block = 0, tile = 0;  // index into `readers` of LinkedAt; tile of that block
  };
  struct Canvas {
    uint32_t node = 0;
    int32_t users = 0;
    int64_t bytes = 0, pixel_bytes = 0;
  };
  TensorId tensor;
  int64_t element_bytes = 0;
  std::vector<uint32_t> makers;  // by maker of `flow`: tile of its block; empty for the frame
  std::vector<Reader> readers;   // by reader of `flow`
  Connection flow;
  std::vector<Canvas> canvases;  // by node that takes part, ascending
};

struct LinkedAt {
  const Linked* linked = nullptr;
  uint32_t maker = 0;             // block; not used for tensors of the frame
  std::vector<uint32_t> readers;  // blocks, ascending
};

class Connections {
 public:
  // Both must outlive this object.
  Connections(const Model& model, const Cluster& cluster);

  // By tensor, ascending; tensors that stay within a block are left out. The result is valid until
  // the next call. REQUIRES: blocks of earlier calls still exist, unchanged.
  std::vector<LinkedAt> of(const std::vector<const MadeBlock*>& blocks);

 private:
  struct Key {
    TensorId tensor;
    const MadeBlock* maker = nullptr;  // null: the frame
    std::vector<const MadeBlock*> readers;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  Linked link(const Key& key) const;
  std::vector<Linked::Canvas> canvases(const Linked& linked, const std::vector<TileBox>& makers,
                                       const std::vector<TileBox>& readers) const;

  const Model& model_;
  std::map<NodeId, uint32_t> node_of_;
  std::vector<bool> is_output_;  // by tensor
  std::map<Key, Linked> known_;
};

}  // namespace shingle
