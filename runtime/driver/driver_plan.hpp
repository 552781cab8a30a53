// PreparedPlan: a plan with the model and every tile's program. PlanLoader makes it on a worker,
// because checking a plan and packing weights take long.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "devices/executor/executor.hpp"
#include "partition/plan/plan.hpp"
#include "runtime/driver/inbox.hpp"
#include "runtime/driver/worker.hpp"
#include "runtime/protocol/load_plan.hpp"

namespace shingle {

// Immutable once made.
struct PreparedPlan {
  std::shared_ptr<const Model> model;
  LoadedPlan loaded;
  std::vector<TileProgram> programs;  // by tile
  // Programs of the tiles whose weights this node keeps packed. They outlive the plan, because
  // executors need them to forget these weights.
  std::shared_ptr<const std::vector<TileProgram>> kept;
};

// Finds a model by its name; the sentence of the error names the hash that is missing. Called on
// the loader's worker.
using ModelFinder = std::function<Result<std::shared_ptr<const Model>>(const ModelName&)>;

struct PlanOfModel {
  const Model* model = nullptr;
  const Plan* plan = nullptr;
};

// Whether this node may hold the plan beside those that it holds. The sentence gives the reason,
// with the numbers. Called on the loader's worker.
using PlanJudge = std::function<Status(std::span<const PlanOfModel> held, const PlanOfModel&)>;

// Packs what the kept programs need into every executor of this node. The forgetter frees what was
// packed for plans that nobody holds any more.
using Packer = std::function<Status(const std::shared_ptr<const PreparedPlan>&)>;
using Forgetter = std::function<void()>;

// Packs all of that again, from the models.
using Repacker = std::function<Status()>;

// The plan, checked against its model and prepared for this node; the error says why not. Throws
// nothing. REQUIRES: `find_model` can be called.
Result<std::shared_ptr<const PreparedPlan>> prepare_plan(const LoadPlan& order, NodeId self,
                                                         const ModelFinder& find_model);

// PlanLoader: one worker that loads plans one after the other and pushes a PlanLoaded for each. As
// soon as nobody holds a plan, it frees what executors had packed for it.
class PlanLoader {
 public:
  struct Ways {
    ModelFinder find_model;
    PlanJudge judge{};  // none: any plan may be held
    Packer pack;
    Forgetter forget;
    Repacker pack_again;
  };
  // REQUIRES: all ways but `judge` can be called. `inbox` must outlive the loader.
  PlanLoader(NodeId self, Ways ways, Inbox& inbox, const WorkerMaker& make_worker);
  ~PlanLoader();  // waits for the plan that is being loaded
  PlanLoader(const PlanLoader&) = delete;
  PlanLoader& operator=(const PlanLoader&) = delete;

  // At most `max_plans` wait; one more is answered at once by a PlanLoaded that says so.
  void load(LoadPlan order);
  // Before any plan that waits; answered by a PackedAgain.
  void pack_again();

 private:
  struct Desk;
  bool do_one();
  Item answer(const LoadPlan& order);
  Result<std::shared_ptr<const PreparedPlan>> loaded(const LoadPlan& order);
  std::optional<Item> judged(const PreparedPlan& plan) const;  // why it may not be held
  void forget();
  Item packed_again();
  Result<std::shared_ptr<const Model>> find(const ModelName& name);

  const NodeId self_;
  Ways ways_;
  Inbox& inbox_;
  // The worker's.
  std::map<ModelHash, std::weak_ptr<const Model>> models_;
  std::vector<std::weak_ptr<const PreparedPlan>> held_;

  std::shared_ptr<Desk> desk_;      // what is to be done
  std::unique_ptr<Worker> worker_;  // last: it uses the rest
};

}  // namespace shingle
