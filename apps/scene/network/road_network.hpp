// RoadNetwork: lanes that vehicles drive along, how they join, who gives way to whom, and what the
// roads look like from above.
//
//     ---- lane ----> .--- connector ---> ---- lane ---->
//                      \-- connector --.
//                                       v                     traffic keeps to the right
#pragma once

#include <string>

#include "apps/scene/network/lane_path.hpp"
#include "apps/scene/scene.hpp"

namespace shingle {

enum class PlaceKind { local, rural, highway, roundabout };
const char* name_of(PlaceKind kind);

enum class LaneTurn { straight, left, right };

struct RoadSegment {
  LanePath path;
  double limit = 13.9;  // metres per second
  std::vector<size_t> next{}, previous{};
  LaneTurn turn = LaneTurn::straight;  // of a connector
  bool is_connector = false;           // crosses a junction: entered when it is granted
  int rank = 0;                        // of a connector: the higher goes first
  // Connectors that meet this one: it is not entered while somebody is on one of them.
  std::vector<size_t> conflicts{};
  // A lane that this connector merges with: who comes along it goes first. Within `merge_zone`
  // metres of that lane's end its vehicles are in the way, even if theirs is longer.
  std::vector<size_t> gives_way_to{};
  double merge_zone = 0.0;
  // Other segments that begin where this one does, and how far along them a vehicle's rear must be
  // to be out of the way.
  struct Sibling {
    size_t id = 0;
    double parting = 0.0;
  };
  std::vector<Sibling> siblings{};
  // A ring's fork: next[0] stays in the ring, next[1] leaves it.
  bool is_ring_fork = false;
  double arrivals_per_second = 0.0;  // where the network begins; 0 elsewhere
};

// Where a line across a road counts. From begin to end; who comes from its left goes `forward`,
// into the junction or up the road.
struct GateLine {
  std::string name;
  cv::Point2d begin, end;
};

struct RoadDrawing {
  std::vector<Patch> verges{}, asphalt{}, islands{}, marks{};  // from below to above
};

struct RoadNetwork {
  PlaceKind kind = PlaceKind::local;
  std::vector<RoadSegment> segments{};
  std::vector<LanePath> axes{};    // middles of roads, for what stands beside them
  double half_width = 4.0;         // from an axis to the edge of what belongs to the road
  double parking_from_axis = 0.0;  // the middle of parked cars; 0: nobody parks
  RoadDrawing drawing{};
  std::vector<GateLine> gates{};
  double truck_share = 0.08;
  bool long_vehicles_turn = false;  // at junctions; else they stay on their road
};

struct NetworkOptions {
  PlaceKind kind = PlaceKind::local;
  double reach = 300.0;  // roads leave a square of twice this side, in metres
  uint64_t seed = 1;
};
RoadNetwork make_network(const NetworkOptions& options);

}  // namespace shingle
