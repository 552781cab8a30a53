// The order in which a planner visits the layers of a model, and where it must cut.
//
// The order is topological, but layers that cannot share a block with spatial tiles wait until no
// other layer is ready. So the flattened tails of three detection heads come together at the end
// and not between the heads, and a squeeze-and-excite branch splits the network where it is.
//
//   position   0    1    2  |  3     4   |  5     6    7
//   layer     conv conv pool| mean  conv | mul  conv  conv
//   kind      map  map  map | whole whole| map  map   map
#pragma once

#include "partition/model/model.hpp"

namespace shingle {

// How the output of a layer can be cut.
enum class MapKind : uint8_t {
  map,     // along y and x
  row,     // height 1, or thin: along x alone
  column,  // width 1, or thin: along y alone
  whole,   // not at all: one pixel, or every part needs the whole input map
};

struct LayerOrder {
  std::vector<LayerId> layers;  // by position; topological
  std::vector<MapKind> kinds;   // by position
  // By tensor: the position where it is made (-1: an input or a constant), and where it is last
  // read (-1: never; layers.size(): it is a model output).
  std::vector<int32_t> made_at, last_read_at;
  // By position: where a map is made of which every part of the output needs all, although it is
  // cut like its first input (the second operand of a product); -1: there is none.
  std::vector<int32_t> whole_made_at;
};

// Order among layers that are ready: that of the file, or first those with the least work after
// them. The latter computes the heads of a detector as soon as possible, so that their results are
// sent while the rest is computed.
enum class Precedence : uint8_t { file, outputs };

LayerOrder layer_order(const Model& model, Precedence precedence = Precedence::file);

// A run of positions [begin, end) of one kind. A layer that needs all of a map that its run makes
// begins the next run: in one block with it, each tile would compute that map.
struct Stretch {
  size_t begin = 0, end = 0;
  MapKind kind = MapKind::map;
};
std::vector<Stretch> stretches(const LayerOrder& order);

// Tensors that positions [begin, end) make and that later positions read or that are model outputs;
// ascending.
std::vector<TensorId> outputs_of(const Model& model, const LayerOrder& order, size_t begin,
                                 size_t end);

}  // namespace shingle
