#include "runtime/driver_slot.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "runtime/canvas.hpp"
#include "runtime/content_hash.hpp"

namespace shingle {

ComputeSlot::ComputeSlot(NodeId self, std::unique_ptr<Executor> first, ExecutorMaker another,
                         Inbox& inbox, const Clock& clock, const WorkerMaker& make_worker)
    : self_(self), another_(std::move(another)), inbox_(inbox), clock_(clock) {
  servings_.push_back({.model = nullptr, .plans = {}, .executor = std::move(first)});
  worker_ = make_worker([this] { return do_one(); });
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
  worker_->wake();
}

void ComputeSlot::check_weights(double share) {
  {
    const std::lock_guard lock(mutex_);
    share_to_check_ = std::min(1.0, share_to_check_ + share);
  }
  worker_->wake();
}

Executor::Memory ComputeSlot::memory() {
  const std::lock_guard lock(executing_);
  Executor::Memory sum;
  for (const Serving& serving : servings_) {
    const Executor::Memory memory = serving.executor->memory();
    sum.packed_bytes += memory.packed_bytes;
    sum.scratch_bytes += memory.scratch_bytes;
    sum.peak_bytes += memory.peak_bytes;
  }
  return sum;
}

Status ComputeSlot::prepare(const std::shared_ptr<const PreparedPlan>& plan) {
  const std::lock_guard lock(executing_);
  const Result<Serving*> chosen = serving(plan->model);
  if (!chosen) return Error{chosen.error()};
  if (Status prepared = (*chosen)->executor->prepare(*plan->model, plan->kept); !prepared)
    return prepared;
  (*chosen)->plans.push_back(plan);
  return success();
}

// Packed weights are memory: those of a model that no plan needs any more must not stay.
void ComputeSlot::dismiss_idle() {
  for (Serving& serving : servings_)
    std::erase_if(serving.plans, [](const auto& plan) { return plan.expired(); });
  if (!another_) return;
  std::erase_if(servings_, [](const Serving& serving) {
    return serving.model != nullptr && serving.plans.empty();
  });
}

Result<ComputeSlot::Serving*> ComputeSlot::serving(const std::shared_ptr<const Model>& model) {
  dismiss_idle();
  for (Serving& each : servings_)
    if (each.model == model) return &each;
  for (Serving& each : servings_) {
    if (each.model != nullptr) continue;
    each.model = model;
    return &each;
  }
  if (!another_)
    return Error{"it computes model " + short_name(servings_.front().model->hash) +
                 " already, and this node serves one model: start it anew for another"};
  servings_.push_back({.model = model, .plans = {}, .executor = another_()});
  return &servings_.back();
}

// The old weights go before the new ones are packed: there may be room for one of them only.
Status ComputeSlot::pack_again() {
  const std::lock_guard lock(executing_);
  if (!another_) return Error{"this node makes one executor in its life"};
  dismiss_idle();
  for (Serving& serving : servings_) {
    serving.executor = another_();
    for (const auto& kept : serving.plans) {
      const std::shared_ptr<const PreparedPlan> plan = kept.lock();
      const Status prepared =
          plan ? serving.executor->prepare(*plan->model, plan->kept) : success();
      if (!prepared) return prepared;
    }
  }
  return success();
}

bool ComputeSlot::do_one() {
  double share = 0.0;
  bool computes = false;
  {
    const std::lock_guard lock(mutex_);
    share = std::exchange(share_to_check_, 0.0);
    computes = busy_;
  }
  if (share > 0.0) check(share);
  if (!computes) return share > 0.0;
  TileComputed outcome = compute();
  {
    const std::lock_guard lock(mutex_);
    work_.plan.reset();
    busy_ = false;
  }
  inbox_.push({.event = std::move(outcome)});
  return true;
}

void ComputeSlot::check(double share) {
  std::string damage;
  {
    const std::lock_guard lock(executing_);
    for (const Serving& serving : servings_)
      if (const Status sound = serving.executor->check_weights(share); !sound && damage.empty())
        damage = sound.error();
  }
  if (!damage.empty()) inbox_.push({.event = WeightsDamaged{std::move(damage)}});
}

namespace {

std::vector<ConstTensorView> read_only(const std::vector<TensorView>& views) {
  std::vector<ConstTensorView> all;
  for (const TensorView& view : views) all.push_back(as_const(view));
  return all;
}

}  // namespace

TileComputed ComputeSlot::compute() {
  const Compute& order = work_.order;
  TileComputed outcome{.key = order.key,
                       .tile = order.tile,
                       .attempt = order.attempt,
                       .place = order.place,
                       .compute_time = {},
                       .error = {},
                       .content = {}};
  {
    const std::lock_guard lock(executing_);
    const auto serving = std::find_if(servings_.begin(), servings_.end(), [&](const Serving& each) {
      return each.model == work_.plan->model;
    });
    assert(serving != servings_.end());  // its plan is held
    const TileProgram& program = work_.plan->programs[order.tile.value];
    if (order.audited) outcome.content.windows = content_hash(work_.inputs, program.inputs);
    const Time begin = clock_.now();
    Status status = success();
    if (!keeps_weights(work_.plan->loaded.plan, self_, order.tile))
      status = serving->executor->prepare(*work_.plan->model, std::span(&program, 1));
    if (status) status = serving->executor->compute(program, work_.inputs, work_.outputs);
    outcome.compute_time = clock_.now() - begin;
    if (!status)
      outcome.error = status.error();
    else if (order.audited)
      outcome.content.outputs = content_hash(read_only(work_.outputs), program.outputs);
  }
  return outcome;
}

}  // namespace shingle
