#include "sim/contents.hpp"

#include <array>

#include "sim/random.hpp"

namespace shingle::sim {

namespace {

std::string text(const CanvasKey& key) {
  static constexpr const char* places[] = {"frame", "home", "lent", "outcome"};
  return std::string(places[static_cast<size_t>(key.place)]) + " canvas of tensor " +
         std::to_string(key.tensor.value) + ", frame " + std::to_string(key.frame.owner.value) +
         ":" + std::to_string(key.frame.frame);
}

// A weight is the product of one random factor per axis. So the sum of the weights of a box is the
// product of three sums, and each of these is the difference of two sums that are known.
constexpr size_t longest_axis = 8192;  // of simulated maps

std::vector<uint64_t> weights_before(uint64_t axis) {
  std::vector<uint64_t> sums{0};
  for (size_t i = 0; i < longest_axis; ++i) sums.push_back(sums.back() + (mix(axis, i) | 1));
  return sums;
}

uint64_t axis_weight(Span span, size_t axis) {
  static const auto& sums = *new std::array<std::vector<uint64_t>, 3>{
      weights_before(1), weights_before(2), weights_before(3)};
  return sums[axis].at(static_cast<size_t>(span.end)) -
         sums[axis].at(static_cast<size_t>(span.begin));
}

}  // namespace

CanvasKey key_of(const Compute& compute, TensorId tensor) {
  return {compute.key, compute.place, tensor,
          compute.place == Place::lent ? compute.tile : TileId{}};
}

ContentBoxes clip(const ContentBoxes& boxes, const Region& window) {
  ContentBoxes parts;
  for (const ContentBox& box : boxes) {
    const Region common = intersect(box.region, window);
    if (!common.empty()) parts.push_back({common, box.id});
  }
  return parts;
}

bool covers(const ContentBoxes& clipped, const Region& window) {
  int64_t elements = 0;
  for (const ContentBox& box : clipped) elements += box.region.elements();
  return elements == window.elements();
}

uint64_t content_hash(const ContentBoxes& boxes) {
  uint64_t sum = 0;
  for (const ContentBox& box : boxes)
    sum += box.id * axis_weight(box.region.y, 0) * axis_weight(box.region.x, 1) *
           axis_weight(box.region.c, 2);
  return sum;
}

uint64_t frame_id(const FrameKey& frame, TensorId tensor) {
  return mix(mix(frame.owner.value, frame.life), mix(frame.frame, tensor.value));
}

uint64_t output_id(const FrameKey& frame, TileId tile, TensorId tensor,
                   const std::vector<uint64_t>& window_hashes) {
  uint64_t id = mix(frame_id(frame, tensor), tile.value);
  for (const uint64_t hash : window_hashes) id = mix(id, hash);
  return id;
}

std::vector<ContentBoxes> uncut_contents(const LoadedPlan& plan, const FrameKey& frame) {
  std::vector<ContentBoxes> tensors(plan.shapes.size());
  for (const TensorId input : plan.inputs)
    tensors[input.value] = {{whole(plan.shapes[input.value]), frame_id(frame, input)}};
  for (const FusedBlock& block : plan.plan.blocks) {
    for (const Tile& tile : block.tiles) {
      std::vector<uint64_t> hashes;
      for (const Slice& window : tile.inputs)
        hashes.push_back(content_hash(clip(tensors[window.tensor.value], window.region)));
      for (const Slice& output : tile.outputs)
        tensors[output.tensor.value].push_back(
            {output.region, output_id(frame, tile.id, output.tensor, hashes)});
    }
  }
  return tensors;
}

void ContentStore::capture(const LoadedPlan& plan, const FrameKey& frame) {
  for (const TensorId input : plan.inputs)
    canvases_[{frame, Place::frame, input, {}}] = {
        {whole(plan.shapes[input.value]), with_ids_ ? frame_id(frame, input) : 0}};
}

std::string ContentStore::read(const CanvasKey& canvas, const Region& region,
                               ContentBoxes& result) const {
  const auto place = canvases_.find(canvas);
  if (place == canvases_.end()) return "there is no " + text(canvas);
  result = clip(place->second, region);
  return covers(result, region) ? ""
                                : to_string(region) + " is not all there in the " + text(canvas);
}

// A region may arrive twice after a loan has failed. The second copy must be equal to the first.
std::string ContentStore::paste(const CanvasKey& canvas, const ContentBoxes& boxes) {
  ContentBoxes& there = canvases_[canvas];
  for (const ContentBox& box : boxes) {
    std::vector<Region> fresh{box.region};
    for (const ContentBox& old : clip(there, box.region)) {
      if (old.id != box.id && !copies_may_differ_)
        return to_string(old.region) + " is pasted twice with different contents into the " +
               text(canvas);
      std::vector<Region> rest;
      for (const Region& part : fresh)
        for (const Region& left : subtract(part, old.region)) rest.push_back(left);
      fresh = std::move(rest);
    }
    for (const Region& part : fresh) there.push_back({part, box.id});
  }
  return {};
}

void ContentStore::cut_out(const CanvasKey& canvas, const Region& region) {
  ContentBoxes left;
  for (const ContentBox& box : canvases_[canvas])
    for (const Region& part : subtract(box.region, region)) left.push_back({part, box.id});
  canvases_[canvas] = std::move(left);
}

TileContent ContentStore::content(const LoadedPlan& plan, const Compute& compute) const {
  const auto hash_of_all = [&](const std::vector<Slice>& slices) {
    uint64_t hash = 1;
    for (const Slice& slice : slices) {
      ContentBoxes boxes;
      read(key_of(compute, slice.tensor), slice.region, boxes);
      hash = mix(hash, content_hash(boxes));
    }
    return hash;
  };
  const Tile& planned = tile(plan.plan, compute.tile);
  return {hash_of_all(planned.inputs), hash_of_all(planned.outputs)};
}

std::string ContentStore::compute(const LoadedPlan& plan, const Compute& compute, uint64_t spoilt) {
  const Tile& planned = tile(plan.plan, compute.tile);
  std::vector<uint64_t> hashes;
  for (const Slice& window : planned.inputs) {
    ContentBoxes boxes;
    std::string wrong = read(key_of(compute, window.tensor), window.region, boxes);
    if (!wrong.empty()) return "tile " + std::to_string(compute.tile.value) + ": " + wrong;
    hashes.push_back(content_hash(boxes));
  }
  for (const Slice& output : planned.outputs) {
    const uint64_t id =
        with_ids_ ? output_id(compute.key, compute.tile, output.tensor, hashes) ^ spoilt : 0;
    const CanvasKey canvas = key_of(compute, output.tensor);
    if (copies_may_differ_) cut_out(canvas, output.region);  // what a thief returned of it
    std::string wrong = paste(canvas, {{output.region, id}});
    if (!wrong.empty()) return wrong;
  }
  return {};
}

std::string ContentStore::check_outcome(const LoadedPlan& plan, const FrameKey& frame) const {
  const std::vector<ContentBoxes> expected = uncut_contents(plan, frame);
  for (const TensorId output : plan.outputs) {
    const Region all = whole(plan.shapes[output.value]);
    const CanvasKey canvas{frame, Place::outcome, output, {}};
    ContentBoxes boxes;
    std::string wrong = read(canvas, all, boxes);
    if (!wrong.empty()) return wrong;
    if (with_ids_ && content_hash(boxes) != content_hash(expected[output.value]))
      return "the " + text(canvas) + " is not what an uncut computation gives";
  }
  return {};
}

void ContentStore::release_all(const FrameKey& frame, Place place) {
  const auto begin = canvases_.lower_bound({frame, place, {}, {}});
  auto end = begin;
  while (end != canvases_.end() && end->first.frame == frame && end->first.place == place) ++end;
  canvases_.erase(begin, end);
}

}  // namespace shingle::sim
