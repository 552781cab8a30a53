// Worker: who does a node's slow work (tiles, packing) beside its driver. One of the four seams: a
// thread in production; where whole nodes are simulated, whoever decides when that work goes on.
#pragma once

#include <functional>
#include <memory>

namespace shingle {

class Worker {
 public:
  // Does one thing; false if there was nothing to do. Must not throw. Called by one worker only,
  // one call after the other.
  using Work = std::function<bool()>;

  virtual ~Worker() = default;  // after the thing that is being done; what waits is not begun
  // There is something to do. Any thread; does not wait for it.
  virtual void wake() = 0;
};

using WorkerMaker = std::function<std::unique_ptr<Worker>(Worker::Work)>;

// A worker with a thread of its own.
std::unique_ptr<Worker> own_thread(Worker::Work work);

}  // namespace shingle
