// Which bytes the pieces of a pass read and write, to tell whether two may run at the same time.
#pragma once

#include <array>
#include <vector>

#include "devices/pass/tile_pass.hpp"

namespace shingle {

// Bytes of the arena.
struct ByteRange {
  int64_t begin = 0, end = 0;
};

// What a piece reads or writes of one place.
struct Access {
  size_t place = 0;
  Region region;
  std::array<ByteRange, 2> bytes{};  // of whole rows; two where a ring begins anew
};

// What a piece writes, and what it reads that it has not written itself.
struct Reach {
  std::vector<Access> written, read;
  void add(const Reach& later);
};

class PassAccess {
 public:
  // Both must outlive it.
  PassAccess(const Model& model, const TilePass& pass) : model_(model), pass_(pass) {}

  // By strip: the first row that a place holds. Places that move hold different rows in turn.
  // [0] the output's before the strip, [1] from then on, then those of the step's inputs.
  using FirstRows = std::span<const int32_t>;

  Reach of_part(const PassStep& step, const LayerPart& part, FirstRows rows) const;
  Reach of_kept(const PassStep& step, int32_t index, int32_t count, FirstRows rows) const;
  Reach of_move(const PassStep& step) const;

  // Does one of them write what the other one reads or writes?
  bool conflict(const Reach& a, const Reach& b) const;

 private:
  Access access(size_t place, const Region& region, int32_t first_row) const;
  Access whole(size_t place) const;
  bool meet(const Access& a, const Access& b) const;
  bool meet(const std::vector<Access>& a, const std::vector<Access>& b) const;

  const Model& model_;
  const TilePass& pass_;
};

}  // namespace shingle
