// Finds what is wrong with a plan. It derives everything again from the model: makers and readers,
// the boxes that must be covered, and each tile's windows by walking its block backwards with
// receptive_field(). It does not use the code that makes plans.
#include <algorithm>
#include <map>

#include "partition/model/receptive_field.hpp"
#include "partition/plan/plan.hpp"

namespace shingle {
namespace {

constexpr size_t max_findings = 32;  // a hostile plan must not cause a long report
constexpr int64_t max_readings = 1 << 20;
constexpr uint32_t nowhere = UINT32_MAX;

class Oracle {
 public:
  Oracle(const Plan& plan, const Model& model) : plan_(plan), model_(model) {}

  // Each stage relies on what the stages before it checked.
  std::vector<std::string> findings() {
    check_model();
    if (found_.empty()) check_layers();
    if (found_.empty()) check_algorithms();
    if (found_.empty()) check_order();
    if (found_.empty()) check_tiles();
    for (size_t i = 0; i < plan_.blocks.size() && found_.empty(); ++i) {
      check_outputs(i);
      if (found_.empty()) check_windows(i);
    }
    if (found_.empty()) check_traffic();
    return std::move(found_);
  }

 private:
  void say(std::string sentence) {
    if (found_.size() < max_findings) found_.push_back(std::move(sentence));
  }
  static std::string block_name(size_t block) { return "block " + std::to_string(block); }
  static std::string tile_name(const Tile& tile) { return "tile " + std::to_string(tile.id.value); }
  std::string tensor_name(TensorId id) const { return "tensor '" + model_.at(id).name + "'"; }
  static std::string layer_name(LayerId id) { return "layer " + std::to_string(id.value); }

  void check_model() {
    if (plan_.model != model_.hash)
      say("the plan was made for another model, " + short_name(plan_.model) +
          "..., and this one is " + short_name(model_.hash) + "...");
    if (plan_.sized != model_.sized) say("the plan's shape is not the model's");
    if (plan_.image != model_.image) say("the plan's image is not what the model takes");
    if (plan_.wire.size() != model_.tensors.size()) {
      return say("the plan names " + std::to_string(plan_.wire.size()) +
                 " wire formats for a model of " + std::to_string(model_.tensors.size()) +
                 " tensors");
    }
    for (uint32_t i = 0; i < plan_.wire.size(); ++i) {
      const bool bytes = model_.tensors[i].type == ElementType::u8;
      if ((plan_.wire[i] == WireFormat::u8) == bytes) continue;
      say(tensor_name({i}) + " is sent in a format that is not its own");
    }
  }

  void check_layers() {
    home_block_.assign(model_.layers.size(), nowhere);
    for (uint32_t b = 0; b < plan_.blocks.size(); ++b) {
      const std::vector<BlockLayer>& layers = plan_.blocks[b].layers;
      if (layers.empty()) say(block_name(b) + " holds no layer");
      for (size_t i = 0; i < layers.size(); ++i) {
        const LayerId id = layers[i].id;
        if (id.value >= model_.layers.size()) {
          say(block_name(b) + " holds " + layer_name(id) + ", which the model does not have");
          continue;
        }
        if (i > 0 && layers[i - 1].id.value >= id.value) say(block_name(b) + " is not ascending");
        if (home_block_[id.value] != nowhere) say(layer_name(id) + " stands in two blocks");
        home_block_[id.value] = b;
      }
    }
    for (uint32_t i = 0; i < home_block_.size(); ++i) {
      if (home_block_[i] == nowhere) say(layer_name({i}) + " stands in no block");
    }
  }

  void check_algorithms() {
    for (const FusedBlock& block : plan_.blocks) {
      for (const BlockLayer& layer : block.layers) check_algorithm(layer);
    }
  }

  void check_algorithm(const BlockLayer& layer) {
    switch (layer.algorithm) {
      case Algorithm::direct:
        return;
      case Algorithm::winograd4:
        if (is_plain3(model_.at(layer.id))) return;
        say(layer_name(layer.id) + " is to be computed by Winograd but is no 3x3 convolution of " +
            "stride 1, dilation 1 and one group");
    }
  }

  static bool is_plain3(const Layer& layer) {
    const auto* op = std::get_if<Convolution>(&layer.op);
    if (op == nullptr) return false;
    for (const Window* window : {&op->y, &op->x}) {
      if (window->kernel != 3 || window->stride != 1 || window->dilation != 1) return false;
    }
    return op->groups == 1;
  }

  // Winograd's groups of four begin at 0; the last one ends at the map's border at the latest.
  static Span in_fours(Span span, int32_t size) {
    while (span.begin % 4 != 0) --span.begin;
    while (span.end % 4 != 0 && span.end < size) ++span.end;
    return span;
  }

  void check_order() {
    maker_.assign(model_.tensors.size(), nowhere);
    for (uint32_t i = 0; i < model_.layers.size(); ++i) maker_[model_.layers[i].output.value] = i;
    for (uint32_t i = 0; i < model_.layers.size(); ++i) {
      for (TensorId input : model_.layers[i].inputs) {
        const uint32_t maker = maker_[input.value];
        if (maker == nowhere || home_block_[maker] <= home_block_[i]) continue;
        say(layer_name({i}) + " in " + block_name(home_block_[i]) + " reads " + tensor_name(input) +
            ", which is made later in " + block_name(home_block_[maker]));
      }
    }
  }

  void check_tiles() {
    uint32_t next = 0;
    for (const FusedBlock& block : plan_.blocks) {
      for (const Tile& tile : block.tiles) {
        if (tile.id.value != next) {
          say(tile_name(tile) + " stands where tile " + std::to_string(next) + " should");
        }
        if (tile.macs < 0 || tile.peak_bytes < 0) say(tile_name(tile) + " has a negative cost");
        check_slices(tile, tile.inputs, "window");
        check_slices(tile, tile.outputs, "output");
        ++next;
      }
    }
  }

  void check_slices(const Tile& tile, const std::vector<Slice>& slices, const char* what) {
    for (size_t i = 0; i < slices.size(); ++i) {
      const Slice& slice = slices[i];
      const std::string name = std::string("a ") + what + " of " + tile_name(tile);
      if (slice.tensor.value >= model_.tensors.size()) {
        say(name + " is on a tensor that the model does not have");
      } else if (slice.region.empty()) {
        say(name + " is empty");
      } else if (!lies_within(slice.region, model_.at(slice.tensor).shape)) {
        say(name + ", " + to_string(slice.region) + ", lies off " + tensor_name(slice.tensor));
      }
      if (i > 0 && slices[i - 1].tensor.value >= slice.tensor.value) {
        say(name + " is out of tensor order");
      }
    }
  }

  static bool lies_within(const Region& r, Shape shape) {
    return r.y.begin >= 0 && r.y.end <= shape.h && r.x.begin >= 0 && r.x.end <= shape.w &&
           r.c.begin >= 0 && r.c.end <= shape.c;
  }

  // By tensor made in `block`: true if it is needed outside of the block.
  std::vector<bool> wanted_outside(uint32_t block) const {
    std::vector<bool> wanted(model_.tensors.size(), false);
    const auto made_here = [&](TensorId id) {
      const uint32_t maker = maker_[id.value];
      return maker != nowhere && home_block_[maker] == block;
    };
    for (uint32_t i = 0; i < model_.layers.size(); ++i) {
      if (home_block_[i] == block) continue;
      for (TensorId id : model_.layers[i].inputs)
        wanted[id.value] = wanted[id.value] || made_here(id);
    }
    for (const ModelOutput& output : model_.outputs) {
      wanted[output.tensor.value] = wanted[output.tensor.value] || made_here(output.tensor);
    }
    return wanted;
  }

  void check_outputs(size_t index) {
    const FusedBlock& block = plan_.blocks[index];
    const std::vector<bool> wanted = wanted_outside(static_cast<uint32_t>(index));
    std::vector<std::vector<Region>> boxes(model_.tensors.size());
    for (const Tile& tile : block.tiles) {
      for (const Slice& slice : tile.outputs) {
        if (wanted[slice.tensor.value]) {
          boxes[slice.tensor.value].push_back(slice.region);
        } else {
          say(tile_name(tile) + " puts out " + tensor_name(slice.tensor) +
              ", which is no output of " + block_name(index));
        }
      }
    }
    for (uint32_t t = 0; t < wanted.size(); ++t) {
      if (wanted[t]) check_cover(index, {t}, boxes[t]);
    }
  }

  // Disjoint boxes within the map whose volumes add up to the map's volume cover it.
  void check_cover(size_t index, TensorId tensor, std::vector<Region>& boxes) {
    const std::string where = tensor_name(tensor) + " of " + block_name(index);
    std::sort(boxes.begin(), boxes.end(),
              [](const Region& a, const Region& b) { return a.y.begin < b.y.begin; });
    int64_t covered = 0;
    for (size_t i = 0; i < boxes.size(); ++i) {
      const Region& a = boxes[i];
      covered += int64_t{a.y.end - a.y.begin} * (a.x.end - a.x.begin) * (a.c.end - a.c.begin);
      for (size_t j = i + 1; j < boxes.size() && boxes[j].y.begin < a.y.end; ++j) {
        const Region& b = boxes[j];
        if (overlap(a, b)) return say("two tiles put out " + to_string(b) + " of " + where);
      }
    }
    const Shape shape = model_.at(tensor).shape;
    const int64_t all = int64_t{shape.h} * shape.w * shape.c;
    if (covered != all) {
      say("tiles cover " + std::to_string(covered) + " of the " + std::to_string(all) +
          " elements of " + where);
    }
  }

  using Boxes = std::map<TensorId, Region>;

  static void widen(Boxes& boxes, TensorId tensor, const Region& add) {
    if (add.empty()) return;
    const auto [at, fresh] = boxes.try_emplace(tensor, add);
    if (fresh) return;
    Region& to = at->second;
    to.y = {std::min(to.y.begin, add.y.begin), std::max(to.y.end, add.y.end)};
    to.x = {std::min(to.x.begin, add.x.begin), std::max(to.x.end, add.x.end)};
    to.c = {std::min(to.c.begin, add.c.begin), std::max(to.c.end, add.c.end)};
  }

  // The parts of tensors from outside the block that the tile's outputs need.
  Boxes needs(const FusedBlock& block, const Tile& tile) const {
    Boxes boxes;
    for (const Slice& slice : tile.outputs) widen(boxes, slice.tensor, slice.region);
    for (auto at = block.layers.rbegin(); at != block.layers.rend(); ++at) {
      const Layer& layer = model_.at(at->id);
      const auto output = boxes.find(layer.output);
      if (output == boxes.end()) continue;
      Region computed = output->second;
      if (at->algorithm == Algorithm::winograd4) {
        const Shape map = model_.at(layer.output).shape;
        computed.y = in_fours(computed.y, map.h);
        computed.x = in_fours(computed.x, map.w);
      }
      boxes.erase(output);
      for (size_t i = 0; i < layer.inputs.size(); ++i) {
        if (model_.at(layer.inputs[i]).constant) continue;
        widen(boxes, layer.inputs[i], receptive_field(model_, layer, i, computed));
      }
    }
    return boxes;
  }

  void check_windows(size_t index) {
    for (const Tile& tile : plan_.blocks[index].tiles) {
      Boxes missing = needs(plan_.blocks[index], tile);
      for (const Slice& slice : tile.inputs) {
        const auto need = missing.find(slice.tensor);
        if (need == missing.end()) {
          say(tile_name(tile) + " has a window on " + tensor_name(slice.tensor) +
              ", which it does not need");
          continue;
        }
        if (need->second != slice.region) {
          say(tile_name(tile) + " reads " + to_string(slice.region) + " of " +
              tensor_name(slice.tensor) + " but needs " + to_string(need->second));
        }
        missing.erase(need);
      }
      for (const auto& [tensor, region] : missing) {
        say(tile_name(tile) + " has no window on " + tensor_name(tensor) + " but needs " +
            to_string(region));
      }
    }
  }

  // Routes grow with the number of pairs of tiles of which one reads from the other. A small text
  // must not cause gigabytes of routes.
  void check_traffic() {
    std::vector<std::vector<Region>> made(model_.tensors.size());
    int64_t readings = 0;
    for (const FusedBlock& block : plan_.blocks) {
      for (const Tile& tile : block.tiles) {
        for (const Slice& slice : tile.inputs) {
          for (const Region& part : made[slice.tensor.value]) {
            readings += overlap(slice.region, part) ? 1 : 0;
          }
          if (readings > max_readings) {
            return say("tiles read from one another more than 1048576 times");
          }
        }
      }
      for (const Tile& tile : block.tiles) {
        for (const Slice& slice : tile.outputs) made[slice.tensor.value].push_back(slice.region);
      }
    }
  }

  static bool overlap(Span a, Span b) { return a.begin < b.end && b.begin < a.end; }
  static bool overlap(const Region& a, const Region& b) {
    return overlap(a.y, b.y) && overlap(a.x, b.x) && overlap(a.c, b.c);
  }

  const Plan& plan_;
  const Model& model_;
  std::vector<std::string> found_;
  std::vector<uint32_t> home_block_;  // by layer
  std::vector<uint32_t> maker_;       // by tensor: layer
};

}  // namespace

std::vector<std::string> defects(const Plan& plan, const Model& model) {
  return Oracle(plan, model).findings();
}

std::vector<std::string> defects(const Plan& plan, const Model& model,
                                 const std::vector<NodeId>& members) {
  std::vector<std::string> found = defects(plan, model);
  for (const FusedBlock& block : plan.blocks) {
    for (const Tile& tile : block.tiles) {
      if (found.size() >= max_findings) return found;
      if (std::find(members.begin(), members.end(), tile.home) != members.end()) continue;
      found.push_back("tile " + std::to_string(tile.id.value) + " has its home at node " +
                      std::to_string(tile.home.value) + ", which is no member of the cluster");
    }
  }
  return found;
}

}  // namespace shingle
