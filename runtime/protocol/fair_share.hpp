// FairShare: room that several nodes share, such that none can keep the others out. Whoever takes
// some must leave at least as much free as it then holds. So a node alone gets at most half, there
// is always room for the next one, and all together never hold more than there is.
#pragma once

#include <cassert>
#include <cstdint>
#include <map>

#include "partition/base/ids.hpp"

namespace shingle {

class FairShare {
 public:
  // REQUIRES: total is positive.
  explicit FairShare(int64_t total) : total_(total) { assert(total > 0); }

  // False if that would be too much: then nothing changes. REQUIRES: amount is not negative.
  bool take(NodeId who, int64_t amount) {
    assert(amount >= 0);
    if (amount == 0) return true;
    int64_t& share = shares_[who];
    if (share + amount > total_ - held_ - amount) return false;
    share += amount;
    held_ += amount;
    assert(held_ <= total_);
    return true;
  }
  // REQUIRES: it was taken, and amount is not negative.
  void give_back(NodeId who, int64_t amount) {
    int64_t& share = shares_[who];
    assert(amount >= 0 && amount <= share);
    share -= amount;
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
