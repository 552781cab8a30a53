#include "partition/search/improve.hpp"

#include <algorithm>

#include "partition/search/moves.hpp"

namespace shingle {
namespace {

// Smaller gains are rounding noise; following them would use up the allowance.
constexpr double least_gain = 1e-4;

constexpr uint64_t seed = 20;

// This part of the allowance is for sweeps; the rest is for moves drawn at random.
constexpr double sweeps_part = 0.6;

// Draws that change nothing use no allowance, so their number is limited.
constexpr int32_t most_draws = 20'000;

class Search {
 public:
  Search(Workshop& workshop, const Borders& borders, Draft draft, const Effort& effort)
      : workshop_(workshop), moves_(workshop, borders), effort_(effort), begin_(workshop.spent()) {
    best_.draft = std::move(draft);
    const Verdict verdict = *workshop_.judge(best_.draft, {});
    best_.value = verdict.value;
    best_.waste = verdict.waste;
    best_.trials = 1;
  }

  Improved run() {
    bool better = true;
    while (better && !used_up(sweeps_part)) {
      better = effort_.wide_first && widen();
      for (size_t block = 0; block < best_.draft.size() && !used_up(sweeps_part); ++block) {
        better = reshape(block) || better;
      }
      better = widen() || better;
    }
    Dice dice(seed);
    const bool alone = workshop_.cluster().nodes.size() == 1;
    for (int32_t i = 0; i < most_draws && !alone && !used_up(1.0); ++i) {
      attempt(moves_.random(best_.draft, dice));
    }
    return std::move(best_);
  }

 private:
  bool used_up(double part) const {
    return static_cast<double>(workshop_.spent() - begin_) >=
           part * static_cast<double>(effort_.allowance);
  }

  bool attempt(Draft draft) {
    if (draft == best_.draft) return false;
    draft = without_idle_blocks(workshop_.model(), workshop_.order(), draft);
    if (cannot_be_better(draft)) return false;
    ++best_.trials;
    const Bar bar{.value = effort_.most_value,
                  .score = score_of(best_) * (1.0 - least_gain),
                  .waste_weight = effort_.waste_weight};
    const std::optional<Verdict> verdict = workshop_.judge(draft, bar);
    if (!verdict || verdict->value > bar.value) return false;
    Improved other{std::move(draft), verdict->value, verdict->waste, best_.trials};
    if (score_of(other) >= bar.score) return false;
    best_ = std::move(other);
    return true;
  }

  // The busiest node's computing time is a lower bound of every simulated time.
  bool cannot_be_better(const Draft& draft) {
    const Goal::Kind kind = workshop_.goal().kind;
    if (kind != Goal::Kind::latency && kind != Goal::Kind::throughput) return false;
    const double least = in_nanoseconds(workshop_.busiest(draft));
    return least > score_of(best_);
  }

  double score_of(const Improved& state) const {
    return score(state.value, state.waste, effort_.waste_weight);
  }

  bool widen() {
    bool better = false, again = true;
    while (again) {
      again = false;
      for (Draft& draft : moves_.wide(best_.draft)) {
        if (used_up(sweeps_part)) return better;
        again = attempt(std::move(draft)) || again;
        if (again) break;
      }
      better = better || again;
    }
    return better;
  }

  // If a kind of move helped, it is tried again on the result.
  bool reshape(size_t block) {
    bool better = false;
    for (const Moves::Kind kind : Moves::kinds()) {
      bool again = true;
      while (again && block < best_.draft.size()) {
        again = false;
        for (Draft& draft : moves_.changed(kind, best_.draft, block)) {
          if (used_up(sweeps_part)) return better;
          again = attempt(std::move(draft)) || again;
        }
        better = better || again;
      }
    }
    return better;
  }

  Workshop& workshop_;
  Moves moves_;
  const Effort effort_;
  const int64_t begin_;
  Improved best_;
};

}  // namespace

Improved improve(Workshop& workshop, const Borders& borders, Draft draft, const Effort& effort) {
  return Search(workshop, borders, std::move(draft), effort).run();
}

}  // namespace shingle
