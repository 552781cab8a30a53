// LayerRunner: computes one layer of a model on this machine. A pass (devices/pass) uses only this
// interface to plan, to share work among threads and to compute, so it depends on no kernel.
//
//   planning    input_box, takes_rings, reads_once, kept_bytes, in_parts,
//               needs
//   cutting     parts, divides, operations, kept_parts
//   computing   run        a region; the runner shares it among the threads
//               run_part, keep_part   one of the parts, on the calling thread
//
// There are NativeRunner, XnnRunner, PlainRunner, ProductRunner and RecurrentRunner.
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
  Region written;      // the part of the region that is written: some channels
  Span panels{0, -1};  // of the weights, in the runner's own numbering; {0, -1}: all
};

struct LayerRun {
  std::span<const InputMap> inputs;  // the layer's, then the map that is added
  Region held;                       // the part of input 0 that holds values; the rest is padding
  bool padded = false;               // input 0 is stored as input_box() says, its border filled
  bool own_memory = false;           // bytes past the end of input 0 may be read
  OutputMap output;                  // holds `region`
  Region region;                     // to compute, in the output map (the pooled one if `pool`)
  bool begins = false;               // the first region that the pass computes of this layer
  std::byte* kept = nullptr;         // kept_bytes() of them
  bool pool = false;                 // a 2x2 max-pool is computed with the layer
  bool adds = false;                 // the last of `inputs` is added
  Activation activation;             // after the sum, if there is one
  bool added_after_activation = false;
  Workspace& work;  // reserved for needs(), at least
  const ThreadPool& pool_of_threads;

  const InputMap& input(size_t index) const { return inputs[index]; }
};

// The part of a runner that computes a region in parts, several at once on different threads.
class PartRunner {
 public:
  PartRunner() = default;
  virtual ~PartRunner() = default;
  PartRunner(const PartRunner&) = delete;
  PartRunner& operator=(const PartRunner&) = delete;

  // How threads share the region; one part if sharing costs more than it saves. Together the parts
  // write every element of the region once.
  virtual std::vector<LayerPart> parts(const Region& region, bool pool, int threads) const = 0;

  // May `part` of a region, a few of its rows or columns, be a part by itself? Then it costs little
  // more than its share of the region.
  virtual bool divides(const Region& part, bool pool) const = 0;

  // The work of a region, as ThreadPool::for_each counts it.
  virtual int64_t operations(const Region& region, bool pool) const = 0;

  // Computes a part on the calling thread, which has number `thread` in the pool. REQUIRES: `part`
  // is one of parts(run.region, ...), or divides() and takes all channels. run.held may be limited
  // to what the part reads.
  virtual void run_part(const LayerRun& run, const LayerPart& part, int thread) const = 0;

  // What it keeps of an input (LayerRunner::kept_bytes) in so many parts that threads can make side
  // by side, before the first region. 0 if it keeps nothing.
  virtual int32_t kept_parts(int /*threads*/) const { return 0; }
  // Makes what it keeps: part `index` of `count`, one of kept_parts().
  virtual void keep_part(const LayerRun& /*run*/, int32_t /*index*/, int32_t /*count*/,
                         int /*thread*/) const {}
};

class LayerRunner {
 public:
  LayerRunner() = default;
  virtual ~LayerRunner() = default;
  LayerRunner(const LayerRunner&) = delete;
  LayerRunner& operator=(const LayerRunner&) = delete;

  // The box of input 0, border included, that it must find in memory to compute `region`. None: it
  // accepts the input in any layout.
  virtual std::optional<PaddedBox> input_box(const Region& /*region*/) const {
    return std::nullopt;
  }

  // May the maps that it reads and writes be stored as rings of rows (rows.hpp)?
  virtual bool takes_rings() const { return false; }

  // Does it read this input only when it begins (LayerRun::begins), and keep what it needs of it?
  virtual bool reads_once(size_t /*input*/) const { return false; }

  // The memory that it keeps that in, its own from its first region to its last.
  virtual int64_t kept_bytes() const { return 0; }

  // Null: it computes whole regions only.
  virtual const PartRunner* in_parts() const { return nullptr; }

  // The memory that a run needs to compute `region` with `threads` threads.
  virtual WorkNeeds needs(const Region& region, bool pool, int threads) const = 0;

  // Computes run.region. REQUIRES: `pool` and `adds` only as fuse_steps.hpp allows them.
  virtual Status run(const LayerRun& run) = 0;
};

}  // namespace shingle
