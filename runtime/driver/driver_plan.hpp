// A plan with what carrying it out needs: the model and every tile's program. Loaded off the
// driver's thread, because checking a plan and packing weights take long.
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
  // Of the tiles whose weights this node keeps ready; they outlive the plan, to be forgotten by.
  std::shared_ptr<const std::vector<TileProgram>> kept;
};

// Finds a model by its name; the sentence of the error names the hash that is missing. Called on
// the loader's worker.
using ModelFinder = std::function<Result<std::shared_ptr<const Model>>(const ModelName&)>;

struct PlanOfModel {
  const Model* model = nullptr;
  const Plan* plan = nullptr;
};

// May this node hold the plan beside those that it holds? The sentence says what is in the way,
// with the numbers. Called on the loader's worker.
using PlanJudge = std::function<Status(std::span<const PlanOfModel> held, const PlanOfModel&)>;

// Packs what the kept programs need into every executor of this node; and lets go of what plans
// that nobody holds any more had packed.
using Packer = std::function<Status(const std::shared_ptr<const PreparedPlan>&)>;
using Forgetter = std::function<void()>;

// Packs all of that anew, from the models.
using Repacker = std::function<Status()>;

// The plan, checked against its model, for this node, or why not. Throws nothing.
Result<std::shared_ptr<const PreparedPlan>> prepare_plan(const LoadPlan& order, NodeId self,
                                                         const ModelFinder& find_model);

// One worker that loads plans one after the other and pushes a PlanLoaded for each. It has what a
// plan made executors pack forgotten as soon as nobody holds the plan.
class PlanLoader {
 public:
  struct Ways {
    ModelFinder find_model;
    PlanJudge judge{};  // none: any plan may be held
    Packer pack;
    Forgetter forget;
    Repacker pack_again;
  };
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
