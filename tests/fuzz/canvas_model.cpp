#include "tests/fuzz/canvas_model.hpp"

#include "tests/fuzz/target.hpp"

namespace shingle::fuzz {

namespace {

// Calls the function for each element of `box`, with the element's index in a dense canvas of
// `region`, until it returns false.
template <class Visitor>
bool all_of(const Region& region, const Region& box, Visitor visit) {
  for (int64_t y = box.y.begin; y < box.y.end; ++y)
    for (int64_t x = box.x.begin; x < box.x.end; ++x)
      for (int64_t c = box.c.begin; c < box.c.end; ++c) {
        const int64_t pixel = (y - region.y.begin) * region.x.size() + (x - region.x.begin);
        if (!visit(static_cast<size_t>(pixel * region.c.size() + (c - region.c.begin))))
          return false;
      }
  return true;
}

}  // namespace

void CanvasModel::open(const LoadedPlan& plan, const CanvasKey& key) {
  const Region region = canvas_region(plan, self_, key);
  expect(!region.empty(), "a canvas belongs to its plan");
  const auto [place, made] = canvases_.try_emplace(key);
  Canvas& canvas = place->second;
  expect(made || canvas.region == region, "a canvas keeps its extent");
  if (!made) return;
  canvas.region = region;
  canvas.written.resize(static_cast<size_t>(region.elements()));
}

void CanvasModel::write(const LoadedPlan& plan, const CanvasKey& key, const Region& box) {
  open(plan, key);
  Canvas& canvas = canvases_.at(key);
  expect(contains(canvas.region, box), "what is written lies inside its canvas");
  all_of(canvas.region, box, [&](size_t element) {
    canvas.written[element] = true;
    return true;
  });
}

bool CanvasModel::holds(const CanvasKey& key, const Region& box) const {
  const auto place = canvases_.find(key);
  if (place == canvases_.end() || !contains(place->second.region, box)) return false;
  return all_of(place->second.region, box,
                [&](size_t element) { return place->second.written[element]; });
}

void CanvasModel::release_all(const FrameKey& frame, Place place) {
  std::erase_if(canvases_, [&](const auto& entry) {
    return entry.first.frame == frame && entry.first.place == place;
  });
}

}  // namespace shingle::fuzz
