// LayerRunner: computes one layer of a model on this machine. A pass (devices/pass) is planned, cut
// for threads and computed through this interface, so it knows no kernel.
//
//   planning    input_box, takes_rings, runs_in_parts, needs
//   cutting     parts
//   computing   run        a region; the runner shares it out to the threads
//               run_part   one of the parts, on the calling thread
//
// Native, XNNPACK's and plain runners are all that there are.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "devices/executor/rows.hpp"
#include "devices/executor/workspace.hpp"
#include "devices/threads/parallel.hpp"

namespace shingle {

// Bytes past the end of a map in the arena that a run may read. No result depends on them.
inline constexpr int64_t readable_past_end = 16;

// What one thread computes of a region that several threads share.
struct LayerPart {
  Region region;       // never empty
  Region written;      // of the region: these channels alone
  Span panels{0, -1};  // of the weights, in the runner's own numbering; {0, -1}: all
};

struct LayerRun {
  std::span<const InputMap> maps;  // of the pass, by place
  std::span<const size_t> inputs;  // places: the layer's inputs, then the map that is added
  Region held;                     // what of input 0 holds values; the rest is padding
  bool padded = false;             // input 0 is stored as input_box() says, its border filled
  bool own_memory = false;         // bytes past the end of input 0 may be read
  OutputMap output;                // holds `region`
  Region region;                   // to compute, of the output map: the pooled one if `pool`
  bool begins = false;             // the first region that the pass computes of this layer
  bool pool = false;               // a 2x2 max-pool is computed with the layer
  bool adds = false;               // the last of `inputs` is added
  Activation activation;           // after the sum, if there is one
  bool added_after_activation = false;
  Workspace& work;  // reserved for needs(), at least
  const ThreadPool& pool_of_threads;

  const InputMap& input(size_t index) const { return maps[inputs[index]]; }
};

class LayerRunner {
 public:
  LayerRunner() = default;
  virtual ~LayerRunner() = default;
  LayerRunner(const LayerRunner&) = delete;
  LayerRunner& operator=(const LayerRunner&) = delete;

  // The box of input 0, border included, that it reads in place to compute `region`. None: it reads
  // the input however it is stored.
  virtual std::optional<PaddedBox> input_box(const Region& /*region*/) const {
    return std::nullopt;
  }

  // May the maps that it reads and writes be stored as rings of rows (rows.hpp)?
  virtual bool takes_rings() const { return false; }

  // May a region be computed by parts, several at once?
  virtual bool runs_in_parts() const { return false; }

  // Of a run that computes `region`, shared by `threads`.
  virtual WorkNeeds needs(const Region& region, bool pool, int threads) const = 0;

  // How threads share the region: one part where sharing is not worth it. Together the parts write
  // the region, each element once. REQUIRES: runs_in_parts().
  virtual std::vector<LayerPart> parts(const Region& region, bool pool, int threads) const;

  // Computes run.region. REQUIRES: `pool` and `adds` only as fuse_steps.hpp allows them.
  virtual Status run(const LayerRun& run) = 0;

  // On the calling thread, thread `thread` of the pool. Several may run at once, on threads of
  // their own. REQUIRES: runs_in_parts(); one of parts(run.region, ...); run.held need hold no more
  // than the part reads.
  virtual void run_part(const LayerRun& run, const LayerPart& part, int thread) const;
};

}  // namespace shingle
