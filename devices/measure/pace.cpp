#include "devices/measure/pace.hpp"

#include <algorithm>

namespace shingle {

namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds timer_grain = std::chrono::milliseconds(1);

Span rounded_out(Span span, int32_t granule, int32_t size) {
  const int32_t begin = span.begin / granule * granule;
  const int64_t end = (int64_t{span.end} + granule - 1) / granule * granule;
  return {begin, static_cast<int32_t>(std::min<int64_t>(end, size))};
}

nanoseconds of_double(double nanos) { return nanoseconds(static_cast<int64_t>(nanos)); }

}  // namespace

PaceClock BreakablePause::clock() {
  using Clock = std::chrono::steady_clock;
  return {.now = [] { return nanoseconds(Clock::now().time_since_epoch()); },
          .wait_until =
              [this](nanoseconds until) {
                std::unique_lock lock(mutex_);
                changed_.wait_until(lock, Clock::time_point(until), [this] { return ended_; });
              }};
}

void BreakablePause::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
}

nanoseconds Pacer::board_time(nanoseconds computing, int64_t macs) const {
  const double slower = slowdown_ ? std::max(slowdown_(), 1.0) : 1.0;
  if (pace_.gflops > 0.0) return of_double(slower * 2.0 * static_cast<double>(macs) / pace_.gflops);
  return of_double(slower * static_cast<double>(computing.count()) * std::max(pace_.slowness, 1.0));
}

nanoseconds Pacer::debt_at(nanoseconds begin) const {
  const nanoseconds late = last_end_ - last_due_, idle = begin - last_end_;
  return std::max(late - idle, nanoseconds(0));
}

void Pacer::finish(nanoseconds begin, int64_t macs) {
  const nanoseconds computed = clock_.now(), computing = computed - begin;
  const nanoseconds owed = board_time(computing, macs);
  last_due_ = begin - debt_at(begin) + owed;
  ++report_.tiles;
  report_.macs += macs;
  report_.charged += owed;
  report_.computing += computing;
  if (computing > owed + timer_grain) ++report_.overruns;
  if (computed < last_due_) clock_.wait_until(last_due_);
  last_end_ = std::max(clock_.now(), last_due_);
  report_.most_debt = std::max(report_.most_debt, last_end_ - last_due_);
}

int64_t computed_macs(const Executor& executor, const Model& model, const TileProgram& program) {
  int64_t total = 0;
  for (const Step& step : program.steps) {
    const Granule granule = executor.granule(model, step.layer);
    const Shape shape = model.at(model.at(step.layer).output).shape;
    const Region computed = computed_region(step.algorithm, shape, step.output);
    total += macs(
        model, step.layer,
        {rounded_out(computed.y, granule.y, shape.h), rounded_out(computed.x, granule.x, shape.w),
         rounded_out(computed.c, granule.c, shape.c)});
  }
  return total;
}

Status PacedExecutor::compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                              std::span<const TensorView> outputs) {
  const nanoseconds begin = pacer_.now();
  const Status status = inside().compute(program, inputs, outputs);
  pacer_.finish(begin, computed_macs(inside(), model(), program));
  return status;
}

}  // namespace shingle
