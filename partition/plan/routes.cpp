#include "partition/plan/routes.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <tuple>

#include "partition/plan/connection.hpp"

namespace shingle {
namespace {

constexpr uint32_t nobody = UINT32_MAX;  // sorts after every tile

// The boxes that tiles have of one tensor, in ascending order of tiles.
struct Boxes {
  std::vector<TileBox> boxes;
  std::vector<TileId> tiles;
};

// A strip that has no number yet.
struct Draft {
  Strip strip;
  std::vector<TileId> readers;
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
    routes_.waits_for.assign(tiles_.size(), 0);
    routes_.waiting_on_tile.resize(tiles_.size());
    routes_.leaving.resize(tiles_.size());
    from_frame();
    between_tiles();
    canvases();
    return std::move(routes_);
  }

 private:
  static void hold(std::vector<Boxes>& boxes, const Tile& tile, const Slice& slice) {
    boxes[slice.tensor.value].boxes.push_back({tile.home, slice.region});
    boxes[slice.tensor.value].tiles.push_back(tile.id);
  }

  int64_t element_bytes(uint32_t tensor) const {
    return wire_bytes(plan_, {tensor}, {{0, 1}, {0, 1}, {0, 1}});
  }

  Draft draft(TensorId tensor, const Connection::Strip& part,
              std::optional<TileId> producer) const {
    Draft draft{{tensor, part.region, producer, part.destination, 0}, {}};
    draft.strip.bytes = wire_bytes(plan_, tensor, part.region);
    for (uint32_t reader : part.readers) {
      draft.readers.push_back(read_[tensor.value].tiles[reader]);
    }
    return draft;
  }

  StripId add(Draft draft) {
    const StripId id{static_cast<uint32_t>(routes_.strips.size())};
    for (TileId reader : draft.readers) ++routes_.waits_for[reader.value];
    routes_.strips.push_back(draft.strip);
    routes_.waiting_on_strip.push_back(std::move(draft.readers));
    return id;
  }

  // The order of the frame's boxes: every home's first tile, then every home's second tile, ...
  void from_frame() {
    std::map<TileId, std::vector<Draft>> by_tile;
    for (uint32_t tensor = 0; tensor < made_.size(); ++tensor) {
      if (!made_[tensor].tiles.empty()) continue;
      for (const auto& part : frame_strips(read_[tensor].boxes, element_bytes(tensor))) {
        by_tile[read_[tensor].tiles[part.maker]].push_back(draft({tensor}, part, std::nullopt));
      }
    }
    std::map<NodeId, size_t> rounds;  // rounds that each home has had
    std::vector<std::tuple<size_t, NodeId, TileId>> turns;
    for (const auto& [id, drafts] : by_tile) {
      const NodeId home = tiles_[id.value]->home;
      turns.emplace_back(rounds[home]++, home, id);
    }
    std::sort(turns.begin(), turns.end());
    for (const auto& [round, home, id] : turns) {
      for (Draft& draft : by_tile[id]) routes_.from_frame.push_back(add(std::move(draft)));
    }
  }

  void between_tiles() {
    std::vector<bool> is_output(made_.size(), false);
    for (const ModelOutput& output : model_.outputs) is_output[output.tensor.value] = true;
    std::vector<std::vector<Draft>> drafts(tiles_.size());  // by producer
    for (uint32_t tensor = 0; tensor < made_.size(); ++tensor) {
      const Boxes &made = made_[tensor], &read = read_[tensor];
      const Connection found =
          connection(made.boxes, read.boxes, element_bytes(tensor), is_output[tensor]);
      for (const Connection::Strip& part : found.strips) {
        const TileId producer = made.tiles[part.maker];
        drafts[producer.value].push_back(draft({tensor}, part, producer));
      }
      for (const auto& [maker, reader] : found.local) {
        routes_.waiting_on_tile[made.tiles[maker].value].push_back(read.tiles[reader]);
      }
    }
    for (std::vector<TileId>& waiting : routes_.waiting_on_tile) {
      std::sort(waiting.begin(), waiting.end());
      waiting.erase(std::unique(waiting.begin(), waiting.end()), waiting.end());
      for (TileId reader : waiting) ++routes_.waits_for[reader.value];
    }
    for (size_t tile = 0; tile < tiles_.size(); ++tile) number(tile, drafts[tile]);
  }

  // Numbers the strips: by producer, the most urgent first; strips to the owner are the least
  // urgent.
  void number(size_t tile, std::vector<Draft>& drafts) {
    const auto key = [](const Draft& draft) {
      const uint32_t first = draft.readers.empty() ? nobody : draft.readers.front().value;
      return std::tuple(first, draft.strip.tensor);
    };
    std::stable_sort(drafts.begin(), drafts.end(),
                     [&](const Draft& a, const Draft& b) { return key(a) < key(b); });
    for (Draft& draft : drafts) {
      const bool outcome = !draft.strip.destination;
      const StripId id = add(std::move(draft));
      routes_.leaving[tile].push_back(id);
      if (outcome) routes_.to_owner.push_back(id);
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
  std::vector<Boxes> made_, read_;  // by tensor
  Routes routes_;
};

}  // namespace

Routes make_routes(const Model& model, const Plan& plan) { return Router(model, plan).routes(); }

std::vector<Region> strip_regions(const Region& region, int64_t element_bytes, int64_t max_bytes) {
  assert(element_bytes > 0);
  if (region.empty()) return {};
  const int64_t pixel = element_bytes * region.c.size(), row = pixel * region.x.size();
  // As many whole rows as fit; otherwise whole pixels of a row; otherwise channels of a pixel.
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
  return region.elements() * bytes_of(plan.wire[tensor.value]);
}

int64_t wire_bytes(const Routes& routes) {
  int64_t bytes = 0;
  for (const Strip& strip : routes.strips) bytes += strip.bytes;
  return bytes;
}

}  // namespace shingle
