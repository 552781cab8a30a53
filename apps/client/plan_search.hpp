// PlanSearch: searches for new plans on a thread of its own, because a search takes longer than a
// stream may wait. runtime/owner/replanner.hpp says when to search, and for which speeds.
//
// Only one thread may use it. Only the destructor waits for a search.
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
  // True if the search has ended; then take() returns what it found, once.
  bool has_ended() const;
  // None: nothing clearly better was found, or memory was short. REQUIRES: has_ended().
  std::optional<StreamOwner::Change> take();

 private:
  using Found = std::optional<StreamOwner::Change>;
  static Found search(std::shared_ptr<const Model> model, ReplanTask task);

  const std::shared_ptr<const Model> model_;
  std::future<Found> search_;  // last: its thread ends first
};

}  // namespace shingle
