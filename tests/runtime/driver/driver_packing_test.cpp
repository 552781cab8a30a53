// Weights are packed while tiles are computed: only tiles that need them wait, and they are freed
// with the last plan that needs them.
#include <doctest/doctest.h>

#include <atomic>
#include <latch>
#include <new>
#include <semaphore>

#include "devices/executor/wrapped_executor.hpp"
#include "devices/native/native_executor.hpp"
#include "runtime/driver/driver.hpp"
#include "tests/runtime/driver/one_member.hpp"
#include "tests/runtime/node/observed.hpp"

namespace shingle {
namespace {

using namespace testing;

// What the executors of a node have prepared and forgotten, and what the next call of prepare()
// does.
struct Packing {
  std::atomic<int> calls{0}, prepared{0}, forgotten{0}, throwing{0};
  std::latch* begun = nullptr;  // by the next call, which then waits for `go_on`
  std::latch* go_on = nullptr;
};

class Observable final : public WrappedExecutor {
 public:
  Observable(std::unique_ptr<Executor> inside, Packing& packing)
      : WrappedExecutor(std::move(inside)), packing_(packing) {}

  Status prepare(const Model& model, std::span<const TileProgram> programs) override {
    ++packing_.calls;
    if (std::latch* begun = std::exchange(packing_.begun, nullptr)) {
      begun->count_down();
      packing_.go_on->wait();
    }
    if (packing_.throwing > 0) {
      --packing_.throwing;
      throw std::bad_alloc();
    }
    Status status = WrappedExecutor::prepare(model, programs);
    if (status) packing_.prepared += static_cast<int>(programs.size());
    return status;
  }
  void forget(std::span<const TileProgram> programs) override {
    packing_.forgotten += static_cast<int>(programs.size());
    WrappedExecutor::forget(programs);
  }
  Status compute(const TileProgram& program, std::span<const ConstTensorView> inputs,
                 std::span<const TensorView> outputs) override {
    return inside().compute(program, inputs, outputs);
  }

 private:
  Packing& packing_;
};

// One node that owns the frames and computes all tiles.
struct Alone {
  explicit Alone(DriverOptions options = {
                     .node = one_member(), .find_model = {}, .on_deliver = {}, .on_report = {}}) {
    options.find_model = finder_of(model);
    observed.listen(options);
    std::vector<std::unique_ptr<Executor>> executors;
    executors.push_back(std::make_unique<Observable>(std::make_unique<NativeExecutor>(), packing));
    driver =
        std::make_unique<Driver>(std::move(options), std::move(executors), inbox, transport, clock);
    driver->start();
  }
  ~Alone() { driver->stop(); }

  PlanHash propose(GridCut grid) {
    const Plan plan =
        grid_plan(*model, {{{.id = {1}}}}, {.cut_after = {{0}}, .grid = grid, .granule = {}});
    driver->propose(hash_of(plan), plan);
    return hash_of(plan);
  }
  PlanHash ready(GridCut grid) {
    const PlanHash plan = propose(grid);
    REQUIRE(observed.wait_for(Report::Kind::plan_ready, ++plans_ready).has_value());
    return plan;
  }
  // A frame's delivery, compared with the bare executor's.
  void compute(const PlanHash& plan) {
    const Image image = image_of(*model, ++seed);
    const auto key = driver->submit(plan, image, std::chrono::seconds(60));
    REQUIRE(key.has_value());
    const auto outputs = observed.wait_for(*key);
    REQUIRE(outputs.has_value());
    NativeExecutor bare;
    CHECK(*outputs == bare_run(*model, image, bare));
  }

  std::shared_ptr<const Model> model = testing::shared(networks::make("tiny", 48));
  Packing packing;
  Inbox inbox;
  NoPeers transport;
  SteadyClock clock;
  Observed observed;
  size_t plans_ready = 0;
  uint64_t seed = 0;
  std::unique_ptr<Driver> driver;
};

TEST_CASE("frames go on while the next plan of their model is packed, however long that takes") {
  Alone node;
  const PlanHash first = node.ready({2, 2});
  std::latch begun(1), go_on(1);
  node.packing.go_on = &go_on;
  node.packing.begun = &begun;
  const PlanHash second = node.propose({3, 3});
  begun.wait();
  for (int frame = 0; frame < 5; ++frame) node.compute(first);  // the loader hangs all the while
  CHECK(node.driver->executor_memory().packed_bytes > 0);       // nor does this wait for it
  CHECK(node.observed.count(Report::Kind::plan_ready) == 1);
  go_on.count_down();
  REQUIRE(node.observed.wait_for(Report::Kind::plan_ready, 2).has_value());
  node.compute(second);
  CHECK(node.observed.count(Report::Kind::plan_impaired) == 0);
}

TEST_CASE("a plan for which there is no memory is refused with a sentence, and the node goes on") {
  Alone node;
  const PlanHash first = node.ready({2, 2});
  node.packing.throwing = 1;
  node.propose({3, 3});
  const auto refused = node.observed.wait_for(Report::Kind::plan_refused);
  REQUIRE(refused.has_value());
  CHECK(refused->sentence.find("it has no memory left") != std::string::npos);
  node.compute(first);
  node.ready({3, 3});  // another time there is some
}

TEST_CASE("a loader says of a plan without memory that it may be asked for again") {
  const auto model = testing::shared(networks::make("tiny", 48));
  const Plan plan =
      grid_plan(*model, {{{.id = {1}}}}, {.cut_after = {{0}}, .grid = {1, 1}, .granule = {}});
  Inbox inbox;
  int throwing = 1;
  PlanLoader loader(NodeId{1},
                    {.find_model = finder_of(model),
                     .judge = {},
                     .pack =
                         [&](const auto&) {
                           if (throwing-- > 0) throw std::bad_alloc();
                           return success();
                         },
                     .forget = [] {},
                     .pack_again = [] { return success(); }},
                    inbox, own_thread);
  for (const bool again : {true, false}) {
    loader.load({hash_of(plan), model->hash, print(plan)});
    const auto item = inbox.wait(std::chrono::steady_clock::now() + testing::very_long);
    REQUIRE(item.has_value());
    const auto& loaded = std::get<PlanLoaded>(item->event);
    CHECK(loaded.again == again);
    CHECK(!loaded.plan == again);
  }
}

TEST_CASE("what a plan had packed is forgotten as soon as nobody holds the plan") {
  const auto model = testing::shared(networks::make("tiny", 48));
  Packing packing;
  Inbox inbox;
  SteadyClock clock;
  ComputeSlot slot(NodeId{1},
                   std::make_unique<Observable>(std::make_unique<NativeExecutor>(), packing), {},
                   inbox, clock, own_thread);
  std::counting_semaphore<> forgotten(0);
  PlanLoader loader(NodeId{1},
                    {.find_model = finder_of(model),
                     .judge = {},
                     .pack = [&](const auto& plan) { return slot.prepare(plan); },
                     .forget =
                         [&] {
                           slot.forget_idle();
                           forgotten.release();
                         },
                     .pack_again = [] { return success(); }},
                    inbox, own_thread);
  const auto load = [&](int32_t rows) {
    const Plan plan =
        grid_plan(*model, {{{.id = {1}}}}, {.cut_after = {{0}}, .grid = {rows, 2}, .granule = {}});
    loader.load({hash_of(plan), model->hash, print(plan)});
    auto item = inbox.wait(std::chrono::steady_clock::now() + testing::very_long);
    REQUIRE(item.has_value());
    REQUIRE(item->prepared != nullptr);
    return std::move(item->prepared);
  };
  std::shared_ptr<const PreparedPlan> held = load(1);
  for (int32_t plan = 0; plan < 200; ++plan) {
    const auto next = load(2 + plan % 10);
    held = next;  // the one before goes
    REQUIRE(forgotten.try_acquire_for(testing::very_long));
    CHECK(packing.prepared - packing.forgotten == static_cast<int>(held->kept->size()));
  }
  held.reset();
  REQUIRE(forgotten.try_acquire_for(testing::very_long));
  CHECK(packing.prepared == packing.forgotten);
  CHECK(slot.memory().packed_bytes == 0);
  CHECK(slot.memory().scratch_bytes == 0);
}

}  // namespace
}  // namespace shingle
