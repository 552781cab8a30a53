#include "apps/client/plan_search.hpp"

#include <cassert>
#include <new>
#include <utility>

namespace shingle {

PlanSearch::Found PlanSearch::search(std::shared_ptr<const Model> model, ReplanTask task) {
  try {
    std::optional<FoundRotation> found = plan_anew(*model, task);
    if (!found) return std::nullopt;
    Turns turns(*model, found->rotation);
    return StreamOwner::Change{std::move(turns), std::move(found)};
  } catch (const std::bad_alloc&) {  // then the plans in use are kept
    return std::nullopt;
  }
}

void PlanSearch::begin(ReplanTask task) {
  assert(!is_under_way());
  search_ = std::async(std::launch::async, search, model_, std::move(task));
}

bool PlanSearch::has_ended() const {
  return is_under_way() && search_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

std::optional<StreamOwner::Change> PlanSearch::take() {
  assert(has_ended());
  return search_.get();
}

}  // namespace shingle
