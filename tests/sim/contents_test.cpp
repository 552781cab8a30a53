// The proof of sim/contents.hpp must be able to fail: whatever is wrong with a halo changes a hash,
// or is reported as missing.
#include <doctest/doctest.h>

#include "partition/search/planner.hpp"
#include "runtime/protocol/load_plan.hpp"
#include "sim/contents.hpp"
#include "tests/networks/networks.hpp"

namespace shingle::sim {
namespace {

Region box(int32_t y0, int32_t y1, int32_t x0, int32_t x1) { return {{y0, y1}, {x0, x1}, {0, 3}}; }

TEST_CASE("a window's hash does not depend on how its boxes are cut") {
  const ContentBoxes one{{box(0, 8, 0, 8), 5}};
  const ContentBoxes four{
      {box(0, 3, 0, 8), 5}, {box(3, 8, 0, 2), 5}, {box(3, 8, 2, 7), 5}, {box(3, 8, 7, 8), 5}};
  CHECK(content_hash(one) == content_hash(four));
}

TEST_CASE("a window's hash changes when content, place or extent changes") {
  const uint64_t right = content_hash({{box(0, 4, 0, 8), 5}, {box(4, 8, 0, 8), 6}});
  CHECK(right != content_hash({{box(0, 4, 0, 8), 6}, {box(4, 8, 0, 8), 5}}));  // swapped
  CHECK(right != content_hash({{box(0, 4, 0, 8), 5}, {box(4, 8, 0, 8), 7}}));  // stale
  CHECK(right != content_hash({{box(0, 5, 0, 8), 5}, {box(5, 8, 0, 8), 6}}));  // shifted border
  CHECK(right != content_hash({{box(0, 4, 0, 8), 5}, {box(4, 8, 0, 7), 6}}));  // less
}

TEST_CASE("a gap in a window is found, and a second copy must be the same") {
  ContentStore store(true);
  const CanvasKey canvas{{NodeId{0}, 1, 1}, Place::home, TensorId{0}, {}};
  ContentBoxes boxes;
  CHECK(store.read(canvas, box(0, 4, 0, 4), boxes) != "");
  CHECK(store.paste(canvas, {{box(0, 4, 0, 3), 5}}) == "");
  CHECK(store.read(canvas, box(0, 4, 0, 3), boxes) == "");
  CHECK(store.read(canvas, box(0, 4, 0, 4), boxes) != "");
  CHECK(store.paste(canvas, {{box(0, 4, 0, 4), 5}}) == "");
  CHECK(store.read(canvas, box(0, 4, 0, 4), boxes) == "");
  CHECK(store.paste(canvas, {{box(3, 5, 3, 5), 6}}) != "");
}

TEST_CASE(
    "tiles computed from a whole frame give what the uncut computation says; one stale row does "
    "not") {
  networks::Random random(3);
  const Model model = networks::random_model(random);
  const Plan plan = grid_plan(model, {{{NodeId{0}, 1.0, 100.0, 0}}},
                              {.cut_after = {}, .grid = {2, 2}, .granule = {}});
  const LoadedPlan loaded = trusted_plan(model, plan);
  const FrameKey frame{NodeId{0}, 1, 1}, other{NodeId{0}, 1, 2};
  for (const bool stale : {false, true}) {
    ContentStore store(true);
    for (const TensorId input : loaded.inputs) {
      const Shape shape = loaded.shapes[input.value];
      Region first_row = whole(shape), rest = whole(shape);
      first_row.y.end = rest.y.begin = 1;
      const CanvasKey canvas{frame, Place::home, input, {}};
      CHECK(store.paste(canvas, {{first_row, frame_id(stale ? other : frame, input)},
                                 {rest, frame_id(frame, input)}}) == "");
    }
    for (int32_t id = 0; id < tile_count(plan); ++id)
      CHECK(store.compute(loaded, {frame, loaded.hash, TileId{static_cast<uint32_t>(id)}, 0,
                                   Place::home}) == "");
    for (const TensorId output : loaded.outputs) {
      const Region all = whole(loaded.shapes[output.value]);
      ContentBoxes boxes;
      CHECK(store.read({frame, Place::home, output, {}}, all, boxes) == "");
      CHECK(store.paste({frame, Place::outcome, output, {}}, boxes) == "");
    }
    CHECK((store.check_outcome(loaded, frame) == "") == !stale);
  }
}

}  // namespace
}  // namespace shingle::sim
