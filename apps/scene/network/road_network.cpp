#include "apps/scene/network/road_network.hpp"

#include "apps/scene/network/neighbours.hpp"
#include "apps/scene/network/network_parts.hpp"

namespace shingle {

const char* name_of(PlaceKind kind) {
  switch (kind) {
    case PlaceKind::local:
      return "local";
    case PlaceKind::rural:
      return "rural";
    case PlaceKind::highway:
      return "highway";
    case PlaceKind::roundabout:
      return "roundabout";
  }
  return "";
}

namespace {

RoadNetwork laid_out(const NetworkOptions& options) {
  switch (options.kind) {
    case PlaceKind::local:
      return make_local(options);
    case PlaceKind::rural:
      return make_rural(options);
    case PlaceKind::highway:
      return make_highway(options);
    case PlaceKind::roundabout:
      return make_roundabout(options);
  }
  return {};
}

}  // namespace

RoadNetwork make_network(const NetworkOptions& options) {
  RoadNetwork network = laid_out(options);
  find_siblings(network);
  find_merge_zones(network);
  return network;
}

}  // namespace shingle
