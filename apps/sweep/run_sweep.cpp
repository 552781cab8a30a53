#include "apps/sweep/run_sweep.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "sim/sweep/nsga2.hpp"

namespace shingle {
namespace {

using namespace sim;

constexpr size_t most_designs = 10'000'000;  // of a grid: a few gigabytes

class Pool {
 public:
  Pool(const PreparedSweep& sweep, ResultStore& store, const SweepRun& wanted)
      : store_(store), wanted_(wanted) {
    for (uint32_t i = 0; i < wanted.threads; ++i) runners_.emplace_back(sweep);
    sweep_ = &sweep;
  }

  // By design, in their order; fewer if stopped. The error is that of the disk.
  Result<std::vector<DesignResult>> run(const std::vector<Design>& designs) {
    designs_ = &designs;
    next_ = 0;
    ended_ = 0;
    results_.assign(designs.size(), std::nullopt);
    {
      std::vector<std::jthread> workers;
      for (DesignRunner& runner : runners_) workers.emplace_back([&] { work(runner); });
      watch(designs.size());
    }
    if (disk_) return *disk_;
    std::vector<DesignResult> done;
    for (auto& result : results_)
      if (result) done.push_back(std::move(*result));
    return done;
  }

  size_t from_before() const { return from_before_; }
  bool stopped() const { return stopped_; }

 private:
  void work(DesignRunner& runner) {
    while (!stopped_) {
      const size_t index = next_++;
      if (index >= designs_->size()) return;
      const Design& design = (*designs_)[index];
      const std::string key = key_of(*sweep_, design);
      if (!take_known(index, key)) keep(index, key, runner.run(design));
    }
  }

  bool take_known(size_t index, const std::string& key) {
    const std::lock_guard lock(mutex_);
    auto known = store_.find(key, (*designs_)[index]);
    if (!known) {
      fail(known.failure());
      return true;
    }
    if (!*known) return false;
    ++from_before_;
    finish(index, std::move(**known));
    return true;
  }
  void keep(size_t index, const std::string& key, DesignResult result) {
    const std::lock_guard lock(mutex_);
    if (const Status added = store_.add(result, key); !added) return fail(added.failure());
    finish(index, std::move(result));
  }
  void finish(size_t index, DesignResult result) {
    results_[index] = std::move(result);
    ++done_;
    if (++ended_ == designs_->size()) changed_.notify_one();
  }
  void fail(const Error& error) {
    if (!disk_) disk_ = error;
    stopped_ = true;
    changed_.notify_one();
  }

  void watch(size_t designs) {
    std::unique_lock lock(mutex_);
    while (ended_ < designs && !stopped_) {
      changed_.wait_for(lock, std::chrono::milliseconds(50));
      const size_t done = done_;
      lock.unlock();
      if (wanted_.go_on && !wanted_.go_on(done)) stopped_ = true;
      lock.lock();
    }
  }

  const PreparedSweep* sweep_ = nullptr;
  ResultStore& store_;
  const SweepRun& wanted_;
  std::vector<DesignRunner> runners_;
  const std::vector<Design>* designs_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::optional<DesignResult>> results_;
  std::optional<Error> disk_;
  std::atomic<size_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  size_t done_ = 0, ended_ = 0, from_before_ = 0;  // ended: of this batch
};

Result<std::vector<DesignResult>> search(const PreparedSweep& sweep, Pool& pool,
                                         const SweepRun& wanted) {
  const SweepFile& file = sweep.file;
  const auto objectives = std::span(file.figures).first(file.objectives);
  const auto size = size_of(sweep, wanted.shard);
  if (!size) return size.failure();
  Nsga2 nsga2(sweep.space, {.population = file.population,
                            .evaluations = static_cast<uint32_t>(size->here),
                            .seed = file.seed + wanted.shard.rank});
  std::vector<DesignResult> all;
  for (auto designs = nsga2.ask(); !designs.empty(); designs = nsga2.ask()) {
    auto results = pool.run(designs);
    if (!results) return results;
    std::vector<Costs> costs;
    for (const DesignResult& result : *results)
      costs.push_back(result.figures.empty() ? Costs() : mean_costs(objectives, result));
    std::ranges::move(*results, std::back_inserter(all));
    if (pool.stopped()) break;
    nsga2.tell(costs);
  }
  return all;
}

}  // namespace

Result<std::vector<Design>> designs_of(const PreparedSweep& sweep) {
  const SweepFile& file = sweep.file;
  std::vector<Design> designs;
  if (file.method == SweepMethod::random) {
    designs = draw_several(sweep.space, file.designs, file.seed);
  } else if (combinations(sweep.space) > most_designs) {
    return bad_input(sweep.path + ": a grid of more than " + std::to_string(most_designs) +
                     " designs; use method = \"random\" or \"nsga2\"");
  } else {
    designs = all_designs(sweep.space);
  }
  if (designs.empty())
    return bad_input(sweep.path + ": no feasible design: each has more than most_nodes = " +
                     std::to_string(file.most_nodes.value_or(0)) + " nodes");
  return designs;
}

Result<SweepSize> size_of(const PreparedSweep& sweep, const Shard& shard) {
  const auto part = [&](size_t all) {
    return all / shard.size + (shard.rank < all % shard.size ? 1 : 0);
  };
  if (sweep.file.method == SweepMethod::nsga2)
    return SweepSize{sweep.file.evaluations, part(sweep.file.evaluations)};
  const auto designs = designs_of(sweep);
  if (!designs) return designs.failure();
  return SweepSize{designs->size(), part(designs->size())};
}

Result<SweepOutcome> run_sweep(const PreparedSweep& sweep, ResultStore& store,
                               const SweepRun& wanted) {
  Pool pool(sweep, store, wanted);
  Result<std::vector<DesignResult>> results = std::vector<DesignResult>();
  if (sweep.file.method == SweepMethod::nsga2) {
    results = search(sweep, pool, wanted);
  } else {
    const auto designs = designs_of(sweep);
    if (!designs) return designs.failure();
    std::vector<Design> own;
    for (size_t i = wanted.shard.rank; i < designs->size(); i += wanted.shard.size)
      own.push_back((*designs)[i]);
    results = pool.run(own);
  }
  if (!results) return results.failure();
  SweepOutcome outcome{std::move(*results), pool.from_before(), pool.stopped()};
  std::ranges::sort(outcome.results, {}, &DesignResult::design);
  return outcome;
}

}  // namespace shingle
