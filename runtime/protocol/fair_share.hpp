// FairShare: room that several share, none of whom may keep the others out. Whoever takes some must
// leave at least as much free as he then holds: one alone gets half of it, and for whoever comes
// next there is room, however greedy the others are. Together they never hold more than there is.
#pragma once

#include <cstdint>
#include <map>

#include "partition/base/ids.hpp"

namespace shingle {

class FairShare {
 public:
  explicit FairShare(int64_t total) : total_(total) {}

  // False if that would be too much: then nothing changes.
  bool take(NodeId who, int64_t amount) {
    if (amount == 0) return true;
    int64_t& share = shares_[who];
    if (share + amount > total_ - held_ - amount) return false;
    share += amount;
    held_ += amount;
    return true;
  }
  // REQUIRES: it was taken.
  void give_back(NodeId who, int64_t amount) {
    shares_[who] -= amount;
    held_ -= amount;
  }
  void give_all_back() {
    shares_.clear();
    held_ = 0;
  }

 private:
  const int64_t total_;
  int64_t held_ = 0;
  std::map<NodeId, int64_t> shares_;  // of members only: no more than there are
};

}  // namespace shingle
