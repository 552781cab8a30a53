// TrafficFlow: vehicles on a road network, step by step. Who arrives, where it turns and how fast
// it likes to drive comes from the seed. Each vehicle follows whatever is ahead on its way
// (driver_model.hpp), slows down before bends, asks before it enters a junction, and gives way
// where it merges. No two vehicles ever overlap.
//
//   s is the place of the front bumper on its segment; the body lies behind it, perhaps on the
//   segments before: its trail.
#pragma once

#include <optional>

#include "apps/scene/driver_model.hpp"
#include "apps/scene/network/road_network.hpp"

namespace shingle {

struct RoadUser {
  uint32_t id = 0;
  VehicleShape shape;
  double s = 0.0, speed = 0.0;
  double eagerness = 1.0;       // times the limit
  std::vector<size_t> trail{};  // segments under it, the front's first
  size_t next = 0;              // the segment after trail[0], if there is one
  int exits_to_pass = 0;        // of a ring
  bool is_granted = false;      // may enter `next`
  double waiting_since = -1.0;  // when it first asked; below 0: it has not
  // Who passes ahead of it where it merges: since it asked, and on the connector.
  std::vector<uint32_t> asked_ahead{}, passing_ahead{};
};

class TrafficFlow {
 public:
  // REQUIRES: `network` outlives the flow.
  TrafficFlow(const RoadNetwork& network, uint64_t seed);

  void step(double seconds);
  const std::vector<RoadUser>& users() const { return users_; }
  std::vector<Vehicle> vehicles() const;  // with poses, by id

 private:
  const RoadSegment& segment(size_t id) const { return network_.segments[id]; }
  void arrive(double seconds);
  double room_at_begin(size_t id) const;
  VehicleShape draw_shape_for(size_t id);
  void choose_next(RoadUser& user);
  void note_places();
  FollowedVehicle leader_of(const RoadUser& user) const;
  FollowedVehicle leader_on(size_t id, const RoadUser& user, double begin) const;
  FollowedVehicle merging_leader(const RoadUser& user, double to_end) const;
  FollowedVehicle passing_leader(const RoadUser& user, double to_end) const;
  double desired_speed(const RoadUser& user) const;
  void ask_and_grant();
  bool is_occupied(size_t connector, const RoadUser& by) const;
  bool has_gap(RoadUser& user) const;
  std::optional<double> way_to(const RoadUser& user, size_t segment_ahead) const;
  bool is_exit_free(const RoadUser& user) const;
  void advance(RoadUser& user, double speed, double seconds);

  const RoadNetwork& network_;
  SceneDice dice_;
  double seconds_ = 0.0;
  uint32_t next_id_ = 1;
  std::vector<RoadUser> users_{};
  std::vector<double> next_arrival_{};             // by segment
  std::vector<std::vector<size_t>> on_segment_{};  // indices of users whose trail has it
};

}  // namespace shingle
