// PreparedPasses: what a native executor has ready, for one thread that computes while another
// prepares and forgets.
//
//   prepare   packs beside, then publishes a new list ---.
//                                                        v
//   compute   takes the list that there is:   [ passes | one runner for the largest of them ]
//             and keeps its pass and runner until the tile has ended
//
// Nobody waits for anybody: the lock is held while a pointer is copied. Weights, operators and
// constants belong to the passes that hold them and go with the last, so what is forgotten while a
// tile is computed with it goes when the tile ends.
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
  std::vector<std::shared_ptr<LayerRunner>> runners;  // what the pass's steps point to

  // Its runners read these weights; nothing happens where they are mapped from no file.
  Status read_from(const PackedWeights& weights);
  // The path of a file that somebody was at since the last call, though its bytes are the same
  // again; empty: there is none. The sentence names a file that is lost. For the thread that
  // computes.
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
  // Both must outlive it. `account`: of what runners keep.
  PreparedPasses(const ThreadPool& pool, MemoryAccount& account)
      : pool_(pool), account_(account), now_(std::make_shared<const List>()) {}

  // --- one thread at a time ---
  // What is held after publish(). Without that nothing happens.
  class Change {
   public:
    explicit Change(PreparedPasses& passes) : passes_(&passes), held_(passes.held_) {}
    bool hold_again(const TileProgram& program);  // false where it is not there
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
  // Each once; nothing happens to those that are not there.
  void forget(std::span<const TileProgram> programs);
  size_t count() const;

  // --- the thread that computes, or while nothing is computed ---
  struct InUse {
    std::shared_ptr<PreparedPass> pass;  // null: there is none
    std::shared_ptr<PassRunner> runner;
  };
  InUse use(const TileProgram& program);

  // --- any thread ---
  Status check_files() const;
  const Model* model() const;  // null: nothing is ready
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
