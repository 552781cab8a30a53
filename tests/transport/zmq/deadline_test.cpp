// Frames of two owners with deadlines, at one node on real sockets: who is due first goes first.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>

#include "partition/search/planner.hpp"
#include "runtime/driver/driver.hpp"
#include "tests/runtime/node/observed.hpp"
#include "tests/transport/members.hpp"

namespace shingle {
namespace {

using std::chrono::seconds;

// Computes nothing until it is opened.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    reached_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
  }
  bool wait_until_reached() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, testing::very_long, [&] { return reached_; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool reached_ = false, open_ = false;
};

class GatedExecutor : public Executor {
 public:
  explicit GatedExecutor(Gate& gate) : gate_(gate) {}
  std::string name() const override { return behind_.name(); }
  std::string arithmetic_class() const override { return behind_.arithmetic_class(); }
  Status prepare(const Model& model, std::span<const TileProgram> programs) override {
    return behind_.prepare(model, programs);
  }
  Status compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                 std::span<const TensorView> outputs) override {
    gate_.pass();
    return behind_.compute(program, inputs, outputs);
  }
  Granule granule(const Model& model, LayerId layer) const override {
    return behind_.granule(model, layer);
  }
  Memory memory() const override { return behind_.memory(); }

 private:
  Gate& gate_;
  ReferenceExecutor behind_;
};

// Records the bytes that a node has received of each frame, and the tiles that it computed, in
// order.
class Notes {
 public:
  void take(const TraceEvent& event) {
    const std::lock_guard lock(mutex_);
    const bool piece =
        event.kind == TraceEvent::Kind::received && std::string_view(event.what) == "Piece";
    if (piece) arrived_[event.key] += event.bytes;
    if (event.kind == TraceEvent::Kind::computed) computed_.push_back(event.key);
    changed_.notify_all();
  }
  bool wait_for(const std::vector<FrameKey>& frames, int64_t bytes_of_each) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, testing::very_long, [&] {
      return std::all_of(frames.begin(), frames.end(),
                         [&](const FrameKey& frame) { return arrived_[frame] >= bytes_of_each; });
    });
  }
  std::vector<FrameKey> computed() {
    const std::lock_guard lock(mutex_);
    return computed_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<FrameKey, int64_t> arrived_;
  std::vector<FrameKey> computed_;
};

// Nodes 1 and 2 own frames, node 3 computes them whole.
struct Deadlines {
  Deadlines()
      : model(testing::shared(networks::make("tiny", 48))),
        plan(single_plan(*model, NodeId{3})),
        members(testing::connected(3)) {
    for (uint32_t id = 1; id <= 3; ++id) start(id);
    for (const size_t owner : {0U, 1U}) {
      drivers[owner]->propose(hash_of(plan), plan);
      REQUIRE(observed[owner].wait_for(Report::Kind::plan_ready).has_value());
    }
  }
  ~Deadlines() {
    gate.open();
    for (auto& driver : drivers) driver->stop();
  }

  void start(uint32_t id) {
    DriverOptions options;
    options.node.id = NodeId{id};
    options.node.members = {NodeId{1}, NodeId{2}, NodeId{3}};
    options.node.limits.silence_allowed = testing::long_enough;
    options.node.limits.steals = false;
    options.find_model = testing::finder_of(model);
    observed[id - 1].listen(options);
    std::vector<std::unique_ptr<Executor>> executors;
    if (id == 3) {
      options.on_trace = [this](const TraceEvent& event) { notes.take(event); };
      executors.push_back(std::make_unique<GatedExecutor>(gate));
    }
    drivers.push_back(std::make_unique<Driver>(std::move(options), std::move(executors),
                                               members[id - 1]->inbox, *members[id - 1]->transport,
                                               clock));
    drivers.back()->start();
  }
  FrameKey submit(uint32_t owner, uint64_t seed, Duration time_left) {
    const auto key = drivers[owner - 1]->submit(hash_of(plan), image(seed), time_left);
    REQUIRE(key.has_value());
    return *key;
  }
  testing::Image image(uint64_t seed) const { return testing::image_of(*model, seed); }

  std::shared_ptr<const Model> model;
  Plan plan;
  std::vector<std::unique_ptr<testing::Member>> members;
  SteadyClock clock;
  Gate gate;
  Notes notes;
  std::array<testing::Observed, 3> observed;
  std::vector<std::unique_ptr<Driver>> drivers;
};

}  // namespace

TEST_CASE("late and timely frames of two owners: whoever is due first is computed first") {
  Deadlines run;
  // Given a frame that node 3 is at, while three more come: of the other owner one that is late
  // already
  const FrameKey at_it = run.submit(1, 10, seconds(100));
  REQUIRE(run.gate.wait_until_reached());
  const FrameKey second = run.submit(1, 11, seconds(200));
  const FrameKey late = run.submit(2, 20, Duration(1));
  const FrameKey third = run.submit(2, 21, seconds(300));
  const auto image_bytes = static_cast<int64_t>(run.image(10)->size());
  REQUIRE(run.notes.wait_for({at_it, second, late, third}, image_bytes));
  // When it may go on
  run.gate.open();
  // Then they come in the order in which they are due, and all are exact
  const std::array<std::pair<FrameKey, uint64_t>, 4> frames{
      std::pair(at_it, 10), std::pair(late, 20), std::pair(second, 11), std::pair(third, 21)};
  std::vector<FrameKey> order;
  for (const auto& [key, seed] : frames) {
    const auto outputs = run.observed[key.owner.value - 1].wait_for(key);
    REQUIRE(outputs.has_value());
    CHECK(*outputs == testing::bare_run(*run.model, run.image(seed)));
    order.push_back(key);
  }
  CHECK(run.notes.computed() == order);
}

}  // namespace shingle
