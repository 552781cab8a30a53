// Nodes whose speeds change while frames flow, or that were never what their profile says: an owner
// that plans anew, in virtual time.
#include <doctest/doctest.h>

#include <deque>

#include "clusters.hpp"
#include "runtime/owner/stream_owner.hpp"
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

// A stream of frames as the client library runs one, with a search that takes virtual time.
class SimulatedStream {
 public:
  // `believed`: what the owner thinks that the cluster is; `real`: what it is.
  SimulatedStream(std::shared_ptr<const Model> model, const Cluster& believed, const Cluster& real,
                  uint32_t open_frames = 6)
      : model_(std::move(model)),
        owner_(owner_of(model_, believed, open_frames)),
        cluster_(watched(machines_of(real, open_frames))) {
    propose(Time{}, owner_.turns().plans());
  }

  VirtualCluster& cluster() { return *cluster_; }
  size_t plans() const { return owner_.turns().plans().size(); }
  size_t switches() const { return switches_; }
  size_t searches() const { return searches_; }

  void run_until(Time end) {
    while (now_ < end) {
      now_ += 1ms;
      cluster_->run(now_);
      for (std::deque<Report> reports = std::move(reports_); const Report& report : reports)
        hear(report);
      look_for_other_plans();
      while (now_ > at_ms(100) && owner_.may_submit()) capture();
    }
  }

  // Frames delivered in [begin, end), a second.
  double rate(Time begin, Time end) const {
    const auto count = std::count_if(delivered_.begin(), delivered_.end(),
                                     [&](Time at) { return at >= begin && at < end; });
    return static_cast<double>(count) / std::chrono::duration<double>(end - begin).count();
  }

 private:
  static StreamOwner owner_of(const std::shared_ptr<const Model>& model, const Cluster& believed,
                              uint32_t open_frames) {
    const Goal goal{.kind = Goal::Kind::throughput,
                    .owner = owner,
                    .open_frames = static_cast<int32_t>(open_frames)};
    FoundRotation found = find_rotation(*model, believed, goal).value();
    return StreamOwner(model, found.rotation, {.open_frames = open_frames},
                       PlanBasis{believed, goal, found});
  }
  std::unique_ptr<VirtualCluster> watched(ClusterOptions options) {
    options.on_report = [this](NodeId node, const Report& report) {
      if (node == owner) reports_.push_back(report);
    };
    return std::make_unique<VirtualCluster>(std::move(options), *model_);
  }
  void propose(Time at, const std::vector<StreamOwner::Loaded>& plans) {
    for (const StreamOwner::Loaded& plan : plans) cluster_->propose(at, owner, plan->plan);
  }
  // The owner lives once, so the number of its life may be any.
  static FrameKey number(uint64_t frame) { return {.owner = owner, .life = 1, .frame = frame}; }
  void capture() {
    const StreamOwner::Loaded plan = owner_.deal();
    cluster_->capture(now_, owner, plan->hash, 1h);
    owner_.submitted(number(++captured_), plan, now_);
  }
  void hear(const Report& report) {
    const auto news = owner_.on(report);
    if (!news) {
      FAIL_CHECK(news.error());
      return;
    }
    if (*news == StreamOwner::News::went_over) ++switches_;
    if (report.kind != Report::Kind::frame_closed) return;
    REQUIRE(owner_.arrived(number(report.key.frame), now_));
    delivered_.push_back(now_);
  }
  void look_for_other_plans() {
    for (const PlanHash& plan : owner_.to_withdraw()) cluster_->withdraw(now_, owner, plan);
    const auto task = owner_.due(now_);
    if (!task) return;
    ++searches_;
    auto found = plan_anew(*model_, *task);
    if (!found) return owner_.kept();
    Turns turns(*model_, found->rotation);
    const auto begun = owner_.begin_change({std::move(turns), std::move(found)}, now_);
    propose(now_ + planning_time, begun.propose);
    if (begun.went_over) ++switches_;
  }

  std::shared_ptr<const Model> model_;
  StreamOwner owner_;
  std::deque<Report> reports_;
  std::unique_ptr<VirtualCluster> cluster_;
  Time now_{};
  uint64_t captured_ = 0;
  size_t switches_ = 0, searches_ = 0;
  std::vector<Time> delivered_;
};

std::shared_ptr<const Model> small_network() {
  return std::make_shared<const Model>(networks::make("yolov2_front", 160).value());
}

TEST_CASE("a node slowed 2x, then 4x: in 2 s the cluster is as fast as one planned for that" *
          doctest::test_suite("long")) {
  const Cluster whole = boards(6);
  SimulatedStream stream(small_network(), whole, whole);
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
    SimulatedStream informed(small_network(), slow, slow);
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
  SimulatedStream stream(model, six, six, 10);
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
  SimulatedStream deceived(small_network(), declared, real), informed(small_network(), real, real);
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
