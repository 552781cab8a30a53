#include "runtime/driver/driver_slot.hpp"

#include <algorithm>
#include <cassert>
#include <new>
#include <utility>

#include "runtime/driver/canvas.hpp"
#include "runtime/driver/content_hash.hpp"

namespace shingle {

ComputeSlot::ComputeSlot(NodeId self, std::unique_ptr<Executor> first, ExecutorMaker another,
                         Inbox& inbox, const Clock& clock, const WorkerMaker& make_worker)
    : self_(self), another_(std::move(another)), inbox_(inbox), clock_(clock) {
  assert(first != nullptr);
  servings_.push_back(std::make_unique<Serving>());
  servings_.back()->executor = std::move(first);
  worker_ = make_worker([this] { return do_one(); });
}

bool ComputeSlot::busy() const {
  const std::lock_guard lock(mutex_);
  return busy_;
}

void ComputeSlot::start() {
  {
    const std::lock_guard lock(mutex_);
    assert(!busy_ && work_.plan != nullptr);
    assert(work_.order.tile.value < work_.plan->programs.size());
    busy_ = true;
  }
  worker_->wake();
}

void ComputeSlot::check_weights(double share) {
  assert(share >= 0.0);
  {
    const std::lock_guard lock(mutex_);
    share_to_check_ = std::min(1.0, share_to_check_ + share);
  }
  worker_->wake();
}

std::vector<ComputeSlot::InUse> ComputeSlot::executors() const {
  const std::lock_guard lock(table_);
  std::vector<InUse> all;
  for (const auto& serving : servings_)
    if (serving->executor) all.push_back({serving->model, serving->executor});
  return all;
}

std::shared_ptr<Executor> ComputeSlot::executor_of(const Model& model) const {
  const std::lock_guard lock(table_);
  for (const auto& serving : servings_)
    if (serving->model.get() == &model) return serving->executor;
  return nullptr;
}

Executor::Memory ComputeSlot::memory() const {
  Executor::Memory sum;
  for (const InUse& each : executors()) {
    const Executor::Memory memory = each.executor->memory();
    sum.packed_bytes += memory.packed_bytes;
    sum.scratch_bytes += memory.scratch_bytes;
    sum.peak_bytes += memory.peak_bytes;
  }
  return sum;
}

// --- the loader's worker -------------------------------------------------------------------------

Status ComputeSlot::prepare(const std::shared_ptr<const PreparedPlan>& plan) {
  assert(plan != nullptr && plan->model != nullptr && plan->kept != nullptr);
  const Result<Serving*> chosen = serving(plan->model);
  if (!chosen) return chosen.failure();
  if ((*chosen)->executor == nullptr)
    return Error{"its weights have changed in memory and could not be packed again"};
  std::vector<Serving::Kept>& plans = (*chosen)->plans;
  plans.reserve(plans.size() +
                1);  // so push_back below cannot throw: what is prepared must be forgotten later
  if (Status prepared = (*chosen)->executor->prepare(*plan->model, *plan->kept); !prepared)
    return prepared;
  plans.push_back({plan, plan->kept});
  return success();
}

// Frees the packed weights of a model once no plan needs them.
void ComputeSlot::forget_idle() {
  std::vector<std::unique_ptr<Serving>> idle;  // destroyed after the lock is released
  for (const auto& serving : servings_) {
    std::vector<Serving::Kept>& plans = serving->plans;
    for (size_t i = 0; i < plans.size();) {
      if (!plans[i].plan.expired()) {
        ++i;
        continue;
      }
      if (serving->executor) serving->executor->forget(*plans[i].programs);
      std::swap(plans[i], plans.back());
      plans.pop_back();
    }
  }
  if (!another_) return;
  const std::lock_guard lock(table_);
  for (auto& serving : servings_)
    if (serving->model != nullptr && serving->plans.empty()) idle.push_back(std::move(serving));
  std::erase(servings_, nullptr);
}

Result<ComputeSlot::Serving*> ComputeSlot::serving(const std::shared_ptr<const Model>& model) {
  assert(model != nullptr);
  forget_idle();
  for (const auto& each : servings_)
    if (each->model == model) return each.get();
  for (const auto& each : servings_) {
    if (each->model != nullptr) continue;
    const std::lock_guard lock(table_);
    each->model = model;
    return each.get();
  }
  if (!another_)
    return Error{"it computes model " + short_name(servings_.front()->model->hash) +
                 " already, and this node serves one model: start it anew for another"};
  auto fresh = std::make_unique<Serving>();
  fresh->model = model;
  fresh->executor = another_();
  const std::lock_guard lock(table_);
  servings_.push_back(std::move(fresh));
  return servings_.back().get();
}

// Replaces the executor; returns the old one.
std::shared_ptr<Executor> ComputeSlot::put(Serving& serving, std::shared_ptr<Executor> executor) {
  const std::lock_guard lock(table_);
  return std::exchange(serving.executor, std::move(executor));
}

// Frees the old weights before it packs the new ones: there may be memory for one of them only.
Status ComputeSlot::pack_again() {
  if (!another_) return Error{"this node makes one executor in its life"};
  forget_idle();
  for (const auto& serving : servings_) {
    put(*serving, nullptr).reset();
    std::shared_ptr<Executor> fresh = another_();
    Status packed = success();
    std::vector<Serving::Kept> alive;
    for (const Serving::Kept& kept : serving->plans) {
      const auto plan = kept.plan.lock();
      if (!plan || !packed) continue;
      alive.push_back(kept);
      packed = fresh->prepare(*plan->model, *kept.programs);
    }
    if (!packed) return packed;
    serving->plans = std::move(alive);
    put(*serving, std::move(fresh));
  }
  return success();
}

// --- the slot's worker ---------------------------------------------------------------------------

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
  for (const InUse& each : executors())
    if (const Status sound = each.executor->check_weights(share); !sound && damage.empty())
      damage = sound.error();
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
                       .status = success(),
                       .content = {}};
  const std::shared_ptr<Executor> executor = executor_of(*work_.plan->model);
  if (executor == nullptr)
    outcome.status = Error{"its weights are being packed again"};
  else
    compute_on(*executor, outcome);
  return outcome;
}

Status ComputeSlot::pack_for_one_tile(Executor& executor, const TileProgram& program) {
  try {
    return executor.prepare(*work_.plan->model, std::span(&program, 1));
  } catch (const std::bad_alloc&) {
    return Error{"it has no memory left for the tile's weights and buffers"};
  }
}

// Weights that the plan does not keep at this node are packed for this tile alone. That is done
// before the tile begins, so that its compute time does not include it.
void ComputeSlot::compute_on(Executor& executor, TileComputed& outcome) {
  const Compute& order = work_.order;
  const TileProgram& program = work_.plan->programs[order.tile.value];
  assert(work_.inputs.size() == program.inputs.size());
  assert(work_.outputs.size() == program.outputs.size());
  if (order.audited) outcome.content.windows = content_hash(work_.inputs, program.inputs);
  const bool kept = keeps_weights(work_.plan->loaded.plan, self_, order.tile);
  outcome.status = kept ? success() : pack_for_one_tile(executor, program);
  const bool prepared = outcome.status.ok();
  inbox_.push_unhurried({.event = TileBegun{order.key, order.tile, order.place}});
  const Time begin = clock_.now();
  if (prepared) outcome.status = executor.compute(program, work_.inputs, work_.outputs);
  outcome.compute_time = clock_.now() - begin;
  if (!kept && prepared) executor.forget(std::span(&program, 1));
  if (!outcome.status)
    check(0.0);  // changed weights may be the reason
  else if (order.audited)
    outcome.content.outputs = content_hash(read_only(work_.outputs), program.outputs);
}

}  // namespace shingle
