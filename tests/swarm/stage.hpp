// Stage: virtual time for whole processes, on one thread. At each moment either the stage runs or
// one worker. A worker has its own stack: the stage continues it when its time has come, and it
// returns to the stage when its work is done or when it pauses. So a run with real drivers, slots
// and loaders depends on its seed only.
//
//   stage:   ...wake()...  [resume]               ...turn of a driver...  [resume]
//   worker:                 work -> pause(3 ms) .                          . -> ... -> done
//
// A worker that pauses keeps its locks, as a worker that computes does. If another part then waits
// for such a lock, it waits for ever, because everything runs on this thread. In production this
// would be a tile that waits for a packing, or a driver that waits for a tile or a packing. The
// watchdog then ends the program and names the seed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "partition/base/event_queue.hpp"
#include "runtime/driver/clock.hpp"
#include "runtime/driver/worker.hpp"
#include "sim/random.hpp"

namespace shingle::swarm {

// The workers of one process.
struct Crew {
  bool frozen = false;             // the process is stopped: due events wait in `missed`
  bool hurried = false;            // the process ends: workers do not pause any more
  std::function<void()> worked{};  // called each time a worker has returned to the stage
  std::vector<std::function<void()>> missed{};
};

class Stage {
 public:
  explicit Stage(uint64_t seed);
  ~Stage();

  Time now() const { return now_; }
  // REQUIRES: `when` is not before now().
  void at(Time when, std::function<void()> what) { queue_.push(when, std::move(what)); }
  void in(Duration delay, std::function<void()> what) { at(now_ + delay, std::move(what)); }
  void run(Time end);  // all events up to `end`
  uint64_t events() const { return events_; }

  // `crew` must outlive the workers.
  std::unique_ptr<Worker> worker(Crew& crew, Worker::Work work);
  // Finishes all work of the crew at once. Must not be called within a worker's work.
  void hurry(Crew& crew);
  void freeze(Crew& crew) { crew.frozen = true; }
  void thaw(Crew& crew);

  // Within a worker's work: waits for `length`. False: the process ends, do not wait any more.
  bool pause(Duration length);

  const std::vector<std::string>& breaches() const { return breaches_; }

 private:
  class Hand;
  class Watchdog;
  void call(uint64_t hand);  // it continues a moment later
  void resume(uint64_t hand);
  void run_hand(Hand& hand);

  EventQueue<std::function<void()>> queue_;
  sim::Random random_;
  Time now_{};
  uint64_t events_ = 0, hands_so_far_ = 0;
  std::map<uint64_t, Hand*> hands_;
  Hand* acting_ = nullptr;
  std::unique_ptr<Watchdog> watchdog_;
  std::vector<std::string> breaches_;
};

}  // namespace shingle::swarm
