// A plan with what carrying it out needs: the model and every tile's program. Loaded off the
// driver's thread, because checking a plan and packing weights take long.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "devices/executor.hpp"
#include "runtime/inbox.hpp"
#include "runtime/load_plan.hpp"
#include "runtime/worker.hpp"

namespace shingle {

// Immutable once made.
struct PreparedPlan {
  std::shared_ptr<const Model> model;
  LoadedPlan loaded;
  std::vector<TileProgram> programs;  // by tile
  std::vector<TileProgram> kept;      // of the tiles whose weights this node keeps ready
};

// Finds a model by its name; the sentence of the error names the hash that is missing. Called on
// the loader's worker.
using ModelFinder = std::function<Result<std::shared_ptr<const Model>>(const ModelName&)>;

// May this node hold the plan? The sentence says what is in the way, with the numbers. Called on
// the loader's worker.
using PlanJudge = std::function<Status(const Model&, const Plan&)>;

// Packs what the kept programs need into every executor of this node.
using Packer = std::function<Status(const std::shared_ptr<const PreparedPlan>&)>;

// Packs all of that anew, from the models.
using Repacker = std::function<Status()>;

// The plan, checked against its model, for this node, or why not. Throws nothing.
Result<std::shared_ptr<const PreparedPlan>> prepare_plan(const LoadPlan& order, NodeId self,
                                                         const ModelFinder& find_model);

// One worker that loads plans one after the other and pushes a PlanLoaded for each.
class PlanLoader {
 public:
  struct Ways {
    ModelFinder find_model;
    PlanJudge judge{};  // none: any plan may be held
    Packer pack;
    Repacker pack_again;
  };
  // Its end waits for the plan that is being loaded.
  PlanLoader(NodeId self, Ways ways, Inbox& inbox, const WorkerMaker& make_worker);

  // At most `max_plans` wait; one more is answered at once by a PlanLoaded that says so.
  void load(LoadPlan order);
  // Before any plan that waits; answered by a PackedAgain.
  void pack_again();

 private:
  bool do_one();
  Item answer(const LoadPlan& order);
  Item packed_again();
  Result<std::shared_ptr<const Model>> find(const ModelName& name);

  const NodeId self_;
  Ways ways_;
  Inbox& inbox_;
  std::map<ModelHash, std::weak_ptr<const Model>> models_;  // the worker's
  std::mutex mutex_;
  std::deque<LoadPlan> waiting_;
  bool packs_again_ = false;
  std::unique_ptr<Worker> worker_;  // last: it uses the rest
};

}  // namespace shingle
