#include "partition/plan/connection.hpp"

#include <algorithm>
#include <map>

namespace shingle {
namespace {

using Strips = std::vector<Connection::Strip>;

std::vector<uint32_t> readers_of(const std::vector<TileBox>& readers, NodeId home,
                                 const Region& box) {
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < readers.size(); ++i) {
    if (readers[i].home == home && !intersect(readers[i].region, box).empty()) found.push_back(i);
  }
  return found;
}

void add_strips(Strips& strips, uint32_t maker, NodeId home, const Region& box,
                const std::vector<TileBox>& readers, int64_t element_bytes) {
  for (const Region& part : strip_regions(box, element_bytes)) {
    strips.push_back({maker, home, part, readers_of(readers, home, part)});
  }
}

std::vector<Region> without(const Region& region, const std::vector<Region>& taken) {
  std::vector<Region> left{region};
  for (const Region& box : taken) {
    if (intersect(box, region).empty()) continue;
    std::vector<Region> rest;
    for (const Region& piece : left) {
      const std::vector<Region> parts = subtract(piece, box);
      rest.insert(rest.end(), parts.begin(), parts.end());
    }
    left = std::move(rest);
  }
  return left;
}

// The strips of one maker's box that the readers of each other home need, without overlaps. The
// largest boxes come first: they stay whole, and most of the small ones lie inside them.
void promise(Strips& strips, uint32_t maker, const TileBox& made,
             const std::vector<TileBox>& readers, int64_t element_bytes) {
  std::map<NodeId, std::vector<Region>> wanted;
  for (const TileBox& reader : readers) {
    if (reader.home == made.home) continue;
    const Region common = intersect(reader.region, made.region);
    if (!common.empty()) wanted[reader.home].push_back(common);
  }
  for (auto& [home, boxes] : wanted) {
    std::stable_sort(boxes.begin(), boxes.end(),
                     [](const Region& a, const Region& b) { return a.elements() > b.elements(); });
    for (const Region& box : disjoint_union(boxes)) {
      add_strips(strips, maker, home, box, readers, element_bytes);
    }
  }
}

}  // namespace

Connection connection(const std::vector<TileBox>& makers, const std::vector<TileBox>& readers,
                      int64_t element_bytes, bool to_owner) {
  Connection found;
  for (uint32_t maker = 0; maker < makers.size(); ++maker) {
    const TileBox& made = makers[maker];
    promise(found.strips, maker, made, readers, element_bytes);
    if (to_owner) {
      for (const Region& part : strip_regions(made.region, element_bytes)) {
        found.strips.push_back({maker, std::nullopt, part, {}});
      }
    }
    for (uint32_t reader : readers_of(readers, made.home, made.region)) {
      found.local.push_back({maker, reader});
    }
  }
  return found;
}

std::vector<Connection::Strip> frame_strips(const std::vector<TileBox>& readers,
                                            int64_t element_bytes) {
  Strips strips;
  std::map<NodeId, std::vector<Region>> brought;
  for (uint32_t reader = 0; reader < readers.size(); ++reader) {
    const auto& [home, window] = readers[reader];
    std::vector<Region>& before = brought[home];
    for (const Region& box : without(window, before)) {
      add_strips(strips, reader, home, box, readers, element_bytes);
    }
    before.push_back(window);
  }
  return strips;
}

}  // namespace shingle
