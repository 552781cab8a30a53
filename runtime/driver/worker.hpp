// Worker: does a node's slow work (tiles, packing) beside its driver. One of the four seams: a
// thread in production; in a simulation of whole nodes, an object that the simulation steps.
#pragma once

#include <functional>
#include <memory>

namespace shingle {

class Worker {
 public:
  // Does one thing; false if there was nothing to do. Must not throw. Called by one worker only,
  // one call after the other.
  using Work = std::function<bool()>;

  virtual ~Worker() = default;  // ends after the work that is being done; begins nothing more
  // There is something to do. Any thread; does not wait for it.
  virtual void wake() = 0;
};

using WorkerMaker = std::function<std::unique_ptr<Worker>(Worker::Work)>;

// A worker with a thread of its own. REQUIRES: `work` can be called.
std::unique_ptr<Worker> own_thread(Worker::Work work);

}  // namespace shingle
