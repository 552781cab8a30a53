#include "runtime/driver_plan.hpp"

#include <exception>
#include <utility>

namespace shingle {

namespace {

std::vector<TileProgram> programs_of(const Model& model, const Plan& plan) {
  std::vector<TileProgram> programs;
  programs.reserve(static_cast<size_t>(tile_count(plan)));
  for (const FusedBlock& block : plan.blocks)
    for (const Tile& tile : block.tiles)
      programs.push_back(tile_program(model, block, tile.outputs));
  return programs;
}

std::vector<TileProgram> kept_by(NodeId node, const Plan& plan,
                                 const std::vector<TileProgram>& programs) {
  std::vector<TileProgram> kept;
  for (uint32_t id = 0; id < programs.size(); ++id)
    if (keeps_weights(plan, node, TileId{id})) kept.push_back(programs[id]);
  return kept;
}

Item refusal(const PlanHash& hash, std::string why_not) {
  return {.event = PlanLoaded{.hash = hash, .plan = nullptr, .why_not = std::move(why_not)}};
}

}  // namespace

Result<std::shared_ptr<const PreparedPlan>> prepare_plan(const LoadPlan& order, NodeId self,
                                                         const ModelFinder& find_model) {
  Result<Plan> plan = parse_plan(order.text);
  if (!plan) return Error{"The plan cannot be read: " + plan.error()};
  if (plan->model != order.model)
    return Error{"The plan is for model " + short_name(plan->model) + ", not for model " +
                 short_name(order.model) + "."};
  Result<std::shared_ptr<const Model>> model = find_model({plan->model, plan->image});
  if (!model) return Error{model.error()};
  Result<LoadedPlan> loaded = load_plan(**model, std::move(*plan), order.plan);
  if (!loaded) return Error{loaded.error()};
  auto prepared = std::make_shared<PreparedPlan>();
  prepared->programs = programs_of(**model, loaded->plan);
  prepared->kept = kept_by(self, loaded->plan, prepared->programs);
  prepared->loaded = std::move(loaded).value();
  prepared->model = std::move(model).value();
  return std::shared_ptr<const PreparedPlan>(std::move(prepared));
}

PlanLoader::PlanLoader(NodeId self, Ways ways, Inbox& inbox, const WorkerMaker& make_worker)
    : self_(self),
      ways_(std::move(ways)),
      inbox_(inbox),
      worker_(make_worker([this] { return do_one(); })) {}

void PlanLoader::load(LoadPlan order) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() < max_plans) {
      waiting_.push_back(std::move(order));
      return worker_->wake();
    }
  }
  inbox_.push(refusal(order.plan, "Too many plans wait to be loaded; offer this one again later."));
}

void PlanLoader::pack_again() {
  {
    const std::lock_guard lock(mutex_);
    packs_again_ = true;
  }
  worker_->wake();
}

bool PlanLoader::do_one() {
  std::unique_lock lock(mutex_);
  if (std::exchange(packs_again_, false)) {
    lock.unlock();
    inbox_.push(packed_again());
    return true;
  }
  if (waiting_.empty()) return false;
  const LoadPlan order = std::move(waiting_.front());
  waiting_.pop_front();
  lock.unlock();
  inbox_.push(answer(order));
  return true;
}

Item PlanLoader::packed_again() {
  try {
    const Status packed = ways_.pack_again();
    return {.event = PackedAgain{packed ? "" : packed.error()}};
  } catch (const std::exception& failure) {
    return {.event = PackedAgain{failure.what()}};
  }
}

// Later plans of a model get that very one, not a copy of it: executors hold on to it.
Result<std::shared_ptr<const Model>> PlanLoader::find(const ModelName& name) {
  std::erase_if(models_, [](const auto& entry) { return entry.second.expired(); });
  const auto known = models_.find(name.hash);
  if (known != models_.end())
    if (auto model = known->second.lock()) return model;
  auto found = ways_.find_model(name);
  if (found) models_[(*found)->hash] = *found;
  return found;
}

// Reading a model may throw for want of memory; a plan that does not fit is refused, not fatal.
Item PlanLoader::answer(const LoadPlan& order) {
  try {
    Result<std::shared_ptr<const PreparedPlan>> prepared =
        prepare_plan(order, self_, [this](const ModelName& name) { return find(name); });
    if (!prepared) return refusal(order.plan, prepared.error());
    const PreparedPlan& plan = **prepared;
    const Status allowed = ways_.judge ? ways_.judge(*plan.model, plan.loaded.plan) : success();
    if (!allowed) return refusal(order.plan, allowed.error());
    const Status packed = ways_.pack(*prepared);
    if (!packed) return refusal(order.plan, packed.error());
    std::shared_ptr<const LoadedPlan> loaded(*prepared, &(*prepared)->loaded);
    return {.event = PlanLoaded{.hash = order.plan, .plan = std::move(loaded), .why_not = {}},
            .prepared = *prepared};
  } catch (const std::exception& failure) {
    return refusal(order.plan, std::string("The plan cannot be loaded: ") + failure.what());
  }
}

}  // namespace shingle
