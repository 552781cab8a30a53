// Routes compared with counts of single elements: every element of every window arrives exactly
// once.
#include "partition/plan/routes.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "tests/partition/plan/random_plans.hpp"

using namespace shingle;
using networks::Random;

namespace {

// A count for each element of one tensor.
class Counts {
 public:
  explicit Counts(Shape shape) : shape_(shape), counts_(static_cast<size_t>(shape.elements()), 0) {}
  void add(const Region& region) {
    each(region, [&](size_t at) { ++counts_[at]; });
  }
  bool all(const Region& region, int expected) const {
    bool equal = true;
    each(region, [&](size_t at) { equal = equal && counts_[at] == expected; });
    return equal;
  }
  int most() const { return *std::max_element(counts_.begin(), counts_.end()); }

 private:
  template <class Visit>
  void each(const Region& region, Visit visit) const {
    for (int32_t y = region.y.begin; y < region.y.end; ++y) {
      for (int32_t x = region.x.begin; x < region.x.end; ++x) {
        for (int32_t c = region.c.begin; c < region.c.end; ++c) {
          visit(static_cast<size_t>((int64_t{y} * shape_.w + x) * shape_.c + c));
        }
      }
    }
  }
  Shape shape_;
  std::vector<int> counts_;
};

template <class T>
bool holds(const std::vector<T>& list, T item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

std::vector<const Tile*> tiles_of(const Plan& plan) {
  std::vector<const Tile*> tiles;
  for (const FusedBlock& block : plan.blocks) {
    for (const Tile& tile : block.tiles) tiles.push_back(&tile);
  }
  return tiles;
}

// Each element of each window arrives by exactly one strip or from one tile of the same home, and a
// tile waits for exactly these strips and tiles.
void check_windows(const Model& model, const Plan& plan, const Routes& routes) {
  const std::vector<const Tile*> tiles = tiles_of(plan);
  for (const Tile* tile : tiles) {
    int32_t waits = 0;
    std::map<TensorId, Counts> counts;
    for (const Slice& window : tile->inputs) {
      counts.emplace(window.tensor, Counts(model.at(window.tensor).shape));
    }
    for (size_t i = 0; i < routes.strips.size(); ++i) {
      if (!holds(routes.waiting_on_strip[i], tile->id)) continue;
      const Strip& strip = routes.strips[i];
      REQUIRE(strip.destination == tile->home);
      REQUIRE(counts.contains(strip.tensor));
      counts.at(strip.tensor).add(strip.region);
      ++waits;
    }
    for (const Tile* other : tiles) {
      if (!holds(routes.waiting_on_tile[other->id.value], tile->id)) continue;
      REQUIRE(other->home == tile->home);
      for (const Slice& output : other->outputs) {
        if (counts.contains(output.tensor)) counts.at(output.tensor).add(output.region);
      }
      ++waits;
    }
    for (const Slice& window : tile->inputs) {
      REQUIRE(counts.at(window.tensor).all(window.region, 1));
    }
    REQUIRE(routes.waits_for[tile->id.value] == waits);
  }
}

void check_strips(const Model& model, const Plan& plan, const Routes& routes) {
  const std::vector<const Tile*> tiles = tiles_of(plan);
  std::map<std::pair<uint32_t, TensorId>, Counts> arriving;
  for (size_t i = 0; i < routes.strips.size(); ++i) {
    const Strip& strip = routes.strips[i];
    REQUIRE(strip.bytes == wire_bytes(plan, strip.tensor, strip.region));
    REQUIRE((strip.bytes <= max_strip_bytes || strip.region.elements() == 1));
    if (strip.producer) {
      const Tile& producer = *tiles[strip.producer->value];
      REQUIRE(strip.destination != producer.home);
      REQUIRE(std::any_of(producer.outputs.begin(), producer.outputs.end(), [&](const Slice& out) {
        return out.tensor == strip.tensor && contains(out.region, strip.region);
      }));
    }
    const uint32_t to = strip.destination ? strip.destination->value : UINT32_MAX;
    arriving.try_emplace({to, strip.tensor}, model.at(strip.tensor).shape)
        .first->second.add(strip.region);
    REQUIRE(routes.waiting_on_strip[i].empty() == !strip.destination);
  }
  for (const auto& [key, counts] : arriving) REQUIRE(counts.most() == 1);
  for (const ModelOutput& output : model.outputs) {
    const Shape shape = model.at(output.tensor).shape;
    REQUIRE(arriving.at({UINT32_MAX, output.tensor}).all(whole(shape), 1));
  }
}

// Frame strips first, then by producer; each tile's strips in the plan order of their readers.
void check_order(const Routes& routes) {
  std::vector<StripId> by_tables = routes.from_frame;
  for (const std::vector<StripId>& leaving : routes.leaving) {
    by_tables.insert(by_tables.end(), leaving.begin(), leaving.end());
    uint32_t before = 0;
    for (StripId id : leaving) {
      const std::vector<TileId>& waiting = routes.waiting_on_strip[id.value];
      const uint32_t first = waiting.empty() ? UINT32_MAX : waiting.front().value;
      REQUIRE(before <= first);
      before = first;
    }
  }
  REQUIRE(by_tables.size() == routes.strips.size());
  for (uint32_t i = 0; i < by_tables.size(); ++i) REQUIRE(by_tables[i] == StripId{i});
  for (StripId id : routes.to_owner) REQUIRE_FALSE(routes.strips[id.value].destination);
  const auto owners = std::count_if(routes.strips.begin(), routes.strips.end(),
                                    [](const Strip& strip) { return !strip.destination; });
  REQUIRE(owners == static_cast<std::ptrdiff_t>(routes.to_owner.size()));
}

void check_canvases(const Plan& plan, const Routes& routes) {
  struct Expected {
    Region region;
    int32_t users = 0;
  };
  std::map<std::pair<NodeId, TensorId>, Expected> expected;
  const std::vector<const Tile*> tiles = tiles_of(plan);
  for (const Tile* tile : tiles) {
    for (const Slice& slice : tile->outputs) {
      Expected& canvas = expected[{tile->home, slice.tensor}];
      canvas.region = hull(canvas.region, slice.region);
      ++canvas.users;
    }
    for (const Slice& slice : tile->inputs) {
      Expected& canvas = expected[{tile->home, slice.tensor}];
      canvas.region = hull(canvas.region, slice.region);
      ++canvas.users;
    }
  }
  for (const Strip& strip : routes.strips) {
    if (strip.producer) ++expected[{tiles[strip.producer->value]->home, strip.tensor}].users;
  }
  REQUIRE(routes.canvases.size() == expected.size());
  auto next = expected.begin();
  for (const CanvasSpec& canvas : routes.canvases) {
    REQUIRE(next->first == std::pair(canvas.node, canvas.tensor));
    REQUIRE(next->second.region == canvas.region);
    REQUIRE(next->second.users == canvas.users);
    ++next;
  }
}

// Executed in any order, the routes let every tile run exactly once.
void check_runs_dry(const Routes& routes, Random& random) {
  std::vector<int32_t> waits = routes.waits_for;
  std::vector<uint32_t> ready;
  std::vector<StripId> wires = routes.from_frame;
  size_t computed = 0, delivered = 0;
  const auto arrive = [&](const std::vector<TileId>& tiles) {
    for (TileId tile : tiles) {
      if (--waits[tile.value] == 0) ready.push_back(tile.value);
    }
  };
  for (uint32_t tile = 0; tile < waits.size(); ++tile) {
    if (waits[tile] == 0) ready.push_back(tile);
  }
  while (!ready.empty() || !wires.empty()) {
    const bool compute = !ready.empty() && (wires.empty() || random.chance(0.5));
    if (compute) {
      std::swap(ready[random.next() % ready.size()], ready.back());
      const uint32_t tile = ready.back();
      ready.pop_back();
      ++computed;
      wires.insert(wires.end(), routes.leaving[tile].begin(), routes.leaving[tile].end());
      arrive(routes.waiting_on_tile[tile]);
    } else {
      std::swap(wires[random.next() % wires.size()], wires.back());
      const StripId strip = wires.back();
      wires.pop_back();
      arrive(routes.waiting_on_strip[strip.value]);
      delivered += routes.strips[strip.value].destination ? 0 : 1;
    }
  }
  REQUIRE(computed == waits.size());
  REQUIRE(delivered == routes.to_owner.size());
}

void check_all(const Model& model, const Plan& plan, Random& random) {
  REQUIRE(defects(plan, model).empty());
  const Routes routes = make_routes(model, plan);
  check_windows(model, plan, routes);
  check_strips(model, plan, routes);
  check_order(routes);
  check_canvases(plan, routes);
  check_runs_dry(routes, random);
}

}  // namespace

TEST_CASE("random plans bring every element of every window exactly once") {
  Random random(40);
  for (int round = 0; round < 150; ++round) {
    INFO("seed 40, round " << round);
    const Model model = networks::random_model(random);
    check_all(model, random_plan(random, model), random);
  }
}

TEST_CASE("grids that broke others carry every element: 19 by 6, 7 by 5, stride 2, eight nodes") {
  Random random(41);
  for (const auto& [size, parts] : {std::pair{19, 6}, {7, 5}, {2, 5}, {38, 7}}) {
    for (const Window& middle : {same3, half3}) {
      const Model model = chain(size, middle);
      const PlanOptions options{.cut_after = {{0}, {1}}, .grid = {parts, parts}};
      check_all(model, grid_plan(model, equal_nodes(8), options), random);
    }
  }
}

TEST_CASE("a max-pool of 2 by 2 with stride 1 has a halo") {
  Model model;
  const TensorId frame = add_input(model, "frame", {8, 8, 1});
  const TensorId first = add_layer(model, "first", Elementwise{}, {frame});
  const Window window{.kernel = 2, .stride = 1, .dilation = 1, .pad_begin = 0, .pad_end = 1};
  const TensorId pool =
      add_layer(model, "pool", Pooling{.kind = {}, .y = window, .x = window}, {first});
  add_output(model, "out", pool);
  const Plan plan = grid_plan(model, equal_nodes(2), {.cut_after = {{0}}, .grid = {2, 1}});
  CHECK(plan.blocks[1].tiles[0].inputs[0].region == Region{{0, 5}, {0, 8}, {0, 1}});
  const Routes routes = make_routes(model, plan);
  // tile 1 makes rows 4..8 at node 2; tile 2 at node 1 needs row 4
  REQUIRE(routes.leaving[1].size() == 1);
  const Strip& strip = routes.strips[routes.leaving[1][0].value];
  CHECK(strip.region == Region{{4, 5}, {0, 8}, {0, 1}});
  CHECK(strip.destination == NodeId{1});
  CHECK(routes.waiting_on_strip[routes.leaving[1][0].value] == std::vector<TileId>{{2}});
  CHECK(routes.waiting_on_tile[0] == std::vector<TileId>{{2}});
  CHECK(routes.waits_for == std::vector<int32_t>{1, 1, 2, 1});
}

TEST_CASE("the frame is sent to the homes in turn, tile by tile") {
  const Model model = chain(16);
  const Plan plan = grid_plan(model, equal_nodes(3), {.cut_after = {}, .grid = {3, 2}});
  const Routes routes = make_routes(model, plan);
  std::vector<uint32_t> homes;
  for (StripId id : routes.from_frame) homes.push_back(routes.strips[id.value].destination->value);
  CHECK(homes == std::vector<uint32_t>{1, 2, 3, 1, 2, 3});
}

TEST_CASE("a tile whose windows lie wholly in padding waits for nothing") {
  Model model;
  const TensorId frame = add_input(model, "frame", {4, 4, 1});
  const TensorId padded = add_layer(model, "pad", Pad{.before = {4, 0, 0}, .after = {}}, {frame});
  add_output(model, "out", padded);
  const Plan plan = grid_plan(model, equal_nodes(2), {.cut_after = {}, .grid = {2, 1}});
  REQUIRE(defects(plan, model).empty());
  CHECK(plan.blocks[0].tiles[0].inputs.empty());
  const Routes routes = make_routes(model, plan);
  CHECK(routes.waits_for == std::vector<int32_t>{0, 1});
  CHECK(routes.to_owner.size() == 2);
}

TEST_CASE("an output that is also read goes to its reader first and then to the owner") {
  Model model;
  const TensorId frame = add_input(model, "frame", {8, 8, 1});
  const TensorId a = add_conv(model, frame, 1, same3);
  const TensorId b = add_conv(model, a, 1, same3);
  add_output(model, "a", a);
  add_output(model, "b", b);
  const Plan plan = grid_plan(model, equal_nodes(2), {.cut_after = {{0}}, .grid = {2, 1}});
  const Routes routes = make_routes(model, plan);
  REQUIRE(routes.leaving[0].size() == 2);
  CHECK(routes.strips[routes.leaving[0][0].value].destination == NodeId{2});
  CHECK_FALSE(routes.strips[routes.leaving[0][1].value].destination);
}

TEST_CASE("a tensor that is two of the model's outputs travels once") {
  Model model = chain(8);
  add_output(model, "again", model.outputs[0].tensor);
  const Plan plan = grid_plan(model, equal_nodes(2), {.cut_after = {}, .grid = {2, 1}});
  CHECK(make_routes(model, plan).to_owner.size() == 2);
}

TEST_CASE("strip regions cover a box once, in order, within the limit") {
  Random random(42);
  for (int round = 0; round < 500; ++round) {
    const Region box{{3, 3 + random.between(1, 20)},
                     {5, 5 + random.between(1, 20)},
                     {7, 7 + random.between(1, 20)}};
    const int64_t element = random.chance(0.5) ? 4 : 1, limit = random.between(1, 2000);
    Counts counts(Shape{30, 30, 30});
    std::tuple<int32_t, int32_t, int32_t> before{-1, -1, -1};
    for (const Region& part : strip_regions(box, element, limit)) {
      REQUIRE((part.elements() * element <= limit || part.elements() == 1));
      REQUIRE(contains(box, part));
      counts.add(part);
      const std::tuple at{part.y.begin, part.x.begin, part.c.begin};
      REQUIRE(before < at);
      before = at;
    }
    REQUIRE(counts.all(box, 1));
    REQUIRE(counts.most() == 1);
  }
}

TEST_CASE("strip regions cut rows first") {
  const Region box{{0, 8}, {0, 4}, {0, 2}};  // 8 rows of 32 bytes
  CHECK(strip_regions(box, 4, 1000).size() == 1);
  CHECK(strip_regions(box, 4, 70).front() == Region{{0, 2}, {0, 4}, {0, 2}});
  CHECK(strip_regions(box, 4, 20).front() == Region{{0, 1}, {0, 2}, {0, 2}});
  CHECK(strip_regions(box, 4, 5).front() == Region{{0, 1}, {0, 1}, {0, 1}});
  CHECK(strip_regions(Region{}, 4).empty());
}

TEST_CASE("an image of bytes costs a quarter on the wire") {
  Model model = chain(16);
  const int64_t as_floats = wire_bytes(make_routes(model, single_plan(model, {1})));
  take_image(model, {1, 1, 1}, {0, 0, 0});
  const int64_t as_bytes = wire_bytes(make_routes(model, single_plan(model, {1})));
  CHECK(as_floats - as_bytes == 16 * 16 * 3 * 3);
}
