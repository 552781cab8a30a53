// A cluster of one node in this process: Node, Driver and one executor, without a wire. Benches
// measure with it what Node and Driver cost.
#pragma once

#include <condition_variable>
#include <mutex>
#include <vector>

#include "partition/search/planner.hpp"
#include "runtime/driver/driver.hpp"

namespace shingle::bench {

class NoWire final : public Transport {
 public:
  void send(NodeId, const Envelope&, const Message&, const Body&) override {}
};

class OneNode {
 public:
  // `model` must outlive it. The plan is the planner's for one node.
  OneNode(const Model& model, std::unique_ptr<Executor> executor)
      : driver_(options(model), executors(std::move(executor)), inbox_, wire_, clock_) {
    const Plan plan = make_plan(model, Cluster{{ClusterNode{NodeId{0}}}}).value();
    plan_ = hash_of(plan);
    driver_.start();
    driver_.propose(plan_, plan);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ready_ || !trouble_.empty(); });
  }
  ~OneNode() { driver_.stop(); }

  // The outputs of one frame, one after the other. Empty if it failed; trouble() then says why.
  std::vector<std::byte> compute(std::shared_ptr<const std::vector<std::byte>> image) {
    {
      std::lock_guard lock(mutex_);
      delivered_ = false;
    }
    driver_.submit(plan_, std::move(image), std::chrono::seconds(60));
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return delivered_ || !trouble_.empty(); });
    return std::move(outputs_);
  }

  std::string trouble() {
    std::lock_guard lock(mutex_);
    return trouble_;
  }

 private:
  DriverOptions options(const Model& model) {
    DriverOptions options;
    options.node.id = NodeId{0};
    options.node.name = "alone";
    options.node.members = {NodeId{0}};
    // Not owned: the caller keeps the model.
    options.find_model = [shared = std::shared_ptr<const Model>(std::shared_ptr<void>(), &model)](
                             const ModelName&) -> Result<std::shared_ptr<const Model>> {
      return shared;
    };
    options.on_deliver = [this](const FrameKey&, std::span<const Output> outputs) {
      std::lock_guard lock(mutex_);
      outputs_.clear();
      for (const Output& output : outputs) {
        const int64_t bytes = output.view.region.elements() * bytes_of(output.view.type);
        outputs_.insert(outputs_.end(), output.view.data, output.view.data + bytes);
      }
      delivered_ = true;
      changed_.notify_all();
    };
    options.on_report = [this](const Report& report) {
      std::lock_guard lock(mutex_);
      if (report.kind == Report::Kind::plan_ready) ready_ = true;
      if (!report.sentence.empty() && report.kind != Report::Kind::plan_ready) {
        trouble_ = report.sentence;
      }
      changed_.notify_all();
    };
    return options;
  }
  static std::vector<std::unique_ptr<Executor>> executors(std::unique_ptr<Executor> one) {
    std::vector<std::unique_ptr<Executor>> all;
    all.push_back(std::move(one));
    return all;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool ready_ = false, delivered_ = false;
  std::string trouble_;
  std::vector<std::byte> outputs_;
  PlanHash plan_{};
  Inbox inbox_;
  NoWire wire_;
  SteadyClock clock_;
  Driver driver_;
};

}  // namespace shingle::bench
