// XnnLayer: one layer on XNNPACK, for one span of its output channels.
//
// The output is computed in strips of rows that fit the second-level cache. While a strip is there,
// the activation is applied and the result is written to the output:
//
//     padded input box        strip            output window
//     + - - - - - - - +    +---------+       +-----------+
//     | rows of strip |--->|         |--act->| rows      |   and the next strip after it
//     + - - - - - - - +    +---------+       +-----------+
//
// All strips of a region have the same number of rows (the last one overlaps its neighbour if
// necessary), so that the operator only changes its pointers from strip to strip.
#pragma once

#include "devices/executor/view.hpp"
#include "devices/executor/workspace.hpp"
#include "devices/threads/parallel.hpp"
#include "devices/xnnpack/xnn_operators.hpp"
#include "partition/plan/program.hpp"

namespace shingle {

// Can XNNPACK compute this layer with bits that do not depend on the tiling? (Its bilinear resize
// computes coordinates from the whole map, and its padded average divides differently at the
// border.)
bool runs_on_xnnpack(const Model& model, const Layer& layer);

// The channels that must be computed together to get the bits of the whole layer: XNNPACK uses
// another kernel for fewer than 16 output channels. REQUIRES: runs_on_xnnpack.
Span computed_channels(const Model& model, const Layer& layer, Span channels);

struct XnnLayerRun {
  ConstTensorView input;    // holds `held`
  Region held;              // the layer's demand; may be empty
  bool padded = false;      // input.region is what input_box() says, its border filled
  bool own_memory = false;  // bytes past the input's end may be read
  TensorView output;        // holds `region`
  Region region;            // to compute
  StripBuffers& buffers;    // reserved for `region`
  const ThreadPool& pool;
};

class XnnLayer {
 public:
  // REQUIRES: runs_on_xnnpack; `channels` as computed_channels gives them.
  static Result<XnnLayer> make(const Model& model, LayerId layer, Span channels);

  PaddedBox input_box(const Region& region) const;
  StripNeeds needs(const Region& region, int threads) const;
  void reserve(const Region& region, const ThreadPool& pool, StripBuffers& buffers) const;
  Status run(const XnnLayerRun& run);

 private:
  struct Strips;

  XnnLayer(XnnOperator op) : operator_(std::move(op)) {}
  Region computed(const Region& region) const;
  Region input_of(const Region& computed) const;
  Strips strips_of(const Region& computed, int threads) const;
  const float* input_rows(const XnnLayerRun& run, const Region& box) const;
  void finish(const XnnLayerRun& run, const TensorView& strip) const;

  XnnOperator operator_;
  Window y_, x_;
  Span inputs_, outputs_;  // channels that the operator reads and writes
  float neutral_ = 0.0F;
  int32_t least_pixels_ = 1;
  int64_t operations_ = 1;  // per output element
  Activation activation_;   // the activation that the operator itself does not apply
};

}  // namespace shingle
