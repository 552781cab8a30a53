// Cuts: the cheapest way to divide a stretch of the network into blocks, with a cost that is a sum
// over blocks. It is good enough as the start of a search; a sum cannot account for blocks that
// overlap in time.
//
//   borders      0----1----2----3----4
//   dealt        o----o         o----o            one cheapest way to every border for each kind
//   columns           o----o                      of last block; what a block fetches depends on
//   channels               o----o                 how the blocks were dealt that made it
//   on the owner
#pragma once

#include <array>
#include <optional>

#include "partition/search/draft.hpp"

namespace shingle {

// How a block is dealt in a first draft.
enum class BlockWay : uint8_t {
  dealt,     // as the family deals; what must be whole goes to the fastest node
  columns,   // each node has a range of columns (of a row: of its few rows), where maps hold
             // several sequences side by side
  channels,  // each node has a range of channels: heads, or sequences one behind the other
  on_owner,  // the owner computes it alone
};
inline constexpr size_t block_way_count = 4;

// By position of the order: the way of the block that computes it.
class WaysTaken {
 public:
  BlockWay at(size_t position) const {
    return ways_[position];
  }  // REQUIRES: position < end of the last
  // The same with a further block. REQUIRES: it begins where the last one ended.
  WaysTaken with(const DraftBlock& block, BlockWay way) const;

 private:
  std::vector<BlockWay> ways_;
};

// Whether borders between nodes may be stairs: the maps are small. Larger maps are dealt by whole
// rows.
bool wants_stairs(const Workshop& workshop, const Layout& layout, size_t begin, size_t end);

// What blocks cost: of one family of layouts, on the nodes that are present.
class BlockSums {
 public:
  // All arguments must outlive this object.
  BlockSums(Workshop& workshop, const Layout& family, const std::vector<bool>& present);

  // None: the block cannot be dealt in this way, or the family does it already.
  std::optional<DraftBlock> block(BlockWay way, size_t begin, size_t end);

  // The time of a block: a node computes and receives at the same time if it has several tiles to
  // alternate between. What a node made leaves through its port.
  double elapsed_ns(const MadeBlock& made, const WaysTaken& before);

 private:
  struct Traffic {  // bytes by node
    std::vector<double> received, sent;
  };
  using Windows = std::map<std::pair<size_t, TensorId>, Region>;

  std::vector<double> shares(size_t begin, size_t end);
  size_t fastest(size_t begin, size_t end);
  Windows windows_of(const MadeBlock& made, std::vector<int32_t>& tiles) const;
  void count(TensorId tensor, size_t node, const Region& window, const WaysTaken& before,
             Traffic& traffic);
  bool is_result(TensorId tensor) const;
  double mbps(size_t node) const;
  static void share_medium(Traffic& traffic);
  void fetch_results(const MadeBlock& made, Traffic& traffic) const;
  const std::vector<Region>& territory(TensorId tensor, BlockWay way);

  Workshop& workshop_;
  const Layout& family_;
  const std::vector<bool>& present_;
  const int32_t present_count_;
  std::map<std::pair<TensorId, BlockWay>, std::vector<Region>> territories_;
};

// Grows drafts from the first position to the last, the cheapest one for each way of dealing the
// last block.
class Cuts {
 public:
  // `mixed`: blocks may be dealt in any way, otherwise all as the family.
  Cuts(Workshop& workshop, BlockSums& sums, bool mixed);  // both must outlive this object

  // A stretch of blocks that may begin and end at `borders`. REQUIRES: its first border is where
  // the drafts end.
  void add_stretch(const std::vector<size_t>& borders);
  Draft cheapest() const;  // REQUIRES: something was added

 private:
  static constexpr size_t no_link = SIZE_MAX;
  struct Link {
    DraftBlock block;
    size_t before = no_link;
  };
  struct State {  // a draft that ends at some border
    double elapsed_ns = 0.0;
    size_t last = no_link;  // index of a link
    WaysTaken taken{};
  };
  using States = std::array<std::optional<State>, block_way_count>;  // by way of the last block

  void extend(const std::vector<size_t>& borders, size_t from);
  int64_t add(const States& from, States& to, BlockWay way, const DraftBlock& block);
  void continue_blocks(const States& from, States& to, size_t begin, size_t end);

  Workshop& workshop_;
  BlockSums& sums_;
  const bool mixed_;
  std::vector<Link> links_;
  std::vector<States> states_;  // by border of the stretch
};

}  // namespace shingle
