#include "apps/client/plan_watch.hpp"

#include <cstdio>

namespace shingle {

PlanWatch::PlanWatch(std::shared_ptr<const Model> model, PlanBasis basis)
    : model_(std::move(model)),
      cluster_(basis.cluster),
      replanner_(model_, std::move(basis.cluster), basis.goal, basis.found) {}

std::optional<PlanWatch::Searched> PlanWatch::search(std::shared_ptr<const Model> model,
                                                     ReplanTask task) {
  try {
    std::optional<FoundRotation> found = plan_anew(*model, task);
    if (!found) return std::nullopt;
    Turns turns(*model, found->rotation);
    return Searched{std::move(*found), std::move(turns)};
  } catch (const std::bad_alloc&) {  // those in use do without
    return std::nullopt;
  }
}

std::optional<Turns> PlanWatch::look(Time now) {
  if (search_.valid()) {
    if (search_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return std::nullopt;
    offered_ = search_.get();
    if (offered_) return offered_->turns;
    replanner_.kept();
  }
  if (auto task = replanner_.due(now))
    search_ = std::async(std::launch::async, search, model_, std::move(*task));
  return std::nullopt;
}

std::string PlanWatch::taken() {
  replanner_.switched(offered_->found);
  offered_.reset();
  std::string speeds;
  for (size_t i = 0; i < cluster_.nodes.size(); ++i) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%snode %u %.2f", speeds.empty() ? "" : ", ",
                  cluster_.nodes[i].id.value, replanner_.slowness()[i]);
    speeds += text.data();
  }
  return "planned anew, as nodes take other times than their profiles say (1.00: the same): " +
         speeds;
}

void PlanWatch::refused() {
  replanner_.kept();
  offered_.reset();
}

}  // namespace shingle
