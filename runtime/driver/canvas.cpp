#include "runtime/driver/canvas.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

namespace shingle {

namespace {

constexpr std::align_val_t cache_line{64};
constexpr int64_t read_past_end = 64;  // vector kernels read up to a register beyond the last pixel

std::shared_ptr<std::byte> allocated(int64_t bytes) {
  const auto size = static_cast<size_t>(bytes + read_past_end);
  return {static_cast<std::byte*>(::operator new(size, cache_line)),
          [](std::byte* memory) { ::operator delete(memory, cache_line); }};
}

}  // namespace

Canvases::Canvases(Spares spares) : spares_(spares) {}
Canvases::~Canvases() = default;

TensorView Canvases::open(const CanvasKey& key, const Region& region, ElementType type) {
  const auto there = canvases_.find(key);
  if (there != canvases_.end()) {
    Canvas& canvas = there->second;
    assert(canvas.view.region == region && canvas.view.type == type);
    if (canvas.memory.use_count() > 1) {
      const auto bytes = static_cast<size_t>(bytes_of(region, type));
      const std::shared_ptr<std::byte> own = allocated(canvas.capacity);
      std::memcpy(own.get(), canvas.memory.get(), bytes);
      canvas.memory = own;
      canvas.view.data = own.get();
    }
    return canvas.view;
  }
  Canvas& canvas = insert(key, with_memory(bytes_of(region, type)))->second;
  canvas.view = {canvas.memory.get(), region, type};
  trim();
  return canvas.view;
}

void Canvases::share(const CanvasKey& copy, const CanvasKey& original) {
  const auto source = canvases_.find(original);
  assert(source != canvases_.end() && !canvases_.contains(copy));
  Map::node_type node = husk();
  node.mapped() = source->second;
  insert(copy, std::move(node));
  trim();
}

const TensorView* Canvases::find(const CanvasKey& key) const {
  const auto place = canvases_.find(key);
  return place == canvases_.end() ? nullptr : &place->second.view;
}

void Canvases::release(const CanvasKey& key) {
  const auto place = canvases_.find(key);
  if (place != canvases_.end()) retire(place);
}

void Canvases::release_place(const FrameKey& frame, Place place) {
  auto canvas = first_of(frame, place);
  while (canvas != canvases_.end() && is_of(canvas->first, frame, place))
    canvas = retire(canvases_.find(canvas->first));
}

Canvases::Map::const_iterator Canvases::first_of(const FrameKey& frame, Place place) const {
  return canvases_.lower_bound({.frame = frame, .place = place, .tensor = {}, .tile = {}});
}

Canvases::Map::iterator Canvases::insert(const CanvasKey& key, Map::node_type node) {
  bytes_ += node.mapped().capacity;
  peak_bytes_ = std::max(peak_bytes_, bytes_);
  node.key() = key;
  return canvases_.insert(std::move(node)).position;
}

Canvases::Map::const_iterator Canvases::retire(Map::iterator canvas) {
  bytes_ -= canvas->second.capacity;
  if (spares_ == Spares::given_back) return canvases_.erase(canvas);
  const auto next = std::next(canvas);
  if (canvas->second.memory.use_count() > 1) {
    canvas->second.memory.reset();
    husks_.push_back(canvases_.extract(canvas));
    return next;
  }
  spare_bytes_ += canvas->second.capacity;
  spare_.push_back(canvases_.extract(canvas));
  trim();
  return next;
}

// A map's node without memory, so that a steady stream allocates none.
Canvases::Map::node_type Canvases::husk() {
  if (husks_.empty()) {
    Map one;
    return one.extract(one.try_emplace(CanvasKey{}).first);
  }
  Map::node_type node = std::move(husks_.back());
  husks_.pop_back();
  return node;
}

// The smallest spare that holds `bytes` and wastes at most an eighth of itself; else new memory.
Canvases::Map::node_type Canvases::with_memory(int64_t bytes) {
  auto best = spare_.end();
  for (auto spare = spare_.begin(); spare != spare_.end(); ++spare) {
    const int64_t capacity = spare->mapped().capacity;
    if (capacity < bytes || capacity - capacity / 8 > bytes) continue;
    if (best == spare_.end() || capacity < best->mapped().capacity) best = spare;
  }
  if (best == spare_.end()) {
    Map::node_type node = husk();
    node.mapped() = {.memory = allocated(bytes), .capacity = bytes};
    return node;
  }
  Map::node_type node = std::move(*best);
  spare_.erase(best);
  spare_bytes_ -= node.mapped().capacity;
  return node;
}

void Canvases::trim() {
  size_t dropped = 0;
  while (bytes_ + spare_bytes_ > peak_bytes_) {
    assert(dropped < spare_.size());
    spare_bytes_ -= spare_[dropped].mapped().capacity;
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

// How much of the copied region is one run of memory in this box: the pixels of a row are
// contiguous if all channels are copied, the rows too if the whole width is copied.
bool pixels_are_contiguous(const Region& box, const Region& copied) { return box.c == copied.c; }
bool rows_are_contiguous(const Region& box, const Region& copied) {
  return pixels_are_contiguous(box, copied) && box.x == copied.x;
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
  if (rows_are_contiguous(source.region, region) && rows_are_contiguous(target.region, region))
    return copy(region.y.begin, region.x.begin, row * region.y.size());
  const bool by_row =
      pixels_are_contiguous(source.region, region) && pixels_are_contiguous(target.region, region);
  for (int32_t y = region.y.begin; y < region.y.end; ++y) {
    if (by_row) {
      copy(y, region.x.begin, row);
      continue;
    }
    for (int32_t x = region.x.begin; x < region.x.end; ++x) copy(y, x, region.c.size());
  }
}

}  // namespace shingle
