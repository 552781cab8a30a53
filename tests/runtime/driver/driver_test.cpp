#include "runtime/driver/driver.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/runtime/driver/one_member.hpp"
#include "tests/runtime/node/observed.hpp"

namespace shingle {
namespace {

using testing::bare_run;
using testing::finder_of;
using testing::Image;
using testing::image_of;
using testing::NoPeers;
using testing::Observed;
using testing::one_member;
using testing::paced;
using testing::reference_executors;
using testing::Running;

// One node that owns the frames and computes all tiles.
struct Alone {
  explicit Alone(std::shared_ptr<const Model> of,
                 std::vector<std::unique_ptr<Executor>> executors = reference_executors(2),
                 std::function<void(const TraceEvent&)> on_trace = {})
      : model(std::move(of)) {
    DriverOptions options{.node = one_member(),
                          .find_model = finder_of(model),
                          .on_deliver = {},
                          .on_report = {},
                          .on_trace = std::move(on_trace)};
    observed.listen(options);
    driver =
        std::make_unique<Driver>(std::move(options), std::move(executors), inbox, transport, clock);
    driver->start();
  }

  PlanHash propose(const Plan& plan) {
    driver->propose(hash_of(plan), plan);
    return hash_of(plan);
  }
  PlanHash ready(const Plan& plan) {
    const PlanHash hash = propose(plan);
    REQUIRE(observed.wait_for(Report::Kind::plan_ready).has_value());
    return hash;
  }
  FrameKey submit(const PlanHash& plan, const Image& image) {
    const auto key = driver->submit(plan, image, std::chrono::seconds(60));
    REQUIRE(key.has_value());
    return *key;
  }

  std::shared_ptr<const Model> model;
  Inbox inbox;
  NoPeers transport;
  SteadyClock clock;
  Observed observed;
  std::unique_ptr<Driver> driver;
};

Plan cut(const Model& model, GridCut grid) {
  return grid_plan(model, {{{.id = {1}}}}, {.cut_after = {{0}}, .grid = grid, .granule = {}});
}

std::shared_ptr<const Model> tiny() { return testing::shared(networks::make("tiny", 48)); }

TEST_CASE("a frame cut into tiles is delivered with the bits of the bare executor") {
  Alone node(tiny());
  REQUIRE(node.model != nullptr);
  const PlanHash plan = node.ready(cut(*node.model, {3, 3}));
  std::vector<FrameKey> keys;
  for (uint64_t frame = 0; frame < 5; ++frame) {
    const Image image = image_of(*node.model, frame);
    keys.push_back(node.submit(plan, image));
    const auto outputs = node.observed.wait_for(keys.back());
    REQUIRE(outputs.has_value());
    CHECK(*outputs == bare_run(*node.model, image));
  }
  CHECK(node.observed.order() == keys);
  node.driver->stop();
  CHECK(node.driver->counters().frames_delivered == 5);
  CHECK(node.driver->node().broken_invariants().empty());
  CHECK(node.driver->canvases().peak_bytes() > 0);
}

TEST_CASE("small random networks on images of bytes and of floats come out right") {
  const uint64_t seed = 2024;
  CAPTURE(seed);
  networks::Random random(seed);
  for (int round = 0; round < 10; ++round) {
    Model drawn = networks::random_model(random);
    const int32_t channels = drawn.at(drawn.inputs.front()).shape.c;
    if (round % 2 == 1)
      take_image(drawn, std::vector<float>(static_cast<size_t>(channels), 0.02F),
                 std::vector<float>(static_cast<size_t>(channels), -2.0F));
    Alone node(std::make_shared<const Model>(std::move(drawn)));
    const PlanHash plan = node.ready(cut(*node.model, {2, 3}));
    const Image image = image_of(*node.model, random.next());
    const auto outputs = node.observed.wait_for(node.submit(plan, image));
    REQUIRE(outputs.has_value());
    CHECK(*outputs == bare_run(*node.model, image));
  }
}

TEST_CASE("a model that is not there is named in the refusal of its plan") {
  Alone node(tiny());
  const auto other = testing::shared(networks::make("tiny", 32, 7));
  const Plan plan = cut(*other, {1, 1});
  node.propose(plan);
  const auto refused = node.observed.wait_for(Report::Kind::plan_refused);
  REQUIRE(refused.has_value());
  CHECK(refused->sentence.find(short_name(other->hash)) != std::string::npos);
}

TEST_CASE("a plan that is not sound is refused") {
  Alone node(tiny());
  Plan plan = cut(*node.model, {2, 2});
  plan.blocks.front().tiles.front().outputs.front().region.y.end -= 1;  // a hole
  node.propose(plan);
  const auto refused = node.observed.wait_for(Report::Kind::plan_refused);
  REQUIRE(refused.has_value());
  CHECK_FALSE(refused->sentence.empty());
}

TEST_CASE("a frame of the wrong size or without a plan is dropped with a reason") {
  Alone node(tiny());
  const PlanHash plan = node.ready(cut(*node.model, {2, 2}));
  node.submit(PlanHash{}, image_of(*node.model, 1));
  auto dropped = node.observed.wait_for(Report::Kind::frame_dropped);
  REQUIRE(dropped.has_value());
  CHECK(dropped->sentence == "The frame's plan 000000000000 is not loaded here.");
  node.submit(plan, std::make_shared<const std::vector<std::byte>>(5));
  dropped = node.observed.wait_for(Report::Kind::frame_dropped, 2);
  REQUIRE(dropped.has_value());
  CHECK(dropped->sentence.starts_with("The frame has 5 bytes where the model's input "));
  // And the next one is served.
  const Image image = image_of(*node.model, 2);
  CHECK(node.observed.wait_for(node.submit(plan, image)) == bare_run(*node.model, image));
}

TEST_CASE("a model with two inputs gets both of a frame, and a frame with one only is dropped") {
  Model sum;
  const Shape shape{16, 16, 4};
  const TensorId left = add_input(sum, "left", shape), right = add_input(sum, "right", shape);
  add_output(sum, "sum", add_layer(sum, "add", Binary{Binary::Kind::add}, {left, right}));
  sum.hash = structural_hash(sum);
  Alone node(testing::shared(std::move(sum)));
  const PlanHash plan =
      node.ready(grid_plan(*node.model, {{{.id = {1}}}}, {.cut_after = {}, .grid = {2, 2}}));
  const std::vector<float> a = networks::random_input(shape, 1);
  const std::vector<float> b = networks::random_input(shape, 2);
  const auto bytes = [](const std::vector<float>& values) {
    const auto all = std::as_bytes(std::span(values));
    return std::make_shared<const std::vector<std::byte>>(all.begin(), all.end());
  };
  const auto key =
      node.driver->submit(plan, std::vector<Image>{bytes(a), bytes(b)}, std::chrono::seconds(60));
  REQUIRE(key.has_value());
  const auto outputs = node.observed.wait_for(*key);
  REQUIRE(outputs.has_value());
  std::vector<float> sums;
  for (size_t i = 0; i < a.size(); ++i) sums.push_back(a[i] + b[i]);
  CHECK(outputs->begin()->second == *bytes(sums));
  node.submit(plan, bytes(a));
  const auto dropped = node.observed.wait_for(Report::Kind::frame_dropped);
  REQUIRE(dropped.has_value());
  CHECK(dropped->sentence == "The frame has 1 inputs where the model takes 2.");
}

// An executor that fails at every tile.
class Broken final : public Executor {
 public:
  std::string name() const override { return "broken"; }
  std::string arithmetic_class() const override { return "broken"; }
  Status prepare(const Model&, std::span<const TileProgram>) override { return success(); }
  Status compute(const TileProgram&, std::span<const ConstTensorView>,
                 std::span<const TensorView>) override {
    return Error{"the accelerator caught fire"};
  }
  Granule granule(const Model&, LayerId) const override { return {}; }
  Memory memory() const override { return {}; }
};

TEST_CASE("an executor's error ends the frame with its sentence") {
  std::vector<std::unique_ptr<Executor>> executors;
  executors.push_back(std::make_unique<Broken>());
  Alone node(tiny(), std::move(executors));
  const PlanHash plan = node.ready(cut(*node.model, {2, 2}));
  node.submit(plan, image_of(*node.model, 1));
  const auto aborted = node.observed.wait_for(Report::Kind::frame_aborted);
  REQUIRE(aborted.has_value());
  CHECK(aborted->sentence.find("the accelerator caught fire") != std::string::npos);
}

// Computes nothing; remembers the models that it was given. `alive` counts those that there are.
class Rememberer final : public Executor {
 public:
  explicit Rememberer(std::vector<const Model*>& models, int* alive = nullptr)
      : models_(models), alive_(alive) {
    if (alive_ != nullptr) ++*alive_;
  }
  ~Rememberer() override {
    if (alive_ != nullptr) --*alive_;
  }
  std::string name() const override { return "rememberer"; }
  std::string arithmetic_class() const override { return "rememberer"; }
  Status prepare(const Model& model, std::span<const TileProgram>) override {
    models_.push_back(&model);
    return success();
  }
  Status compute(const TileProgram&, std::span<const ConstTensorView>,
                 std::span<const TensorView>) override {
    return success();
  }
  Granule granule(const Model&, LayerId) const override { return {}; }
  Memory memory() const override { return {}; }

 private:
  std::vector<const Model*>& models_;
  int* alive_;
};

TEST_CASE("an executor sees one model, however often it is read, and no other") {
  // Given a folder of two models that are read anew each time
  const auto first = tiny(), second = testing::shared(networks::make("tiny", 32, 7));
  const auto find = [&](const ModelName& name) -> Result<std::shared_ptr<const Model>> {
    return name.hash == first->hash ? tiny() : testing::shared(networks::make("tiny", 32, 7));
  };
  std::vector<const Model*> models;  // the driver's loader's until it is stopped
  std::vector<std::unique_ptr<Executor>> executors;
  executors.push_back(std::make_unique<Rememberer>(models));
  DriverOptions options{
      .node = one_member(), .find_model = find, .on_deliver = {}, .on_report = {}};
  Running node(std::move(options), std::move(executors));
  const auto propose = [&](const Plan& plan) { node.driver.propose(hash_of(plan), plan); };
  // When two plans of the one and a plan of the other come
  propose(cut(*first, {2, 2}));
  propose(cut(*first, {3, 3}));
  REQUIRE(node.observed.wait_for(Report::Kind::plan_ready, 2).has_value());
  propose(cut(*second, {1, 1}));
  // Then the executor was given the first model only
  const auto refused = node.observed.wait_for(Report::Kind::plan_refused);
  REQUIRE(refused.has_value());
  CHECK(refused->sentence.find("it computes model " + short_name(first->hash) + " already") !=
        std::string::npos);
  node.driver.stop();
  REQUIRE(models.size() == 2);
  CHECK(models.front() == models.back());
}

TEST_CASE("two models are served at once, and the executor of one that no plan needs is gone") {
  // Given a node that may make executors
  std::vector<std::shared_ptr<const Model>> known;
  for (const uint64_t seed : {1U, 2U})
    known.push_back(testing::shared(networks::make("tiny", 32, seed)));
  const auto find = [&](const ModelName& name) -> Result<std::shared_ptr<const Model>> {
    for (const auto& model : known)
      if (model->hash == name.hash) return model;
    return Error{"no such model"};
  };
  std::vector<const Model*> models;  // the driver's loader's until it is stopped, as `alive`
  int alive = 0;
  std::vector<std::unique_ptr<Executor>> executors;
  executors.push_back(std::make_unique<Rememberer>(models, &alive));
  DriverOptions options{
      .node = one_member(),
      .find_model = find,
      .another_executor = [&] { return std::make_unique<Rememberer>(models, &alive); },
      .on_deliver = {},
      .on_report = {}};
  Running node(std::move(options), std::move(executors));
  int ready = 0;
  const auto propose = [&](const Model& model, GridCut grid) {
    const Plan plan = cut(model, grid);
    node.driver.propose(hash_of(plan), plan);
    REQUIRE(node.observed.wait_for(Report::Kind::plan_ready, ++ready).has_value());
  };
  // When plans of the one come, then of the other, and that of the first is withdrawn
  propose(*known[0], {2, 2});
  propose(*known[1], {1, 1});
  node.driver.withdraw(hash_of(cut(*known[0], {2, 2})));
  propose(*known[1], {2, 2});
  // Then each model had an executor, and one is left
  CHECK(alive == 1);
  node.driver.stop();
  CHECK(models.front() == known[0].get());
  CHECK(std::ranges::count(models, known[1].get()) == 2);
}

TEST_CASE("a slowed node can be stopped in the middle of its slow-down") {
  BreakablePause pause;
  Pacer pacer({.slowness = 1e6}, pause.clock());
  Alone node(tiny(), paced(reference_executors(1), pacer));
  const PlanHash plan = node.ready(cut(*node.model, {2, 2}));
  const auto begin = std::chrono::steady_clock::now();
  node.submit(plan, image_of(*node.model, 1));
  pause.end();
  node.driver->stop();
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
  CHECK_FALSE(node.driver->submit(plan, image_of(*node.model, 2), std::chrono::seconds(1)));
}

TEST_CASE("a trace tells of every tile and delivery") {
  std::vector<TraceEvent> events;  // the driver's thread until it is stopped
  Alone node(tiny(), reference_executors(1),
             [&](const TraceEvent& event) { events.push_back(event); });
  const PlanHash plan = node.ready(cut(*node.model, {2, 2}));
  const FrameKey key = node.submit(plan, image_of(*node.model, 1));
  REQUIRE(node.observed.wait_for(key).has_value());
  node.driver->stop();
  const auto count = [&](TraceEvent::Kind kind) {
    return std::ranges::count_if(
        events, [&](const TraceEvent& event) { return event.kind == kind && event.key == key; });
  };
  CHECK(count(TraceEvent::Kind::computed) ==
        static_cast<std::ptrdiff_t>(node.driver->counters().tiles_computed));
  CHECK(count(TraceEvent::Kind::delivered) == 1);
  CHECK(std::ranges::is_sorted(events, {}, &TraceEvent::at));
}

TEST_CASE("a camera that is faster than the driver is told so") {
  // Given a driver that is not running
  Inbox inbox;
  NoPeers transport;
  SteadyClock clock;
  DriverOptions options{
      .node = one_member(), .find_model = finder_of(tiny()), .on_deliver = {}, .on_report = {}};
  // and whose node takes more frames at once than a driver takes at least
  options.node.limits.open_frames = 18;
  options.node.limits.waiting_frames = 2;
  Driver driver(std::move(options), reference_executors(1), inbox, transport, clock);
  // When frames keep coming, then only as many as the node takes are taken
  const auto image = std::make_shared<const std::vector<std::byte>>(1);
  CHECK(driver.most_unseen_frames() == 20);
  for (uint64_t frame = 1; frame <= 20; ++frame) {
    const auto key = driver.submit({}, image, {});
    REQUIRE(key.has_value());
    CHECK(key->frame == frame);
  }
  CHECK_FALSE(driver.submit({}, image, {}).has_value());
}

}  // namespace
}  // namespace shingle
