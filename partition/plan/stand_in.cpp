#include "partition/plan/stand_in.hpp"

#include <algorithm>
#include <cassert>
#include <map>

namespace shingle {

namespace {

using Work = std::map<NodeId, int64_t>;  // multiply-accumulates, plus one for each tile

int64_t work_of(const Tile& tile) { return tile.macs + 1; }

Work planned_work(const Plan& plan) {
  Work work;
  for (const FusedBlock& block : plan.blocks)
    for (const Tile& tile : block.tiles) work[tile.home] += work_of(tile);
  return work;
}

// The capacity of each home: the work that the plan gives it, or the average.
class Scales {
 public:
  explicit Scales(const Plan& plan) : planned_(planned_work(plan)), taken_(planned_) {
    int64_t sum = 0;
    for (const auto& [home, work] : planned_) sum += work;
    if (!planned_.empty()) average_ = std::max<int64_t>(1, sum / std::ssize(planned_));
  }

  NodeId lightest(const std::vector<NodeId>& heirs, int64_t more) const {
    assert(!heirs.empty());
    return *std::min_element(heirs.begin(), heirs.end(), [&](NodeId a, NodeId b) {
      return fullness(a, more) < fullness(b, more);
    });
  }
  void give(NodeId heir, int64_t work) { taken_[heir] += work; }

 private:
  double fullness(NodeId heir, int64_t more) const {
    const auto planned = planned_.find(heir), taken = taken_.find(heir);
    const int64_t fit = planned == planned_.end() ? average_ : planned->second;
    const int64_t has = taken == taken_.end() ? 0 : taken->second;
    return static_cast<double>(has + more) / static_cast<double>(fit);
  }

  Work planned_, taken_;
  int64_t average_ = 1;
};

}  // namespace

Plan stand_in(Plan plan, const std::vector<Inheritance>& losses) {
  Scales scales(plan);
  for (FusedBlock& block : plan.blocks) {
    for (Tile& tile : block.tiles) {
      const auto loss = std::find_if(losses.begin(), losses.end(), [&](const Inheritance& each) {
        return each.lost == tile.home;
      });
      if (loss == losses.end()) continue;
      tile.home = scales.lightest(loss->heirs, work_of(tile));
      scales.give(tile.home, work_of(tile));
    }
  }
  return plan;
}

}  // namespace shingle
