#include "runtime/driver_slot.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

ComputeSlot::ComputeSlot(std::unique_ptr<Executor> executor, Inbox& inbox, const Clock& clock,
                         double slow_down)
    : executor_(std::move(executor)),
      inbox_(inbox),
      clock_(clock),
      slow_down_(std::max(slow_down, 1.0)) {
  thread_ = std::thread([this] { run(); });
}

ComputeSlot::~ComputeSlot() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool ComputeSlot::busy() const {
  const std::lock_guard lock(mutex_);
  return busy_;
}

void ComputeSlot::start() {
  {
    const std::lock_guard lock(mutex_);
    assert(!busy_);
    busy_ = true;
  }
  changed_.notify_all();
}

Executor::Memory ComputeSlot::memory() {
  const std::lock_guard lock(executing_);
  return executor_->memory();
}

Status ComputeSlot::prepare(const std::shared_ptr<const PreparedPlan>& plan) {
  const std::lock_guard lock(executing_);
  if (model_ == nullptr) model_ = plan->model;
  if (model_ != plan->model)
    return Error{"it computes model " + short_name(model_->hash) +
                 " already, and a node serves one model: start it anew for another"};
  return executor_->prepare(*plan->model, plan->programs);
}

void ComputeSlot::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || busy_; });
    if (stopping_) return;
    lock.unlock();
    TileComputed outcome = compute();
    lock.lock();
    work_.plan.reset();
    busy_ = false;
    lock.unlock();
    inbox_.push({.event = std::move(outcome)});
    lock.lock();
  }
}

TileComputed ComputeSlot::compute() {
  const Compute& order = work_.order;
  TileComputed outcome{.key = order.key,
                       .tile = order.tile,
                       .attempt = order.attempt,
                       .place = order.place,
                       .compute_time = {},
                       .error = {}};
  const Time begin = clock_.now();
  {
    const std::lock_guard lock(executing_);
    const Status status =
        executor_->compute(work_.plan->programs[order.tile.value], work_.inputs, work_.outputs);
    if (!status) outcome.error = status.error();
  }
  if (slow_down_ > 1.0) wait_out(clock_.now() - begin);
  outcome.compute_time = clock_.now() - begin;
  return outcome;
}

void ComputeSlot::wait_out(Duration computing) {
  const auto extra = std::chrono::duration_cast<Duration>(computing * (slow_down_ - 1.0));
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, extra, [this] { return stopping_; });
}

}  // namespace shingle
