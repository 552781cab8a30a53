// Pace: makes this machine stand for a slower one. The tile is really computed, then the rest of
// the time that the slower board would have taken is waited out, so no quota stutters and nobody
// else's core is used up.
//
//   computes | waits        | computes, late      | computes | waits, less
//   |--------|==============|---------------------|-----|----|====|
//   begin                   due: the board's end  due   end            due
//
// What ends late (a busy machine, a late timer) is *debt*: the next tile counts as begun that much
// earlier, if it follows at once; time in which nothing was to be computed pays debt off, for the
// board would have idled as well. So the sum is the board's, and it is never faster than the board.
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
  double gflops = 0.0;    // the board's, on everything that is computed; 0: as fast as this machine
  double slowness = 1.0;  // then takes so many times longer than this machine does
};

// Where time comes from, from any beginning. Tests pass one of their own and never sleep.
struct PaceClock {
  std::function<std::chrono::nanoseconds()> now;
  std::function<void(std::chrono::nanoseconds until)> wait_until;
};

// How many times longer the board takes just now, asked for each tile; none: as its pace says.
using Slowdown = std::function<double()>;

// The machine's clock, whose waits can be ended from another thread. Must outlive clock()'s users.
class BreakablePause {
 public:
  PaceClock clock();
  void end();  // the pause under way and all that would follow

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
};

// An overrun tile is one whose computing alone ended later than the board would have: this machine
// is too slow for what it stands for. Below a millisecond it is a timer's doing.
struct PaceReport {
  int64_t tiles = 0, overruns = 0;
  int64_t macs = 0;                      // charged: halo and rounding to granules included
  std::chrono::nanoseconds charged{};    // what the board takes for them
  std::chrono::nanoseconds computing{};  // what this machine took
  std::chrono::nanoseconds most_debt{};
};

// The account of one board. One thread at a time.
class Pacer {
 public:
  Pacer(Pace pace, PaceClock clock, Slowdown slowdown = {})
      : pace_(pace), clock_(std::move(clock)), slowdown_(std::move(slowdown)) {}

  std::chrono::nanoseconds now() const { return clock_.now(); }
  // A tile of so many MACs was computed from `begin` until now: waits until the board has it.
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

// What the executor really computes for a tile: each step's output, halos included, rounded out to
// the algorithm's grid and to the executor's granule. A Winograd step counts what it would have
// taken directly: the board that is stood for has a speed on direct convolutions.
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
