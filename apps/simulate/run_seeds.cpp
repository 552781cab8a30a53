#include "apps/simulate/run_seeds.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace shingle {
namespace {

using sim::RunResult;

class Pool {
 public:
  Pool(const sim::Experiment& experiment, const SeedRuns& wanted)
      : experiment_(experiment), wanted_(wanted), shares_(wanted.runs) {}

  Result<std::vector<RunResult>> run() {
    std::vector<std::jthread> workers;
    for (uint32_t i = 0; i < std::min(wanted_.threads, wanted_.runs); ++i)
      workers.emplace_back([this] { work(); });
    watch();
    workers.clear();  // joins
    report();
    std::vector<RunResult> done;
    for (auto& [index, result] : results_) {
      if (!result && !stopped_) return result.failure();
      if (result) done.push_back(std::move(*result));
    }
    return done;
  }

 private:
  void work() {
    while (!stopped_) {
      const uint32_t index = next_++;
      if (index >= wanted_.runs) return;
      sim::SeedRunOptions options;
      if (index == 0) options = wanted_.first;
      options.simulator = wanted_.simulator;
      options.go_on = [this, index](double share) {
        shares_[index] = share;
        return !stopped_.load();
      };
      auto result = sim::run_seed(experiment_, wanted_.first_seed + index, options);
      const bool failed = !result;
      const std::lock_guard lock(mutex_);
      shares_[index] = 1.0;
      results_.emplace(index, std::move(result));
      if (failed) next_ = wanted_.runs;
      changed_.notify_one();
    }
  }

  bool all_done() const {
    const bool failed =
        std::ranges::any_of(results_, [](const auto& each) { return !each.second; });
    return failed || results_.size() == wanted_.runs;
  }

  void watch() {
    std::unique_lock lock(mutex_);
    while (!all_done() && !stopped_) {
      changed_.wait_for(lock, std::chrono::milliseconds(50));
      lock.unlock();
      report();
      double done = 0.0;
      for (const auto& share : shares_) done += share.load();
      if (wanted_.go_on && !wanted_.go_on(done)) stopped_ = true;
      lock.lock();
    }
  }

  void report() {
    for (; wanted_.on_run; ++reported_) {
      const RunResult* result = nullptr;
      {
        const std::lock_guard lock(mutex_);
        const auto found = results_.find(reported_);
        if (found != results_.end() && found->second) result = &*found->second;
      }
      if (result == nullptr) return;
      wanted_.on_run(*result);  // it stays where it is until run() ends
    }
  }

  const sim::Experiment& experiment_;
  const SeedRuns& wanted_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<uint32_t, Result<RunResult>> results_;  // by index of the seed
  std::vector<std::atomic<double>> shares_;
  std::atomic<uint32_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
  uint32_t reported_ = 0;
};

}  // namespace

Result<std::vector<RunResult>> run_seeds(const sim::Experiment& experiment,
                                         const SeedRuns& wanted) {
  return Pool(experiment, wanted).run();
}

}  // namespace shingle
