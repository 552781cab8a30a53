// PlanSearch: plans anew on a thread of its own (runtime/owner/replanner.hpp says when, and for
// which speeds), since that takes longer than a stream may wait.
//
// One thread uses it; none of its functions waits for a search but the destructor.
#pragma once

#include <future>
#include <memory>
#include <optional>

#include "runtime/owner/stream_owner.hpp"

namespace shingle {

class PlanSearch {
 public:
  explicit PlanSearch(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

  // REQUIRES: no search is under way.
  void begin(ReplanTask task);
  bool is_under_way() const { return search_.valid(); }
  // A search under way has ended. Then take() has what it found, once.
  bool has_ended() const;
  // None: nothing clearly better, or no memory for it. REQUIRES: has_ended().
  std::optional<StreamOwner::Change> take();

 private:
  using Found = std::optional<StreamOwner::Change>;
  static Found search(std::shared_ptr<const Model> model, ReplanTask task);

  const std::shared_ptr<const Model> model_;
  std::future<Found> search_;  // last: its thread ends first
};

}  // namespace shingle
