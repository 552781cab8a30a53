#include "runtime/driver_slot.hpp"

#include <cassert>

namespace shingle {

ComputeSlot::ComputeSlot(std::unique_ptr<Executor> executor, Inbox& inbox, const Clock& clock)
    : executor_(std::move(executor)), inbox_(inbox), clock_(clock) {
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
  outcome.compute_time = clock_.now() - begin;
  return outcome;
}

}  // namespace shingle
