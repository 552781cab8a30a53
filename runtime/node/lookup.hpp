// Look-ups and keys that several parts of a node share.
#pragma once

#include <map>

#include "runtime/protocol/message.hpp"

namespace shingle {

// What the map holds under the key; null: nothing.
template <class Map>
auto* find_in(Map& map, const typename Map::key_type& key) {
  const auto place = map.find(key);
  return place == map.end() ? nullptr : &place->second;
}

struct TileKey {
  FrameKey frame;
  TileId tile;
  friend auto operator<=>(const TileKey&, const TileKey&) = default;
};

// A strip of a plan, on its way to who waits for it.
inline Piece promised(const FrameKey& key, const PlanHash& plan, StripId strip) {
  return {.key = key,
          .plan = prefix64(plan),
          .role = Piece::Role::promised,
          .tile = {},
          .attempt = 0,
          .index = strip.value};
}

}  // namespace shingle
