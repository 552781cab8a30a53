#include "partition/search/plan_search.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <memory>
#include <numeric>
#include <utility>

#include "partition/search/first_drafts.hpp"
#include "partition/simulation/plan_cost.hpp"

namespace shingle {
namespace {

constexpr size_t most_improved = 2;  // and the best of each kind

// Weights of waste. A search that gives it little weight finds a better plan in some cases and a
// worse one in others. The last search, and the choice among plans that are about equal, give it
// more: it may cost a little time.
constexpr double careless = 0.2, thrifty = 3.0;

// Among plans within this factor of the best one, the leanest is chosen.
constexpr double about_equal = 1.01;

// Fewer nodes are tried as long as the result is not worse than the best one by more than this
// factor.
constexpr double hopeless = 1.15;

// A workshop for one layer order.
struct Bench {
  const Precedence precedence;
  LayerOrder order;
  Borders borders;
  Workshop workshop;

  Bench(const Model& model, const Cluster& cluster, const Goal& goal, Precedence its_precedence,
        WinogradUse winograd)
      : precedence(its_precedence),
        order(layer_order(model, precedence)),
        borders(model, order),
        workshop(model, cluster, order, goal, winograd) {}
};

// Where a candidate comes from: one node or a pipeline; all blocks dealt in one way; in several.
enum class DraftKind : uint8_t { fixed, uniform, mixed };

struct Candidate {
  Bench* bench = nullptr;
  Improved state;
  DraftKind kind = DraftKind::fixed;
};

double score_of(const Candidate& candidate) {
  return score(candidate.state.value, candidate.state.waste);
}

class PlanSearch {
 public:
  PlanSearch(const Model& model, const Cluster& cluster, const Goal& goal, int64_t allowance)
      : cluster_(cluster), goal_(goal), allowance_(allowance) {
    const WinogradUse winograd = worthwhile_winograd(cluster, goal);
    const auto bench = [&](Precedence precedence) {
      return std::make_unique<Bench>(model, cluster, goal, precedence, winograd);
    };
    benches_.push_back(bench(Precedence::file));
    auto other = bench(Precedence::outputs);
    if (other->order.layers != benches_[0]->order.layers) benches_.push_back(std::move(other));
  }

  Found run() {
    singles();
    if (nodes() > 1) {
      draft_all();
      improve_best();
    }
    return found(leanest());
  }

  // Continues from a draft that was found for another goal.
  Found run_from(const Outline& outline) {
    begin_with(outline.precedence, {outline.draft});
    if (nodes() > 1) improve_best();
    return found(leanest());
  }

  // Continues from the best of some drafts that were good when nodes had other speeds.
  Found run_near(Precedence precedence, const std::vector<Draft>& drafts) {
    begin_with(precedence, drafts);
    if (nodes() > 1) go_on(*best(), {.allowance = allowance_});
    return found(*best());
  }

 private:
  size_t nodes() const { return cluster_.nodes.size(); }

  void begin_with(Precedence precedence, const std::vector<Draft>& drafts) {
    candidates_.clear();
    for (const auto& bench : benches_) {
      if (bench->precedence != precedence) continue;
      for (const Draft& draft : drafts) add(*bench, draft);
    }
  }

  void add(Bench& bench, Draft draft) { add(bench, std::move(draft), DraftKind::fixed, {}); }

  // Returns its score; the largest number if it is not of interest.
  double add(Bench& bench, Draft draft, DraftKind kind, const Bar& bar) {
    ++trials_;
    const std::optional<Verdict> verdict = bench.workshop.judge(draft, bar);
    if (!verdict) return std::numeric_limits<double>::max();
    candidates_.push_back({&bench, {std::move(draft), verdict->value, verdict->waste}, kind});
    return score_of(candidates_.back());
  }

  // With a larger score a draft is none of the most promising ones, nor the best of its kind, and
  // does not tell whether fewer nodes are worth a try.
  Bar bar_of(DraftKind kind, double best_so_far) const {
    std::array<double, most_improved> lowest;  // different scores, ascending
    lowest.fill(std::numeric_limits<double>::max());
    double best_of_kind = std::numeric_limits<double>::max();
    for (const Candidate& candidate : candidates_) {
      const double score = score_of(candidate);
      if (candidate.kind == kind) best_of_kind = std::min(best_of_kind, score);
      if (score >= lowest.back() || std::ranges::count(lowest, score) > 0) continue;
      lowest.back() = score;
      std::ranges::sort(lowest);
    }
    return {.score = std::max({hopeless * best_so_far, best_of_kind, lowest.back()})};
  }

  void singles() {
    Bench& bench = *benches_[0];
    const std::vector<size_t> ranked = by_speed();
    add(bench, single_draft(bench.workshop, ranked[0]));
    if (bench.workshop.owner() < nodes() && bench.workshop.owner() != ranked[0]) {
      add(bench, single_draft(bench.workshop, bench.workshop.owner()));
    }
    if (nodes() > 1) add(bench, pipeline_draft(bench.workshop));
  }

  // The owner's node first, because its frames need no wire; then the fastest.
  std::vector<size_t> by_speed() {
    Workshop& workshop = benches_[0]->workshop;
    const std::vector<double> shares = workshop.fair_shares(0, workshop.order().layers.size());
    std::vector<size_t> ranked(nodes());
    std::iota(ranked.begin(), ranked.end(), size_t{0});
    std::stable_sort(ranked.begin(), ranked.end(),
                     [&](size_t a, size_t b) { return shares[a] > shares[b]; });
    return ranked;
  }

  std::vector<bool> fastest(size_t count) {
    std::vector<bool> present(nodes(), false);
    const size_t owner = benches_[0]->workshop.owner();
    if (owner < nodes()) present[owner] = true, --count;
    for (size_t node : by_speed()) {
      if (count == 0) break;
      if (!present[node]) present[node] = true, --count;
    }
    return present;
  }

  void draft_all() {
    double best_so_far = score_of(*best());
    int32_t worse = 0;
    for (size_t count = nodes(); count > 1 && worse < 2; count -= std::max<size_t>(1, count / 4)) {
      const double score = draft_on(count, best_so_far);
      worse = score > hopeless * best_so_far ? worse + 1 : 0;
      best_so_far = std::min(best_so_far, score);
      if (count == nodes()) worse = 0;
    }
  }

  double draft_on(size_t count, double best_so_far) {
    const std::vector<bool> present = fastest(count);
    double lowest = std::numeric_limits<double>::max();
    for (const auto& bench : benches_) {
      for (const Layout& family : layout_families(count)) {
        DraftKind kind = DraftKind::uniform;
        for (const Draft& draft : first_drafts(bench->workshop, bench->borders, family, present)) {
          lowest = std::min(lowest, add(*bench, draft, kind, bar_of(kind, best_so_far)));
          if (count == nodes())
            add(*bench, with_weights_dealt(bench->workshop, draft), kind,
                bar_of(kind, best_so_far));
          kind = DraftKind::mixed;
        }
      }
    }
    return lowest;
  }

  // Keeps the most promising candidates, and the best one that is dealt in one way and in several:
  // drafts of one kind often differ little, and searches from them end at the same plan.
  void keep_most_promising() {
    std::stable_sort(
        candidates_.begin(), candidates_.end(),
        [](const Candidate& a, const Candidate& b) { return score_of(a) < score_of(b); });
    // Several families may end at one draft, such as everything on the owner.
    const auto repeated = std::unique(
        candidates_.begin(), candidates_.end(), [](const Candidate& one, const Candidate& other) {
          return one.bench == other.bench && one.state.draft == other.state.draft;
        });
    candidates_.erase(repeated, candidates_.end());
    std::array<size_t, 3> kept{};  // by kind
    std::erase_if(candidates_, [&](const Candidate& each) {
      size_t& of_kind = kept[static_cast<size_t>(each.kind)];
      const bool first = of_kind == 0 && each.kind != DraftKind::fixed;
      const bool keep = first || kept[0] + kept[1] + kept[2] < most_improved;
      of_kind += keep ? 1 : 0;
      return !keep;
    });
  }

  // Improves the most promising candidates a little, each in two ways, then the best one with most
  // of the remaining allowance; then makes it lean.
  void improve_best() {
    keep_most_promising();
    const size_t drafts = candidates_.size();
    for (size_t i = 0; i < drafts; ++i) {
      candidates_.push_back(candidates_[i]);
      go_on(candidates_[i], {.allowance = allowance_ / 8, .waste_weight = careless});
      go_on(candidates_.back(), {.allowance = allowance_ / 8, .wide_first = true});
    }
    go_on(*best(), {.allowance = allowance_ / 4, .wide_first = true});
    candidates_.push_back(*best());
    const double good_enough = about_equal * candidates_.back().state.value;
    go_on(candidates_.back(),
          {.allowance = allowance_ / 6, .waste_weight = thrifty, .most_value = good_enough});
  }

  void go_on(Candidate& candidate, const Effort& effort) {
    Bench& bench = *candidate.bench;
    candidate.state = improve(bench.workshop, bench.borders, candidate.state.draft, effort);
    trials_ += candidate.state.trials;
  }

  std::vector<Candidate>::iterator best() {
    return std::min_element(
        candidates_.begin(), candidates_.end(),
        [](const Candidate& a, const Candidate& b) { return a.state.value < b.state.value; });
  }

  // The leanest among those about as good as the best.
  const Candidate& leanest() {
    const double good_enough = about_equal * best()->state.value;
    const auto key = [&](const Candidate& candidate) {
      const bool good = candidate.state.value <= good_enough;
      return std::pair(!good, score(candidate.state.value, candidate.state.waste, thrifty));
    };
    return *std::min_element(
        candidates_.begin(), candidates_.end(),
        [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
  }

  Found found(const Candidate& chosen) {
    Workshop& workshop = chosen.bench->workshop;
    const Draft& draft = chosen.state.draft;
    Found found;
    found.plan = workshop.plan(draft);
    found.outline = {chosen.bench->precedence, draft};
    found.line = workshop.trial(draft);
    found.stream = workshop.trial(draft, steady_stream(goal_.open_frames));
    found.plan.predicted = prediction(found.line);
    found.plan.predicted.period = found.stream.period;
    found.score = score_of(chosen);
    found.trials = trials_;
    return found;
  }

  const Cluster& cluster_;
  const Goal& goal_;
  const int64_t allowance_;
  std::vector<std::unique_ptr<Bench>> benches_;
  std::vector<Candidate> candidates_;
  int32_t trials_ = 0;
};

// The draft with each node's part of every block scaled by the node's gain in speed.
Draft with_speeds(Draft draft, const std::vector<double>& speed_ups) {
  for (DraftBlock& block : draft) {
    double sum = 0.0;
    for (size_t i = 0; i < speed_ups.size(); ++i) sum += block.layout.shares[i] *= speed_ups[i];
    for (double& share : block.layout.shares) share /= sum;
  }
  return draft;
}

Error refusal(const Cluster& cluster, const Found& found) {
  size_t worst = 0;
  double most = 0.0;
  for (size_t i = 0; i < cluster.nodes.size(); ++i) {
    const int64_t cap = cluster.nodes[i].memory_bytes;
    if (cap <= 0) continue;
    const double part =
        static_cast<double>(found.stream.nodes[i].peak_bytes) / static_cast<double>(cap);
    if (part > most) most = part, worst = i;
  }
  const ClusterNode& node = cluster.nodes[worst];
  const NodeLoad& load = found.stream.nodes[worst];
  return {"no plan was found that fits: of all that were tried the least asks node " +
          std::to_string(node.id.value) + " for " + memory_words(load.peak_bytes) + " (" +
          parts(load) + "), and it may use " + memory_words(node.memory_bytes) +
          "; the smallest cap that fits is " + memory_words(least_cap(cluster, load.peak_bytes))};
}

}  // namespace

Result<Found> find_plan(const Model& model, const Cluster& cluster, const Goal& goal,
                        int64_t allowance) {
  if (cluster.nodes.empty()) return Error{"a plan needs at least one node that computes"};
  PlanSearch search(model, cluster, goal, allowance);
  Found found = search.run();
  if (keeps_caps(cluster, found.stream)) return found;
  Goal frugal = goal;
  frugal.kind = Goal::Kind::memory;
  PlanSearch least(model, cluster, frugal, allowance);
  const Found smallest = least.run();
  if (!keeps_caps(cluster, smallest.stream)) return refusal(cluster, smallest);
  return search.run_from(smallest.outline);
}

Result<Found> find_plan_near(const Model& model, const Cluster& cluster, const Goal& goal,
                             const Outline& from, const std::vector<double>& speed_ups,
                             int64_t allowance) {
  assert(speed_ups.size() == cluster.nodes.size() && !from.draft.empty());
  PlanSearch search(model, cluster, goal, allowance);
  const Found found =
      search.run_near(from.precedence, {with_speeds(from.draft, speed_ups), from.draft});
  if (!keeps_caps(cluster, found.stream)) return refusal(cluster, found);
  return found;
}

}  // namespace shingle
