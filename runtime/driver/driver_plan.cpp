#include "runtime/driver/driver_plan.hpp"

#include <cassert>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
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

std::shared_ptr<const std::vector<TileProgram>> kept_by(NodeId node, const Plan& plan,
                                                        const std::vector<TileProgram>& programs) {
  auto kept = std::make_shared<std::vector<TileProgram>>();
  for (uint32_t id = 0; id < programs.size(); ++id)
    if (keeps_weights(plan, node, TileId{id})) kept->push_back(programs[id]);
  return kept;
}

Item refusal(const PlanHash& hash, std::string why_not, bool again = false) {
  return {.event = PlanLoaded{.hash = hash, .plan = Error{std::move(why_not)}, .again = again}};
}

}  // namespace

Result<std::shared_ptr<const PreparedPlan>> prepare_plan(const LoadPlan& order, NodeId self,
                                                         const ModelFinder& find_model) {
  assert(find_model);
  Result<Plan> plan = parse_plan(order.text);
  if (!plan) return Error{"The plan cannot be read: " + plan.error()};
  if (plan->model != order.model)
    return Error{"The plan is for model " + short_name(plan->model) + ", not for model " +
                 short_name(order.model) + "."};
  Result<std::shared_ptr<const Model>> model = find_model({plan->model, plan->image, plan->sized});
  if (!model) return model.failure();
  Result<LoadedPlan> loaded = load_plan(**model, std::move(*plan), order.plan);
  if (!loaded) return loaded.failure();
  auto prepared = std::make_shared<PreparedPlan>();
  prepared->programs = programs_of(**model, loaded->plan);
  prepared->kept = kept_by(self, loaded->plan, prepared->programs);
  prepared->loaded = std::move(loaded).value();
  prepared->model = std::move(model).value();
  return std::shared_ptr<const PreparedPlan>(std::move(prepared));
}

// Plans may outlive the loader, so they share this with it: here they note that they have ended.
struct PlanLoader::Desk {
  std::mutex mutex;
  std::deque<LoadPlan> waiting;
  bool packs_again = false, forgets = false;
  Worker* worker = nullptr;  // null once the loader ends

  void note(bool& request) {
    const std::lock_guard lock(mutex);
    request = true;
    if (worker != nullptr) worker->wake();
  }
};

PlanLoader::PlanLoader(NodeId self, Ways ways, Inbox& inbox, const WorkerMaker& make_worker)
    : self_(self),
      ways_(std::move(ways)),
      inbox_(inbox),
      desk_(std::make_shared<Desk>()),
      worker_(make_worker([this] { return do_one(); })) {
  assert(ways_.find_model && ways_.pack && ways_.forget && ways_.pack_again);
  const std::lock_guard lock(desk_->mutex);
  desk_->worker = worker_.get();
}

PlanLoader::~PlanLoader() {
  const std::lock_guard lock(desk_->mutex);
  desk_->worker = nullptr;
}

void PlanLoader::load(LoadPlan order) {
  {
    const std::lock_guard lock(desk_->mutex);
    if (desk_->waiting.size() < max_plans) {
      desk_->waiting.push_back(std::move(order));
      return worker_->wake();
    }
  }
  inbox_.push(
      refusal(order.plan, "too many plans wait to be loaded there already", /*again=*/true));
}

void PlanLoader::pack_again() { desk_->note(desk_->packs_again); }

// Forgets first, because that frees memory; then packs again; then loads plans that wait.
bool PlanLoader::do_one() {
  std::unique_lock lock(desk_->mutex);
  if (std::exchange(desk_->forgets, false)) {
    lock.unlock();
    forget();
    return true;
  }
  if (std::exchange(desk_->packs_again, false)) {
    lock.unlock();
    inbox_.push(packed_again());
    return true;
  }
  if (desk_->waiting.empty()) return false;
  const LoadPlan order = std::move(desk_->waiting.front());
  desk_->waiting.pop_front();
  lock.unlock();
  inbox_.push(answer(order));
  return true;
}

void PlanLoader::forget() {
  std::erase_if(held_, [](const auto& plan) { return plan.expired(); });
  ways_.forget();
}

Item PlanLoader::packed_again() {
  try {
    return {.event = PackedAgain{ways_.pack_again()}};
  } catch (const std::bad_alloc&) {
    return {.event = PackedAgain{Error{"it has no memory left for them"}, /*again=*/true}};
  } catch (const std::exception& failure) {
    return {.event = PackedAgain{Error{failure.what()}}};
  }
}

// All plans of a model share one object, because executors know a model by its address.
Result<std::shared_ptr<const Model>> PlanLoader::find(const ModelName& name) {
  std::erase_if(models_, [](const auto& entry) { return entry.second.expired(); });
  const auto known = models_.find(name.hash);
  if (known != models_.end())
    if (auto model = known->second.lock()) return model;
  auto found = ways_.find_model(name);
  if (found) models_[(*found)->hash] = *found;
  return found;
}

// A plan that does not fit alone is refused for good; one that does not fit beside the others may
// be offered again.
std::optional<Item> PlanLoader::judged(const PreparedPlan& plan) const {
  if (!ways_.judge) return std::nullopt;
  std::vector<std::shared_ptr<const PreparedPlan>> alive;
  std::vector<PlanOfModel> others;
  for (const auto& held : held_) {
    auto other = held.lock();
    if (!other || other->loaded.hash == plan.loaded.hash) continue;
    others.push_back({other->model.get(), &other->loaded.plan});
    alive.push_back(std::move(other));
  }
  const PlanOfModel wanted{plan.model.get(), &plan.loaded.plan};
  if (const Status alone = ways_.judge({}, wanted); !alone)
    return refusal(plan.loaded.hash, alone.error());
  if (const Status beside = ways_.judge(others, wanted); !beside)
    return refusal(plan.loaded.hash, beside.error(), /*again=*/true);
  return std::nullopt;
}

// The pointer's deleter tells the loader when nobody holds the plan any more.
Result<std::shared_ptr<const PreparedPlan>> PlanLoader::loaded(const LoadPlan& order) {
  auto made = prepare_plan(order, self_, [this](const ModelName& name) { return find(name); });
  if (!made) return made;
  const PreparedPlan* const plan = made->get();
  return std::shared_ptr<const PreparedPlan>(
      plan, [inside = std::move(*made), desk = std::weak_ptr(desk_)](const PreparedPlan*) mutable {
        inside.reset();
        if (const auto there = desk.lock()) there->note(there->forgets);
      });
}

// A plan that memory does not suffice for is refused; a later try may succeed.
Item PlanLoader::answer(const LoadPlan& order) {
  try {
    Result<std::shared_ptr<const PreparedPlan>> prepared = loaded(order);
    if (!prepared) return refusal(order.plan, prepared.error());
    if (std::optional<Item> refused = judged(**prepared)) return std::move(*refused);
    if (const Status packed = ways_.pack(*prepared); !packed) {
      models_.erase((*prepared)->model->hash);  // its file may have changed: read it anew
      return refusal(order.plan, packed.error());
    }
    held_.push_back(*prepared);
    std::shared_ptr<const LoadedPlan> plan(*prepared, &(*prepared)->loaded);
    return {.event = PlanLoaded{.hash = order.plan, .plan = std::move(plan)},
            .prepared = *prepared};
  } catch (const std::bad_alloc&) {
    return refusal(order.plan, "it has no memory left for its weights and buffers", /*again=*/true);
  } catch (const std::exception& failure) {
    return refusal(order.plan, std::string("The plan cannot be loaded: ") + failure.what());
  }
}

}  // namespace shingle
