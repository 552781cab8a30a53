#include "partition/routes.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <tuple>

namespace shingle {
namespace {

// A tile's box of one tensor: something that it puts out, or a window.
struct Holding {
  TileId tile;
  NodeId home;
  Region region;
};
using Holdings = std::vector<std::vector<Holding>>;  // by tensor; ascending tiles

constexpr uint32_t nobody = UINT32_MAX;  // after every tile

// A strip on its way into the table, with what decides its place there.
struct Draft {
  Strip strip;
  uint32_t first_reader = nobody;  // the first tile that waits for it
};

class Router {
 public:
  Router(const Model& model, const Plan& plan) : model_(model), plan_(plan) {
    made_.resize(model.tensors.size());
    read_.resize(model.tensors.size());
    for (const FusedBlock& block : plan.blocks) {
      for (const Tile& tile : block.tiles) {
        tiles_.push_back(&tile);
        for (const Slice& slice : tile.outputs) hold(made_, tile, slice);
        for (const Slice& slice : tile.inputs) hold(read_, tile, slice);
      }
    }
  }

  Routes routes() {
    from_frame();
    between_homes();
    to_owner();
    wait_on_tiles();
    wait_on_strips();
    canvases();
    return std::move(routes_);
  }

 private:
  static void hold(Holdings& holdings, const Tile& tile, const Slice& slice) {
    holdings[slice.tensor.value].push_back({tile.id, tile.home, slice.region});
  }

  void draft(std::vector<Draft>& drafts, Strip strip, uint32_t first_reader) const {
    const int64_t element = wire_bytes(plan_, strip.tensor, {{0, 1}, {0, 1}, {0, 1}});
    for (const Region& chunk : chunks(strip.region, element)) {
      Strip part = strip;
      part.region = chunk;
      part.bytes = wire_bytes(plan_, strip.tensor, chunk);
      drafts.push_back({part, first_reader});
    }
  }

  // The frame's boxes: every home's first tile, then every home's second tile, ... Each tile brings
  // what the earlier ones of its home have not brought.
  void from_frame() {
    std::map<NodeId, std::vector<std::vector<Draft>>> by_home;
    std::map<std::pair<NodeId, TensorId>, std::vector<Region>> brought;
    for (const Tile* tile : tiles_) {
      std::vector<Draft> drafts;
      for (const Slice& window : tile->inputs) {
        if (!made_[window.tensor.value].empty()) continue;
        std::vector<Region>& before = brought[{tile->home, window.tensor}];
        for (const Region& box : without(window.region, before)) {
          draft(drafts, {window.tensor, box, std::nullopt, tile->home, 0}, tile->id.value);
        }
        before.push_back(window.region);
      }
      if (!drafts.empty()) by_home[tile->home].push_back(std::move(drafts));
    }
    bool more = true;
    for (size_t round = 0; more; ++round) {
      more = false;
      for (const auto& [home, turns] : by_home) {
        if (round >= turns.size()) continue;
        more = true;
        for (const Draft& strip : turns[round]) {
          routes_.from_frame.push_back({static_cast<uint32_t>(routes_.strips.size())});
          routes_.strips.push_back(strip.strip);
        }
      }
    }
  }

  static std::vector<Region> without(const Region& region, const std::vector<Region>& taken) {
    std::vector<Region> left{region};
    for (const Region& box : taken) {
      std::vector<Region> rest;
      for (const Region& piece : left) {
        const std::vector<Region> parts = subtract(piece, box);
        rest.insert(rest.end(), parts.begin(), parts.end());
      }
      left = std::move(rest);
    }
    return left;
  }

  void between_homes() {
    drafts_.resize(tiles_.size());
    for (uint32_t tensor = 0; tensor < made_.size(); ++tensor) {
      for (const Holding& producer : made_[tensor]) promise({tensor}, producer);
    }
  }

  // What the tiles of each other home read of this producer's box, without overlaps. Largest boxes
  // first: they are kept whole, and the small ones mostly lie inside them.
  void promise(TensorId tensor, const Holding& producer) {
    struct Wanted {
      std::vector<Region> boxes;
      uint32_t first_reader = nobody;
    };
    std::map<NodeId, Wanted> by_home;
    for (const Holding& reader : read_[tensor.value]) {
      if (reader.home == producer.home) continue;
      const Region common = intersect(reader.region, producer.region);
      if (common.empty()) continue;
      Wanted& wanted = by_home[reader.home];
      wanted.boxes.push_back(common);
      wanted.first_reader = std::min(wanted.first_reader, reader.tile.value);
    }
    for (auto& [home, wanted] : by_home) {
      std::stable_sort(
          wanted.boxes.begin(), wanted.boxes.end(),
          [](const Region& a, const Region& b) { return a.elements() > b.elements(); });
      for (const Region& box : disjoint_union(wanted.boxes)) {
        draft(drafts_[producer.tile.value], {tensor, box, producer.tile, home, 0},
              first_reader(home, tensor, box));
      }
    }
  }

  uint32_t first_reader(NodeId home, TensorId tensor, const Region& box) const {
    for (const Holding& reader : read_[tensor.value]) {
      if (reader.home == home && !intersect(reader.region, box).empty()) return reader.tile.value;
    }
    return nobody;
  }

  void to_owner() {
    std::vector<TensorId> outputs;
    for (const ModelOutput& output : model_.outputs) outputs.push_back(output.tensor);
    std::sort(outputs.begin(), outputs.end());
    outputs.erase(std::unique(outputs.begin(), outputs.end()), outputs.end());
    for (TensorId tensor : outputs) {
      for (const Holding& producer : made_[tensor.value]) {
        draft(drafts_[producer.tile.value],
              {tensor, producer.region, producer.tile, std::nullopt, 0}, nobody);
      }
    }
    number();
  }

  // Strips get their places: by producer, the most urgent first; the owner is in no hurry.
  void number() {
    routes_.leaving.resize(tiles_.size());
    for (size_t tile = 0; tile < tiles_.size(); ++tile) {
      std::stable_sort(drafts_[tile].begin(), drafts_[tile].end(),
                       [](const Draft& a, const Draft& b) {
                         return std::tuple(a.first_reader, a.strip.tensor) <
                                std::tuple(b.first_reader, b.strip.tensor);
                       });
      for (const Draft& draft : drafts_[tile]) {
        const StripId id{static_cast<uint32_t>(routes_.strips.size())};
        routes_.leaving[tile].push_back(id);
        if (!draft.strip.destination) routes_.to_owner.push_back(id);
        routes_.strips.push_back(draft.strip);
      }
    }
  }

  void wait_on_tiles() {
    routes_.waits_for.assign(tiles_.size(), 0);
    routes_.waiting_on_tile.resize(tiles_.size());
    for (uint32_t tensor = 0; tensor < made_.size(); ++tensor) {
      for (const Holding& producer : made_[tensor]) {
        std::vector<TileId>& waiting = routes_.waiting_on_tile[producer.tile.value];
        for (const Holding& reader : read_[tensor]) {
          if (reader.home != producer.home) continue;
          if (!intersect(reader.region, producer.region).empty()) waiting.push_back(reader.tile);
        }
      }
    }
    for (std::vector<TileId>& waiting : routes_.waiting_on_tile) {
      std::sort(waiting.begin(), waiting.end());
      waiting.erase(std::unique(waiting.begin(), waiting.end()), waiting.end());
      for (TileId reader : waiting) ++routes_.waits_for[reader.value];
    }
  }

  void wait_on_strips() {
    routes_.waiting_on_strip.resize(routes_.strips.size());
    for (size_t i = 0; i < routes_.strips.size(); ++i) {
      const Strip& strip = routes_.strips[i];
      if (!strip.destination) continue;
      for (const Holding& reader : read_[strip.tensor.value]) {
        if (reader.home != *strip.destination) continue;
        if (intersect(reader.region, strip.region).empty()) continue;
        routes_.waiting_on_strip[i].push_back(reader.tile);
        ++routes_.waits_for[reader.tile.value];
      }
    }
  }

  void canvases() {
    std::map<std::pair<NodeId, TensorId>, CanvasSpec> specs;
    const auto canvas = [&](NodeId node, TensorId tensor) -> CanvasSpec& {
      return specs.try_emplace({node, tensor}, CanvasSpec{node, tensor, {}, 0}).first->second;
    };
    for (const Tile* tile : tiles_) {
      for (const Slice& slice : tile->outputs) {
        CanvasSpec& spec = canvas(tile->home, slice.tensor);
        spec.region = hull(spec.region, slice.region);
        ++spec.users;
      }
      for (const Slice& slice : tile->inputs) {
        CanvasSpec& spec = canvas(tile->home, slice.tensor);
        spec.region = hull(spec.region, slice.region);
        ++spec.users;
      }
    }
    for (const Strip& strip : routes_.strips) {
      if (strip.producer) ++canvas(tiles_[strip.producer->value]->home, strip.tensor).users;
    }
    for (const auto& [key, spec] : specs) routes_.canvases.push_back(spec);
  }

  const Model& model_;
  const Plan& plan_;
  std::vector<const Tile*> tiles_;  // by id
  Holdings made_, read_;
  std::vector<std::vector<Draft>> drafts_;  // by producer
  Routes routes_;
};

}  // namespace

Routes make_routes(const Model& model, const Plan& plan) { return Router(model, plan).routes(); }

std::vector<Region> chunks(const Region& region, int64_t element_bytes, int64_t max_bytes) {
  assert(element_bytes > 0);
  if (region.empty()) return {};
  const int64_t pixel = element_bytes * region.c.size(), row = pixel * region.x.size();
  // As many whole rows as fit; else as many whole pixels of a row; else channels of a pixel.
  const auto step = [max_bytes](int64_t unit, int32_t most) {
    return static_cast<int32_t>(std::clamp<int64_t>(max_bytes / unit, 1, most));
  };
  const int32_t rows = step(row, region.y.size());
  const int32_t pixels = row <= max_bytes ? region.x.size() : step(pixel, region.x.size());
  const int32_t channels =
      pixel <= max_bytes ? region.c.size() : step(element_bytes, region.c.size());
  std::vector<Region> parts;
  for (int32_t y = region.y.begin; y < region.y.end; y += rows) {
    for (int32_t x = region.x.begin; x < region.x.end; x += pixels) {
      for (int32_t c = region.c.begin; c < region.c.end; c += channels) {
        parts.push_back({{y, std::min(y + rows, region.y.end)},
                         {x, std::min(x + pixels, region.x.end)},
                         {c, std::min(c + channels, region.c.end)}});
      }
    }
  }
  return parts;
}

int64_t wire_bytes(const Plan& plan, TensorId tensor, const Region& region) {
  return region.elements() * (plan.wire[tensor.value] == WireFormat::u8 ? 1 : 4);
}

int64_t wire_bytes(const Routes& routes) {
  int64_t bytes = 0;
  for (const Strip& strip : routes.strips) bytes += strip.bytes;
  return bytes;
}

}  // namespace shingle
