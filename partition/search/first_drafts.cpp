#include "partition/search/first_drafts.hpp"

#include <algorithm>
#include <numeric>

namespace shingle {
namespace {

Draft first_draft(Workshop& workshop, const Borders& borders, BlockSums& sums, bool mixed) {
  Cuts cuts(workshop, sums, mixed);
  for (const Stretch& stretch : stretches(workshop.order())) {
    std::vector<size_t> places = borders.ends(stretch);
    places.insert(places.begin(), stretch.begin);
    cuts.add_stretch(places);
  }
  return without_idle_blocks(workshop.model(), workshop.order(), cuts.cheapest());
}

}  // namespace

std::vector<Draft> first_drafts(Workshop& workshop, const Borders& borders, const Layout& family,
                                const std::vector<bool>& present) {
  BlockSums sums(workshop, family, present);
  std::vector<Draft> drafts{first_draft(workshop, borders, sums, false)};
  Draft other = first_draft(workshop, borders, sums, true);
  if (other != drafts[0]) drafts.push_back(std::move(other));
  return drafts;
}

Draft with_weights_dealt(Workshop& workshop, const Draft& draft) {
  const Model& model = workshop.model();
  const LayerOrder& order = workshop.order();
  const auto weights = [&](size_t at) { return weight_bytes(model, model.at(order.layers[at])); };
  const auto is_heavy = [&](size_t at) {
    const Shape shape = model.at(model.at(order.layers[at]).output).shape;
    return weights(at) > bytes_of(shape, ElementType::f32);
  };
  Draft dealt;
  for (const DraftBlock& block : draft) {
    for (size_t at = block.begin; at < block.end;) {
      const bool heavy = is_heavy(at);
      DraftBlock part{at, at + 1, block.layout};
      // A layer without weights belongs to the part of the layer before it.
      while (part.end < block.end && (heavy ? weights(part.end) == 0 : !is_heavy(part.end))) {
        ++part.end;
      }
      if (heavy) {
        part.layout = Layout{.shares = workshop.fair_shares(part.begin, part.end),
                             .groups = static_cast<int32_t>(block.layout.shares.size()),
                             .across_channels = true};
      }
      at = part.end;
      dealt.push_back(std::move(part));
    }
  }
  return without_idle_blocks(model, order, dealt);
}

Draft single_draft(const Workshop& workshop, size_t node) {
  return {{0, workshop.order().layers.size(), on_one_node(workshop.cluster().nodes.size(), node)}};
}

Draft pipeline_draft(Workshop& workshop) {
  const Model& model = workshop.model();
  const LayerOrder& order = workshop.order();
  const size_t nodes = workshop.cluster().nodes.size();
  const std::vector<double> shares = workshop.fair_shares(0, order.layers.size());
  const auto all = static_cast<double>(std::max<int64_t>(1, total_macs(model)));
  Draft draft;
  size_t begin = 0, node = 0;
  double behind = 0.0, target = shares[0];
  for (size_t i = 0; i < order.layers.size(); ++i) {
    const Region map = whole(model.at(model.at(order.layers[i]).output).shape);
    const double own = static_cast<double>(macs(model, order.layers[i], map)) / all;
    if (node + 1 < nodes && i > begin && behind + own / 2.0 > target) {
      draft.push_back({begin, i, on_one_node(nodes, node)});
      begin = i;
      target += shares[++node];
    }
    behind += own;
  }
  draft.push_back({begin, order.layers.size(), on_one_node(nodes, node)});
  return without_idle_blocks(model, order, draft);
}

}  // namespace shingle
