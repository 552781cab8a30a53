// Nodes whose speeds change while frames flow, or that were never what their profile says: an owner
// that plans anew, in virtual time.
#include <doctest/doctest.h>

#include <deque>

#include "clusters.hpp"
#include "runtime/owner/replanner.hpp"
#include "runtime/protocol/turns.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::sim {
namespace {

using namespace std::chrono_literals;

constexpr NodeId owner{0};

// What planning takes on the owner, in virtual time.
constexpr Duration planning_time = 400ms;

Cluster boards(uint32_t count, double gflops = 8.0) {
  Cluster cluster;
  for (uint32_t i = 0; i < count; ++i)
    cluster.nodes.push_back(
        {.id = {i}, .gflops = gflops, .link_mbps = 94.2, .profile = paced_profile(gflops)});
  return cluster;
}

ClusterOptions machines_of(const Cluster& real, uint32_t open_frames) {
  ClusterOptions options = equal_machines(static_cast<uint32_t>(real.nodes.size()));
  options.network.latency = 200us;
  for (size_t i = 0; i < real.nodes.size(); ++i) {
    Machine& machine = options.machines[i];
    machine.profile = profile_of(real.nodes[i]);
    machine.bytes_per_second = static_cast<int64_t>(real.nodes[i].link_mbps * 125'000.0);
    machine.node.limits.open_frames = machine.node.limits.waiting_frames = open_frames;
    machine.node.limits.frame_slots = open_frames + 2;
  }
  return options;
}

// An owner that keeps frames under way, watches, and switches plans between two of them.
class WatchfulOwner {
 public:
  // `believed`: what the owner thinks that the cluster is; `real`: what it is.
  WatchfulOwner(std::shared_ptr<const Model> model, const Cluster& believed, const Cluster& real,
                uint32_t open_frames = 6)
      : model_(std::move(model)),
        open_frames_(open_frames),
        goal_({.kind = Goal::Kind::throughput,
               .owner = owner,
               .open_frames = static_cast<int32_t>(open_frames)}),
        first_(find_rotation(*model_, believed, goal_).value()),
        replanner_(model_, believed, goal_, first_),
        in_use_(*model_, first_.rotation),
        cluster_(watched(machines_of(real, open_frames)), *model_) {
    for (const Turns::Loaded& plan : in_use_.plans()) cluster_.propose(Time{}, owner, plan->plan);
  }

  VirtualCluster& cluster() { return cluster_; }
  size_t plans() const { return in_use_.plans().size(); }
  size_t switches() const { return switches_; }
  size_t searches() const { return searches_; }

  void run_until(Time end) {
    while (now_ < end) {
      now_ += 1ms;
      cluster_.run(now_);
      for (std::deque<Report> reports = std::move(reports_); const Report& report : reports)
        hear(report);
      consider();
      for (; now_ > at_ms(100) && under_way_ < open_frames_; ++under_way_) {
        plan_of_frame_.push_back(in_use_.next());
        cluster_.capture(now_, owner, plan_of_frame_.back()->hash, 1h);
      }
    }
  }

  // Frames delivered in [begin, end), a second.
  double rate(Time begin, Time end) const {
    const auto count = std::count_if(delivered_.begin(), delivered_.end(),
                                     [&](Time at) { return at >= begin && at < end; });
    return static_cast<double>(count) / std::chrono::duration<double>(end - begin).count();
  }

 private:
  ClusterOptions watched(ClusterOptions options) {
    options.on_report = [this](NodeId node, const Report& report) {
      if (node == owner) reports_.push_back(report);
    };
    return options;
  }
  void hear(const Report& report) {
    if (report.kind == Report::Kind::tile_done)
      replanner_.tile_done(*plan_of_frame_[report.key.frame - 1], report);
    if (report.kind == Report::Kind::frame_closed) {
      replanner_.frame_done(report.key);
      delivered_.push_back(now_);
      --under_way_;
    }
    if (report.kind == Report::Kind::plan_impaired) in_use_.say_ready(report.plan, false);
    if (report.kind == Report::Kind::plan_ready) hear_ready(report.plan);
    if (report.kind == Report::Kind::plan_refused || report.kind == Report::Kind::frame_aborted ||
        report.kind == Report::Kind::frame_dropped)
      FAIL_CHECK(report.sentence);
  }
  void hear_ready(const PlanHash& plan) {
    in_use_.say_ready(plan, true);
    if (next_) next_->turns.say_ready(plan, true);
    go_over();
  }
  void go_over() {
    if (!next_ || !next_->turns.all_ready()) return;
    for (const Turns::Loaded& plan : in_use_.plans())
      if (!next_->turns.has(plan->hash)) cluster_.withdraw(now_, owner, plan->hash);
    in_use_ = next_->turns;
    replanner_.switched(next_->found);
    next_.reset();
    ++switches_;
  }
  void consider() {
    const auto task = replanner_.due(now_);
    if (!task) return;
    ++searches_;
    auto found = plan_anew(*model_, *task);
    if (!found) return replanner_.kept();
    Turns turns(*model_, found->rotation);
    turns.take_over(in_use_);
    for (const Turns::Loaded& plan : turns.plans())
      if (!in_use_.has(plan->hash)) cluster_.propose(now_ + planning_time, owner, plan->plan);
    next_ = Next{std::move(*found), std::move(turns)};
    go_over();
  }

  struct Next {
    FoundRotation found;
    Turns turns;
  };

  std::shared_ptr<const Model> model_;
  const uint32_t open_frames_;
  Goal goal_;
  FoundRotation first_;
  Replanner replanner_;
  std::deque<Report> reports_;
  Turns in_use_;
  std::optional<Next> next_;
  std::vector<Turns::Loaded> plan_of_frame_;  // frame 1 first
  VirtualCluster cluster_;
  Time now_{};
  uint32_t under_way_ = 0;
  size_t switches_ = 0, searches_ = 0;
  std::vector<Time> delivered_;
};

std::shared_ptr<const Model> small_network() {
  return std::make_shared<const Model>(networks::make("yolov2_front", 160).value());
}

TEST_CASE("a node slowed 2x, then 4x: in 2 s the cluster is as fast as one planned for that" *
          doctest::test_suite("long")) {
  const Cluster whole = boards(6);
  WatchfulOwner stream(small_network(), whole, whole);
  // When node 3 takes twice as long from 4 s on, and four times as long from 10 s on
  stream.cluster().slow(at_ms(4000), NodeId{3}, 2.0);
  stream.cluster().slow(at_ms(10'000), NodeId{3}, 4.0);
  stream.run_until(at_ms(16'000));
  CHECK(stream.rate(at_ms(1000), at_ms(4000)) > 20.0);
  CHECK(stream.switches() == 2);
  CHECK(stream.searches() == 2);
  for (const auto& [slowness, begin_ms] : {std::pair(2.0, 6000), std::pair(4.0, 12'000)}) {
    CAPTURE(slowness);
    Cluster slow = whole;
    slow.nodes[3] = slowed(whole.nodes[3], slowness);
    WatchfulOwner informed(small_network(), slow, slow);
    informed.run_until(at_ms(4000));
    CHECK(informed.searches() == 0);
    const double best = informed.rate(at_ms(1000), at_ms(4000));
    CHECK(stream.rate(at_ms(begin_ms), at_ms(begin_ms + 4000)) >= 0.95 * best);
  }
  for (const std::string& breach : stream.cluster().breaches()) FAIL_CHECK(breach);
}

TEST_CASE("boards that take frames in turn are as fast as their sum; one that dies is left out" *
          doctest::test_suite("long")) {
  const Cluster six = boards(6, 4.0);
  const auto model = std::make_shared<const Model>(networks::make("yolov2_front", 96).value());
  WatchfulOwner stream(model, six, six, 10);
  REQUIRE(stream.plans() > 1);
  const double sum = 6.0 * speed_of(*model, profile_of(six.nodes[0]), WinogradUse::never);
  // When node 3 dies at 3 s and is back at 6 s
  stream.cluster().crash(at_ms(3000), NodeId{3});
  stream.cluster().restart(at_ms(6000), NodeId{3});
  stream.run_until(at_ms(10'000));
  // Then frames come at the pace of those that are there, and none is lost (hear() fails on that)
  CHECK(stream.rate(at_ms(1000), at_ms(3000)) > 0.95 * sum);
  CHECK(stream.rate(at_ms(4000), at_ms(6000)) > 0.60 * sum);
  CHECK(stream.rate(at_ms(8000), at_ms(10'000)) > 0.95 * sum);
  CHECK(stream.cluster().fates().delivered > 100);
  for (const std::string& breach : stream.cluster().breaches()) FAIL_CHECK(breach);
}

TEST_CASE("a node that lies about its speed is found out, and every frame is still exact" *
          doctest::test_suite("long")) {
  // Given node 2, which declares ten times what it does
  const Cluster real = boards(6);
  Cluster declared = real;
  declared.nodes[2].gflops = 80.0;
  declared.nodes[2].profile = paced_profile(80.0);
  WatchfulOwner deceived(small_network(), declared, real), informed(small_network(), real, real);
  // When both have run for a while
  deceived.run_until(at_ms(8000));
  informed.run_until(at_ms(8000));
  // Then the one that was told wrong is as fast as the one that was told right
  CHECK(deceived.switches() >= 1);
  CHECK(deceived.rate(at_ms(4000), at_ms(8000)) >= 0.95 * informed.rate(at_ms(4000), at_ms(8000)));
  CHECK(informed.searches() == 0);
  for (const std::string& breach : deceived.cluster().breaches()) FAIL_CHECK(breach);
}

}  // namespace
}  // namespace shingle::sim
