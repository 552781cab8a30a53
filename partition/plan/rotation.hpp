// Rotation: plans of one model that frames take in turn, each for its share of a round.
//
//   share 2  plan A, tiles on nodes 0 1 2       frames of a round   1  2  3
//   share 1  plan B, tiles on nodes 3 4         computed by         A  B  A
//
// One plan is a rotation of one. All plans compute each layer by the same algorithm, so a frame
// comes out the same, bit for bit, whichever of them it takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partition/plan/plan.hpp"

namespace shingle {

struct Turn {
  Plan plan;
  int32_t share = 1;  // frames of a round, 1 to max_share
  friend bool operator==(const Turn&, const Turn&) = default;
};
using Rotation = std::vector<Turn>;

// More would leave nodes no room for the rotation that comes next.
inline constexpr size_t max_turns = 8;
inline constexpr int32_t max_share = 64;

// Plans one after the other as print(plan) has them, before each that has more than one frame of a
// round a line "share N". parse(print(r)) == r. The parser takes hostile text; an error names the
// plan and its line.
std::string print(const Rotation& rotation);
Result<Rotation> parse_rotation(std::string_view text);

// What is wrong, one sentence each; empty means sound: each plan is, no two are the same, all are
// of the same algorithms. Homes are among `members`; any may be, where that is empty. REQUIRES: no
// more than max_turns.
std::vector<std::string> defects(const Rotation& rotation, const Model& model,
                                 const std::vector<NodeId>& members);

std::vector<NodeId> homes(const Rotation& rotation);  // of all plans, ascending, without repeats

// Says whose turn it is, evenly: of shares 4 and 2 it makes 0 1 0 0 1 0.
class Dealer {
 public:
  Dealer() = default;
  explicit Dealer(const Rotation& rotation);

  // Of those that may be dealt, or of all if none may. REQUIRES: as many as there are turns, at
  // least one.
  size_t next(const std::vector<bool>& may);

 private:
  std::vector<int64_t> shares_, credits_;
};

// The turns of one round, in the order in which they are dealt.
std::vector<size_t> round_of(const Rotation& rotation);

// Shares by which plans of these speeds (frames a second) are busy for the same time: the fewest
// that leave no more than half a percent unused beyond what any round up to `longest` would.
// REQUIRES: positive speeds, longest >= their number.
std::vector<int32_t> shares_for(const std::vector<double>& speeds, int32_t longest);

}  // namespace shingle
