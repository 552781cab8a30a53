// Pace: makes this machine behave like a slower board. A tile is really computed; then the executor
// waits for the rest of the time that the board would take. Unlike a CPU quota this does not
// stutter, and it takes no time from other processes.
//
//   computes | waits        | computes, late      | computes | waits, less
//   |--------|==============|---------------------|-----|----|====|
//   begin                   due: the board's end  due   end            due
//
// The time by which a tile ends too late (a busy machine, a late timer) is *debt*: if the next tile
// follows at once, it counts as begun that much earlier. Idle time pays debt off, because the board
// would have been idle as well. So the total time is that of the board, and never less.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "devices/executor/wrapped_executor.hpp"

namespace shingle {

struct Pace {
  double gflops = 0.0;    // the board's speed, for all layers; 0: as fast as this machine
  double slowness = 1.0;  // if `gflops` is 0: takes so many times longer than this machine
};

// A clock with any zero point. Tests pass their own and never sleep.
struct PaceClock {
  std::function<std::chrono::nanoseconds()> now;
  std::function<void(std::chrono::nanoseconds until)> wait_until;
};

// How many times longer the board takes at the moment; called for each tile. Empty: 1.
using Slowdown = std::function<double()>;

// The machine's clock. Another thread can end its waits. Must outlive the users of clock().
class BreakablePause {
 public:
  PaceClock clock();
  void end();  // ends the current wait and all later ones

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
};

// A tile is an overrun if computing alone took longer than the board would: this machine is too
// slow to stand for it. Less than a millisecond does not count, because a timer may be late.
struct PaceReport {
  int64_t tiles = 0, overruns = 0;
  int64_t macs = 0;                      // of the tiles, with halos and rounding to granules
  std::chrono::nanoseconds charged{};    // the board's time for them
  std::chrono::nanoseconds computing{};  // this machine's time for them
  std::chrono::nanoseconds most_debt{};
};

// Keeps the times of one board. One thread at a time.
class Pacer {
 public:
  Pacer(Pace pace, PaceClock clock, Slowdown slowdown = {})
      : pace_(pace), clock_(std::move(clock)), slowdown_(std::move(slowdown)) {}

  std::chrono::nanoseconds now() const { return clock_.now(); }
  // A tile of so many MACs was computed from `begin` until now. Waits until the board would have
  // ended.
  void finish(std::chrono::nanoseconds begin, int64_t macs);
  const PaceReport& report() const { return report_; }

 private:
  std::chrono::nanoseconds board_time(std::chrono::nanoseconds computing, int64_t macs) const;
  std::chrono::nanoseconds debt_at(std::chrono::nanoseconds begin) const;

  const Pace pace_;
  const PaceClock clock_;
  const Slowdown slowdown_;
  std::chrono::nanoseconds last_due_{}, last_end_{};
  PaceReport report_;
};

// The MACs that the executor really computes for a tile: each step's output with its halo, rounded
// out to the algorithm's grid and to the executor's granule. A Winograd step counts like a direct
// one, because the board's speed is given for direct convolutions.
int64_t computed_macs(const Executor& executor, const Model& model, const TileProgram& program);

// Computes with `executor`, at the pacer's pace. The pacer must outlive it.
class PacedExecutor final : public WrappedExecutor {
 public:
  PacedExecutor(std::unique_ptr<Executor> executor, Pacer& pacer)
      : WrappedExecutor(std::move(executor)), pacer_(pacer) {}

  Status compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                 std::span<const TensorView> outputs) override;

 private:
  Pacer& pacer_;
};

}  // namespace shingle
