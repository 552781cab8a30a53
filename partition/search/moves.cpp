#include "partition/search/moves.hpp"

#include <algorithm>
#include <cmath>

namespace shingle {
namespace {

struct Split {
  int32_t rows, columns;
};
constexpr Split splits[] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 1}, {3, 2}};

// A cut of a block is tried at so many positions: those that the fewest bytes cross.
constexpr size_t most_cuts = 3;

// So many nodes besides the owner are tried with larger or smaller shares of all blocks.
constexpr size_t most_favoured = 8;

std::vector<int32_t> group_counts(size_t nodes) {
  std::vector<int32_t> counts{1, 2};
  if (nodes >= 6) counts.push_back(3);
  if (nodes >= 12) counts.push_back(static_cast<int32_t>(std::lround(std::sqrt(double(nodes)))));
  return counts;
}

std::ptrdiff_t at(size_t index) { return static_cast<std::ptrdiff_t>(index); }

bool is_alone(const DraftBlock& block) {
  const std::vector<double>& shares = block.layout.shares;
  return std::count_if(shares.begin(), shares.end(), [](double s) { return s > 0.0; }) == 1;
}

Draft joined(Draft draft, size_t block) {
  draft[block].end = draft[block + 1].end;
  draft.erase(draft.begin() + at(block) + 1);
  return draft;
}

Draft cut_at(Draft draft, size_t block, size_t place) {
  const DraftBlock second{place, draft[block].end, draft[block].layout};
  draft[block].end = place;
  draft.insert(draft.begin() + at(block) + 1, second);
  return draft;
}

void move_share(Layout& layout, size_t from, size_t to, double part) {
  const double moved = layout.shares[from] * part;
  layout.shares[from] -= moved;
  layout.shares[to] += moved;
}

}  // namespace

// Constant, because a search on another thread may still read it while the program exits.
std::span<const Moves::Kind> Moves::kinds() {
  static constexpr Kind all[] = {&Moves::join,    &Moves::cut,     &Moves::move_border,
                                 &Moves::regroup, &Moves::resplit, &Moves::by_channels,
                                 &Moves::on_one,  &Moves::gather,  &Moves::balance};
  return all;
}

bool Moves::one_kind(size_t begin, size_t end) const {
  const auto& kinds = workshop_.order().kinds;
  return std::all_of(kinds.begin() + at(begin), kinds.begin() + at(end),
                     [&](MapKind kind) { return kind == kinds[begin]; });
}

bool Moves::joinable(const DraftBlock& first, const DraftBlock& second) const {
  return one_kind(first.begin, second.end) ||
         (is_alone(first) && first.layout.shares == second.layout.shares);
}

// A block on one node is first dealt to all nodes; other changes of its layout come later.
void Moves::spread(DraftBlock& block) {
  if (is_alone(block)) block.layout.shares = workshop_.fair_shares(block.begin, block.end);
}

std::vector<Draft> Moves::join(const Draft& draft, size_t block) {
  if (block + 1 >= draft.size() || !joinable(draft[block], draft[block + 1])) return {};
  std::vector<Draft> found{joined(draft, block)};
  if (kind_of(draft[block]) == MapKind::whole || is_alone(draft[block])) return found;
  // Deeper blocks need fewer tiles.
  for (const Split& split : {Split{1, 1}, Split{2, 1}}) {
    found.push_back(found.front());
    found.back()[block].layout.rows = split.rows;
    found.back()[block].layout.columns = split.columns;
  }
  return found;
}

std::vector<Draft> Moves::cut(const Draft& draft, size_t block) {
  std::vector<size_t> places;
  for (size_t place = draft[block].begin + 1; place < draft[block].end; ++place) {
    places.push_back(place);
  }
  std::stable_sort(places.begin(), places.end(),
                   [&](size_t a, size_t b) { return borders_.crossing(a) < borders_.crossing(b); });
  if (places.size() > most_cuts) places.resize(most_cuts);
  std::vector<Draft> found;
  for (size_t place : places) found.push_back(cut_at(draft, block, place));
  return found;
}

std::vector<Draft> Moves::move_border(const Draft& draft, size_t block) {
  std::vector<Draft> found;
  if (block + 1 >= draft.size() || !one_kind(draft[block].begin, draft[block + 1].end)) return {};
  for (const bool forward : {true, false}) {
    const size_t place = forward ? draft[block].end + 1 : draft[block].end - 1;
    if (place <= draft[block].begin || place >= draft[block + 1].end) continue;
    found.push_back(draft);
    found.back()[block].end = found.back()[block + 1].begin = place;
  }
  return found;
}

std::vector<Draft> Moves::regroup(const Draft& draft, size_t block) {
  if (nodes() == 1 || kind_of(draft[block]) != MapKind::map) return {};
  std::vector<Draft> found{draft, draft};
  found[0][block].layout.stairs = !found[0][block].layout.stairs;
  found[1][block].layout.loose = !found[1][block].layout.loose;
  for (int32_t groups : group_counts(nodes())) {
    found.push_back(draft);
    spread(found.back()[block]);
    found.back()[block].layout.groups = groups;
    found.back()[block].layout.across_channels = false;
  }
  return found;
}

std::vector<Draft> Moves::resplit(const Draft& draft, size_t block) {
  if (nodes() == 1 || kind_of(draft[block]) == MapKind::whole) return {};
  std::vector<Draft> found;
  for (const Split& split : splits) {
    found.push_back(draft);
    spread(found.back()[block]);
    found.back()[block].layout.rows = split.rows;
    found.back()[block].layout.columns = split.columns;
  }
  return found;
}

std::vector<Draft> Moves::by_channels(const Draft& draft, size_t block) {
  if (nodes() == 1) return {};
  std::vector<Draft> found;
  for (size_t groups : {nodes(), (nodes() + 1) / 2}) {
    found.push_back(draft);
    spread(found.back()[block]);
    Layout& layout = found.back()[block].layout;
    layout.groups = static_cast<int32_t>(groups);
    layout.across_channels = true;
    layout.stairs = false;
  }
  return found;
}

// Nodes that a block on a single node may move to: the least busy node and the owner.
std::vector<size_t> Moves::lone_nodes(const Draft& draft) {
  std::vector<Duration> busy(nodes(), Duration::zero());
  for (const DraftBlock& block : draft) {
    const MadeBlock& made = workshop_.make(block);
    for (size_t i = 0; i < busy.size(); ++i) busy[i] += made.busy[i];
  }
  const auto idle = static_cast<size_t>(std::min_element(busy.begin(), busy.end()) - busy.begin());
  std::vector<size_t> found{idle};
  if (workshop_.owner() < nodes() && workshop_.owner() != idle) found.push_back(workshop_.owner());
  return found;
}

std::vector<Draft> Moves::on_one(const Draft& draft, size_t block) {
  if (nodes() == 1) return {};
  std::vector<Draft> found;
  for (size_t node : lone_nodes(draft)) {
    found.push_back(draft);
    found.back()[block].layout = on_one_node(nodes(), node);
  }
  return found;
}

// Puts all blocks from this one on onto one node: the results may be large and the work small.
std::vector<Draft> Moves::gather(const Draft& draft, size_t block) {
  if (nodes() == 1) return {};
  std::vector<Draft> found;
  for (size_t node : lone_nodes(draft)) {
    found.push_back(draft);
    found.back().resize(block + 1);
    found.back()[block] = {draft[block].begin, workshop_.order().layers.size(),
                           on_one_node(nodes(), node)};
  }
  return found;
}

// Nodes that take longer for the block than others get a smaller share of it.
std::vector<Draft> Moves::balance(const Draft& draft, size_t block) {
  if (nodes() == 1 || is_alone(draft[block])) return {};
  Draft found = draft;
  const MadeBlock& made = workshop_.make(draft[block]);
  std::vector<double>& shares = found[block].layout.shares;
  double mean = 0.0, present = 0.0;
  for (size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] <= 0.0) continue;
    mean += in_nanoseconds(made.busy[i]);
    present += 1.0;
  }
  mean /= present;
  for (size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] <= 0.0 || made.busy[i] <= Duration::zero()) continue;
    shares[i] *= std::clamp(mean / in_nanoseconds(made.busy[i]), 0.5, 2.0);
  }
  return {found};
}

std::vector<Draft> Moves::wide(const Draft& draft) {
  if (nodes() == 1) return {};
  const size_t half = draft.size() / 2;
  const size_t runs[][2] = {{0, draft.size()}, {half, draft.size()}, {0, half}};
  std::vector<size_t> favourites{workshop_.owner()};
  for (size_t node = 0; node < std::min(nodes(), most_favoured); ++node) {
    if (node != workshop_.owner()) favourites.push_back(node);
  }
  std::vector<Draft> found;
  for (size_t node : favourites) {
    if (node >= nodes()) continue;
    for (const auto& [begin, end] : runs) {
      for (double factor : {1.25, 1.08, 0.8}) {
        found.push_back(draft);
        for (size_t i = begin; i < end; ++i) {
          if (!is_alone(draft[i])) found.back()[i].layout.shares[node] *= factor;
        }
      }
    }
  }
  return found;
}

Draft Moves::random(const Draft& draft, Dice& dice) {
  Draft changed = draft;
  switch (dice.below(4)) {
    case 0:
      random_blocks(changed, dice);
      break;
    case 1:
      random_layouts(changed, dice);
      break;
    default:
      random_shares(changed, dice);
  }
  return changed;
}

void Moves::random_blocks(Draft& draft, Dice& dice) {
  const size_t block = dice.below(draft.size());
  const std::vector<Draft> drafts = dice.below(2) == 0   ? move_border(draft, block)
                                    : dice.below(2) == 0 ? join(draft, block)
                                                         : std::vector<Draft>{};
  if (!drafts.empty()) {
    draft = drafts[dice.below(drafts.size())];
  } else if (draft[block].end - draft[block].begin > 1) {
    const size_t inner = draft[block].end - draft[block].begin - 1;
    draft = cut_at(draft, block, draft[block].begin + 1 + dice.below(inner));
  }
}

// A run of one to all blocks; short runs are more frequent.
Span random_run(size_t blocks, Dice& dice) {
  const size_t begin = dice.below(blocks);
  const size_t length = 1 + dice.below(1 + dice.below(blocks - begin));
  return {static_cast<int32_t>(begin), static_cast<int32_t>(begin + length)};
}

void Moves::random_layouts(Draft& draft, Dice& dice) {
  const Span run = random_run(draft.size(), dice);
  const std::vector<int32_t> counts = group_counts(nodes());
  const int32_t groups = counts[dice.below(counts.size())];
  const Split split = splits[dice.below(std::size(splits))];
  const bool on = dice.below(2) == 0;
  const size_t what = dice.below(4);
  for (auto i = static_cast<size_t>(run.begin); i < static_cast<size_t>(run.end); ++i) {
    Layout& layout = draft[i].layout;
    if (is_alone(draft[i]) || kind_of(draft[i]) == MapKind::whole) continue;
    if (what == 0) layout.rows = split.rows, layout.columns = split.columns;
    if (kind_of(draft[i]) != MapKind::map || layout.across_channels) continue;
    if (what == 1) layout.groups = groups;
    if (what == 2) layout.stairs = on;
    if (what == 3) layout.loose = on;
  }
}

void Moves::random_shares(Draft& draft, Dice& dice) {
  const Span run = random_run(draft.size(), dice);
  const size_t from = dice.below(nodes()), to = dice.below(nodes());
  const double part = 0.02 + 0.18 * dice.unit();
  for (auto i = static_cast<size_t>(run.begin); i < static_cast<size_t>(run.end); ++i) {
    if (from != to && !is_alone(draft[i])) move_share(draft[i].layout, from, to, part);
  }
}

}  // namespace shingle
