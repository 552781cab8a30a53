// Rotation: plans of one model that successive frames use in turn, each for its share of a round.
//
//   share 2  plan A, tiles on nodes 0 1 2       frames of a round   1  2  3
//   share 1  plan B, tiles on nodes 3 4         computed by         A  B  A
//
// A single plan is a rotation of one. All plans compute each layer with the same algorithm, so the
// result of a frame is the same, bit for bit, with each of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partition/plan/plan.hpp"

namespace shingle {

struct Turn {
  Plan plan;
  int32_t share = 1;  // frames per round, 1 to max_share
  friend bool operator==(const Turn&, const Turn&) = default;
};
using Rotation = std::vector<Turn>;

// With more turns, nodes would have no room for the next rotation.
inline constexpr size_t max_turns = 8;
inline constexpr int32_t max_share = 64;

// The plans one after the other as printed by print(plan). A line "share N" precedes each plan that
// has more than one frame per round. parse(print(r)) == r. The parser accepts hostile text; an
// error names the plan and its line.
std::string print(const Rotation& rotation);
Result<Rotation> parse_rotation(std::string_view text);

// Do both compute the same layers, each with the same algorithm? Then a frame's bits are the same.
bool same_algorithms(const Plan& a, const Plan& b);

// What is wrong, one sentence each. Empty: each plan is sound, no two are the same, and all use the
// same algorithms. Homes must be among `members`, unless that is empty. REQUIRES: no more than
// max_turns.
std::vector<std::string> defects(const Rotation& rotation, const Model& model,
                                 const std::vector<NodeId>& members);

std::vector<NodeId> homes(const Rotation& rotation);  // of all plans, ascending, without duplicates

// Says which turn is next, evenly: for shares 4 and 2 it returns 0 1 0 0 1 0.
class Dealer {
 public:
  Dealer() = default;
  explicit Dealer(const Rotation& rotation);

  // The next of the turns that `may` allows, or of all if it allows none. REQUIRES: one element for
  // each turn, at least one.
  size_t next(const std::vector<bool>& may);

 private:
  std::vector<int64_t> shares_, credits_;
};

// The turns of one round, in the order in which frames get them.
std::vector<size_t> round_of(const Rotation& rotation);

// Shares by which plans of these speeds (frames per second) are busy for the same time: the
// smallest shares whose unused time is at most half a percent above the best round of up to
// `longest` frames. REQUIRES: positive speeds, longest >= their number.
std::vector<int32_t> shares_for(const std::vector<double>& speeds, int32_t longest);

}  // namespace shingle
