// Stage: virtual time for whole processes. Whoever acts on it acts alone, all on one thread: the
// stage itself, or one worker, on a stack of its own, which goes on when its time has come and
// comes back when it has done its work or takes a pause. So a run with real drivers, slots and
// loaders is a function of its seed.
//
//   stage:   ...wake()...  [resume]               ...turn of a driver...  [resume]
//   worker:                 work -> pause(3 ms) .                          . -> ... -> done
//
// A worker that pauses keeps the locks it holds, as one does that really computes. Whoever then
// waits for such a lock would wait for ever, because nothing else moves; in production that is a
// tile that waits for a packing, or a driver for both. The watchdog ends the program then and names
// the seed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/driver/clock.hpp"
#include "runtime/driver/worker.hpp"
#include "sim/event_queue.hpp"
#include "sim/random.hpp"

namespace shingle::swarm {

// The workers of one process.
struct Crew {
  bool frozen = false;             // the process is stopped: what comes due waits in `missed`
  bool hurried = false;            // nobody pauses any more: the process ends
  std::function<void()> worked{};  // after each time that one of them has gone on
  std::vector<std::function<void()>> missed{};
};

class Stage {
 public:
  explicit Stage(uint64_t seed);
  ~Stage();

  Time now() const { return now_; }
  // REQUIRES: not before now().
  void at(Time when, std::function<void()> what) { queue_.push(when, std::move(what)); }
  void in(Duration delay, std::function<void()> what) { at(now_ + delay, std::move(what)); }
  void run(Time end);  // what is to happen until then
  uint64_t events() const { return events_; }

  // `crew` must outlive the workers.
  std::unique_ptr<Worker> worker(Crew& crew, Worker::Work work);
  // Whatever they do ends, and takes no time. Not within a worker's work.
  void hurry(Crew& crew);
  void freeze(Crew& crew) { crew.frozen = true; }
  void thaw(Crew& crew);

  // Within a worker's work: goes on after so long. False: the process ends, all waiting is over.
  bool pause(Duration length);

  const std::vector<std::string>& breaches() const { return breaches_; }

 private:
  class Hand;
  class Watchdog;
  void call(uint64_t hand);  // to go on, a moment later
  void resume(uint64_t hand);
  void let_go_on(Hand& hand);

  sim::EventQueue<std::function<void()>> queue_;
  sim::Random random_;
  Time now_{};
  uint64_t events_ = 0, hands_so_far_ = 0;
  std::map<uint64_t, Hand*> hands_;
  Hand* acting_ = nullptr;
  std::unique_ptr<Watchdog> watchdog_;
  std::vector<std::string> breaches_;
};

}  // namespace shingle::swarm
