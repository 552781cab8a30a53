#include "runtime/canvas.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

namespace shingle {

namespace {

constexpr std::align_val_t cache_line{64};
constexpr int64_t read_past_end = 64;  // vector kernels read up to a register beyond the last pixel

int64_t bytes_of(const Region& region, ElementType type) {
  return region.elements() * bytes_of(type);
}

}  // namespace

struct Canvases::Canvas {
  explicit Canvas(int64_t bytes)
      : capacity(bytes),
        memory(static_cast<std::byte*>(
            ::operator new(static_cast<size_t>(bytes + read_past_end), cache_line))) {}
  ~Canvas() { ::operator delete(memory, cache_line); }
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  int64_t capacity;
  std::byte* memory;
  TensorView view;
};

Canvases::Canvases(Spares spares) : spares_(spares) {}
Canvases::~Canvases() = default;

TensorView Canvases::open(const CanvasKey& key, const Region& region, ElementType type) {
  if (const TensorView* there = find(key)) {
    assert(there->region == region && there->type == type);
    return *there;
  }
  const int64_t bytes = bytes_of(region, type);
  Map::node_type node = take_spare(bytes);
  Map::iterator place;
  if (node.empty()) {
    place = canvases_.emplace(key, std::make_unique<Canvas>(bytes)).first;
  } else {
    node.key() = key;
    place = canvases_.insert(std::move(node)).position;
  }
  Canvas& canvas = *place->second;
  canvas.view = {canvas.memory, region, type};
  bytes_ += canvas.capacity;
  peak_bytes_ = std::max(peak_bytes_, bytes_);
  trim();
  return canvas.view;
}

const TensorView* Canvases::find(const CanvasKey& key) const {
  const auto place = canvases_.find(key);
  return place == canvases_.end() ? nullptr : &place->second->view;
}

void Canvases::release(const CanvasKey& key) {
  const auto place = canvases_.find(key);
  if (place != canvases_.end()) retire(place);
}

void Canvases::release_place(const FrameKey& frame, Place place) {
  auto canvas = first_of(frame, place);
  while (canvas != canvases_.end() && is_of(canvas->first, frame, place)) canvas = retire(canvas);
}

const TensorView& Canvases::view_of(const Canvas& canvas) { return canvas.view; }

Canvases::Map::const_iterator Canvases::first_of(const FrameKey& frame, Place place) const {
  return canvases_.lower_bound({.frame = frame, .place = place, .tensor = {}, .tile = {}});
}

Canvases::Map::const_iterator Canvases::retire(Map::const_iterator canvas) {
  bytes_ -= canvas->second->capacity;
  if (spares_ == Spares::given_back) return canvases_.erase(canvas);
  const auto next = std::next(canvas);
  spare_bytes_ += canvas->second->capacity;
  spare_.push_back(canvases_.extract(canvas));
  trim();
  return next;
}

// The smallest spare that holds `bytes` and wastes at most an eighth of itself.
Canvases::Map::node_type Canvases::take_spare(int64_t bytes) {
  auto best = spare_.end();
  for (auto spare = spare_.begin(); spare != spare_.end(); ++spare) {
    const int64_t capacity = spare->mapped()->capacity;
    if (capacity < bytes || capacity - capacity / 8 > bytes) continue;
    if (best == spare_.end() || capacity < best->mapped()->capacity) best = spare;
  }
  if (best == spare_.end()) return {};
  Map::node_type node = std::move(*best);
  spare_.erase(best);
  spare_bytes_ -= node.mapped()->capacity;
  return node;
}

void Canvases::trim() {
  size_t dropped = 0;
  while (bytes_ + spare_bytes_ > peak_bytes_) {
    spare_bytes_ -= spare_[dropped].mapped()->capacity;
    ++dropped;
  }
  spare_.erase(spare_.begin(), spare_.begin() + static_cast<std::ptrdiff_t>(dropped));
}

namespace {

Region slice_region(const std::vector<Slice>& slices, TensorId tensor) {
  for (const Slice& slice : slices)
    if (slice.tensor == tensor) return slice.region;
  return {};
}

Region lent_region(const Plan& plan, const CanvasKey& key) {
  if (key.tile.value >= static_cast<uint32_t>(tile_count(plan))) return {};
  const Tile& lent = tile(plan, key.tile);
  const Region window = slice_region(lent.inputs, key.tensor);
  return window.empty() ? slice_region(lent.outputs, key.tensor) : window;
}

Region home_region(const Routes& routes, NodeId node, TensorId tensor) {
  const auto place =
      std::lower_bound(routes.canvases.begin(), routes.canvases.end(), std::pair(node, tensor),
                       [](const CanvasSpec& spec, const auto& wanted) {
                         return std::pair(spec.node, spec.tensor) < wanted;
                       });
  if (place == routes.canvases.end() || place->node != node || place->tensor != tensor) return {};
  return place->region;
}

}  // namespace

Region canvas_region(const LoadedPlan& plan, NodeId node, const CanvasKey& key) {
  if (key.tensor.value >= plan.shapes.size()) return {};
  switch (key.place) {
    case Place::frame:
    case Place::outcome:
      return whole(plan.shapes[key.tensor.value]);
    case Place::home:
      return home_region(plan.routes, node, key.tensor);
    case Place::lent:
      return lent_region(plan.plan, key);
  }
  return {};
}

namespace {

// Where pixel (y, x, c) of a dense box lies, in elements.
int64_t offset(const Region& box, int32_t y, int32_t x, int32_t c) {
  return (int64_t{y - box.y.begin} * box.x.size() + (x - box.x.begin)) * box.c.size() +
         (c - box.c.begin);
}

// How much of the copied box is one run of memory in a box of this shape: pixels of a row run on
// when all channels are taken, rows run on when the whole width is taken too.
bool pixels_run_on(const Region& box, const Region& copied) { return box.c == copied.c; }
bool rows_run_on(const Region& box, const Region& copied) {
  return pixels_run_on(box, copied) && box.x == copied.x;
}

}  // namespace

void copy_region(const ConstTensorView& source, const TensorView& target, const Region& region) {
  if (region.empty()) return;
  assert(source.type == target.type);
  assert(contains(source.region, region) && contains(target.region, region));
  const int64_t element = bytes_of(source.type);
  const auto copy = [&](int32_t y, int32_t x, int64_t elements) {
    std::memcpy(target.data + offset(target.region, y, x, region.c.begin) * element,
                source.data + offset(source.region, y, x, region.c.begin) * element,
                static_cast<size_t>(elements * element));
  };
  const int64_t row = int64_t{region.x.size()} * region.c.size();
  if (rows_run_on(source.region, region) && rows_run_on(target.region, region))
    return copy(region.y.begin, region.x.begin, row * region.y.size());
  const bool by_row = pixels_run_on(source.region, region) && pixels_run_on(target.region, region);
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    if (by_row) {
      copy(y, region.x.begin, row);
      continue;
    }
    for (int32_t x = region.x.begin; x < region.x.end; ++x) copy(y, x, region.c.size());
  }
}

}  // namespace shingle
