// PreparedPasses: the passes that a native executor has prepared. One thread computes with them
// while another one prepares and forgets passes.
//
//   prepare   packs meanwhile, then publishes a new list .
//                                                        v
//   compute   takes the current list:         [ passes | one runner for the largest of them ]
//             and keeps its pass and runner until the tile has ended
//
// Neither thread waits for the other: the lock is held only while a pointer is copied. Passes share
// weights, operators and constants, which are freed with the last pass that holds them. If a pass
// is forgotten while a tile is computed with it, it is freed when the tile ends.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "devices/pass/pass_runner.hpp"
#include "devices/weights/packed_weights.hpp"

namespace shingle {

struct PreparedPass {
  const Model* model = nullptr;
  ReadyPass ready;
  PassNeeds needs;
  std::vector<std::shared_ptr<LayerRunner>> runners;  // the runners that the pass's steps point to

  // Tells that its runners read these weights. Does nothing if they are not mapped from a file.
  Status read_from(const PackedWeights& weights);
  // The path of a file that was touched since the last call, though its bytes are still the same;
  // empty: none. The error names a file that is lost. For the thread that computes.
  Result<std::string> touched_file();
  Status check_files() const;

 private:
  struct FileUse {
    MappedFile file;
    uint64_t version = 0;
  };
  std::vector<FileUse> files_;  // each once
};

class PreparedPasses {
 public:
  // Both must outlive it. `account` counts the memory of the runners.
  PreparedPasses(const ThreadPool& pool, MemoryAccount& account)
      : pool_(pool), account_(account), now_(std::make_shared<const List>()) {}

  // --- one thread at a time ---
  // A change of the list. It takes effect with publish(), and without it not at all.
  class Change {
   public:
    explicit Change(PreparedPasses& passes) : passes_(&passes), held_(passes.held_) {}
    bool hold_again(const TileProgram& program);  // false if the program is not held
    void hold(std::shared_ptr<PreparedPass> pass) { held_.push_back({std::move(pass), 1}); }
    void publish();

   private:
    friend class PreparedPasses;
    struct Held {
      std::shared_ptr<PreparedPass> pass;
      size_t times = 0;
    };
    PreparedPasses* passes_;
    std::vector<Held> held_;
  };
  // Forgets each program once; programs that are not held are ignored.
  void forget(std::span<const TileProgram> programs);
  size_t count() const;

  // --- the thread that computes, or any thread while nothing is computed ---
  struct InUse {
    std::shared_ptr<PreparedPass> pass;  // null: not prepared
    std::shared_ptr<PassRunner> runner;
  };
  InUse use(const TileProgram& program);

  // --- any thread ---
  Status check_files() const;
  const Model* model() const;  // null: nothing is prepared
  int64_t arena_bytes() const;

 private:
  struct List {
    std::vector<std::shared_ptr<PreparedPass>> passes;
    PassNeeds needs;
    std::shared_ptr<PassRunner> runner;  // null: no passes
  };
  std::shared_ptr<const List> now() const;
  void publish(const std::vector<Change::Held>& held);

  const ThreadPool& pool_;
  MemoryAccount& account_;
  std::vector<Change::Held> held_;
  mutable std::mutex mutex_;
  std::shared_ptr<const List> now_;  // under mutex_; never null
  size_t last_found_ = 0;
};

}  // namespace shingle
