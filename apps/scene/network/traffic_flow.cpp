#include "apps/scene/network/traffic_flow.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace shingle {
namespace {

constexpr double sight = 160.0;             // metres that a driver looks ahead and along a lane
constexpr double soft_braking = 1.5;        // m/s^2, before bends
constexpr double hardest_braking = 7.0;     // m/s^2
constexpr double arrival_braking = 2.0;     // m/s^2
constexpr double asking_braking = 2.5;      // m/s^2: asks before it would brake so hard
constexpr double bonus_of_rank = 4.0;       // seconds that each rank counts as waited
constexpr double stop_line_gap = 0.3;       // metres; added to the standstill gap
constexpr double longest_that_turns = 7.5;  // metres; longer ones stay on their road

// Where the front of `user` is, counted from the begin of the part of its trail with this index.
double front_from(const RoadNetwork& network, const RoadUser& user, size_t part) {
  double front = user.s;
  for (size_t i = 1; i <= part; ++i) front += length_of(network.segments[user.trail[i]].path);
  return front;
}

// The same, from the begin of a segment of its trail.
double front_on(const RoadNetwork& network, const RoadUser& user, size_t id) {
  const auto part = std::find(user.trail.begin(), user.trail.end(), id) - user.trail.begin();
  return front_from(network, user, static_cast<size_t>(part));
}

Pose pose_behind_front(const RoadNetwork& network, const RoadUser& user, double behind) {
  double s = user.s - behind;
  size_t part = 0;
  while (s < 0.0 && part + 1 < user.trail.size())
    s += length_of(network.segments[user.trail[++part]].path);
  const LanePath& path = network.segments[user.trail[part]].path;
  Pose pose = pose_on(path, std::max(0.0, s));
  if (s < 0.0) pose.at += forward(pose.heading) * s;
  return pose;
}

void keep_nearer(FollowedVehicle& leader, const FollowedVehicle& other) {
  if (other.gap < leader.gap) leader = other;
}

}  // namespace

TrafficFlow::TrafficFlow(const RoadNetwork& network, uint64_t seed)
    : network_(network), dice_(sim::mix(seed, 211)) {
  for (const RoadSegment& each : network.segments)
    next_arrival_.push_back(
        each.arrivals_per_second > 0 ? dice_.within(0.0, 1.0 / each.arrivals_per_second) : 0.0);
  on_segment_.resize(network.segments.size());
}

void TrafficFlow::step(double seconds) {
  arrive(seconds);
  note_places();
  ask_and_grant();
  std::vector<double> speeds;
  for (const RoadUser& user : users_) {
    const double change = chosen_acceleration(user.speed, desired_speed(user), leader_of(user));
    speeds.push_back(std::max(0.0, user.speed + std::max(change, -hardest_braking) * seconds));
  }
  for (size_t i = 0; i < users_.size(); ++i) advance(users_[i], speeds[i], seconds);
  std::erase_if(users_, [&](const RoadUser& user) {
    const RoadSegment& on = segment(user.trail[0]);
    return on.next.empty() && user.s >= length_of(on.path);
  });
  seconds_ += seconds;
}

double TrafficFlow::room_at_begin(size_t id) const {
  double room = 1e9;
  for (const RoadUser& user : users_)
    for (size_t part = 0; part < user.trail.size(); ++part)
      if (user.trail[part] == id)
        room = std::min(room, front_from(network_, user, part) - user.shape.length);
  return room;
}

// Long vehicles do not come by roads that lead into turns alone.
VehicleShape TrafficFlow::draw_shape_for(size_t id) {
  const std::vector<size_t>& next = segment(id).next;
  const bool only_turns = !network_.long_vehicles_turn && !next.empty() &&
                          std::none_of(next.begin(), next.end(), [&](size_t each) {
                            return segment(each).turn == LaneTurn::straight;
                          });
  VehicleShape shape;
  do {
    shape = draw_vehicle_shape(dice_, network_.truck_share);
  } while (only_turns && shape.length > longest_that_turns);
  return shape;
}

void TrafficFlow::arrive(double seconds) {
  for (size_t id = 0; id < network_.segments.size(); ++id) {
    const double rate = segment(id).arrivals_per_second;
    if (rate <= 0 || seconds_ + seconds < next_arrival_[id]) continue;
    RoadUser user{.shape = draw_shape_for(id)};
    const double room = room_at_begin(id) - user.shape.length;
    if (room < 6.0) continue;  // the next step tries again
    next_arrival_[id] = seconds_ - std::log(1.0 - dice_.within(0.0, 0.999)) / rate;
    user.id = next_id_++;
    user.s = user.shape.length;
    const bool is_heavy = user.shape.vehicle_class == VehicleClass::truck ||
                          user.shape.vehicle_class == VehicleClass::bus;
    user.eagerness = is_heavy ? dice_.within(0.75, 0.9) : dice_.within(0.88, 1.12);
    // No faster than it can stop behind what stands there.
    user.speed = std::min(0.8 * user.eagerness * segment(id).limit,
                          std::sqrt(2 * arrival_braking * (room - 4.0)));
    if (is_heavy && segment(id).limit > 25.0) user.eagerness *= 0.85;
    user.exits_to_pass = dice_.between(0, 2);
    user.trail = {id};
    choose_next(user);
    users_.push_back(std::move(user));
  }
}

void TrafficFlow::choose_next(RoadUser& user) {
  const RoadSegment& on = segment(user.trail[0]);
  user.is_granted = false, user.waiting_since = -1.0;
  user.passing_ahead = std::exchange(user.asked_ahead, {});
  if (on.next.empty()) return;
  if (on.is_ring_fork) {
    user.next = on.next[user.exits_to_pass-- > 0 ? 0 : 1];
    return;
  }
  double sum = 0.0;
  const auto weight = [&](size_t id) {
    if (segment(id).turn == LaneTurn::straight) return segment(id).limit < 16.0 ? 0.6 : 2.0;
    return user.shape.length > longest_that_turns ? 1e-6 : 0.22;
  };
  for (const size_t id : on.next) sum += weight(id);
  double drawn = dice_.within(0.0, sum);
  user.next = on.next.back();
  for (const size_t id : on.next) {
    drawn -= weight(id);
    if (drawn < 0.0) {
      user.next = id;
      return;
    }
  }
}

void TrafficFlow::note_places() {
  for (std::vector<size_t>& each : on_segment_) each.clear();
  for (size_t i = 0; i < users_.size(); ++i)
    for (const size_t id : users_[i].trail) on_segment_[id].push_back(i);
}

FollowedVehicle TrafficFlow::leader_of(const RoadUser& user) const {
  FollowedVehicle leader;
  size_t id = user.trail[0], ahead = user.next;
  double begin = -user.s;  // of the segment, from the front of `user`
  bool is_first = true, knows_way = !segment(id).next.empty();
  while (begin < sight) {
    keep_nearer(leader, leader_on(id, user, begin));
    const double end = begin + length_of(segment(id).path);
    if (is_first) keep_nearer(leader, merging_leader(user, end));
    if (is_first) keep_nearer(leader, passing_leader(user, end));
    if (!knows_way) break;
    if (is_first && segment(ahead).is_connector && !user.is_granted)
      keep_nearer(leader, {.gap = std::max(0.0, end - stop_line_gap) + 1e-3, .speed = 0.0});
    begin = end, id = ahead, is_first = false;
    // Beyond the next segment the way is known where there is one only.
    knows_way = segment(id).next.size() == 1;
    if (knows_way) ahead = segment(id).next[0];
  }
  return leader;
}

// Bodies on a segment of the way, which begins `begin` metres before the front of `user`, and those
// beside it, behind the fork where it begins.
FollowedVehicle TrafficFlow::leader_on(size_t id, const RoadUser& user, double begin) const {
  FollowedVehicle leader;
  const bool is_own = id == user.trail[0];
  for (const size_t i : on_segment_[id]) {
    const RoadUser& other = users_[i];
    if (&other == &user) continue;
    const double front = begin + front_on(network_, other, id);
    if (is_own && front <= 0.0) continue;  // behind
    keep_nearer(leader, {.gap = front - other.shape.length, .speed = other.speed});
  }
  for (const RoadSegment::Sibling& sibling : segment(id).siblings)
    for (const size_t i : on_segment_[sibling.id]) {
      const RoadUser& other = users_[i];
      const double front = front_on(network_, other, sibling.id);
      const double rear = front - other.shape.length;
      // Of two side by side the one that is farther goes first.
      const bool is_ahead = !is_own || front > user.s || (front == user.s && other.id < user.id);
      if (&other != &user && is_ahead && rear < sibling.parting)
        keep_nearer(leader, {.gap = begin + rear, .speed = other.speed});
    }
  return leader;
}

// Somebody who has been let in before us where both come together. REQUIRES: `to_end` metres to the
// end of our segment.
FollowedVehicle TrafficFlow::merging_leader(const RoadUser& user, double to_end) const {
  FollowedVehicle leader;
  if (segment(user.trail[0]).next.empty()) return leader;
  for (const size_t id : segment(user.next).previous) {
    const RoadSegment& connector = segment(id);
    if (id == user.trail[0] || !connector.is_connector || connector.gives_way_to.empty()) continue;
    for (const RoadUser& other : users_) {
      const bool is_on = other.trail[0] == id;
      if (!is_on && !(other.is_granted && other.next == id)) continue;
      const std::vector<uint32_t>& ahead = is_on ? other.passing_ahead : other.asked_ahead;
      if (std::find(ahead.begin(), ahead.end(), user.id) != ahead.end()) continue;
      double others_way = length_of(segment(other.trail[0]).path) - other.s;
      if (!is_on) others_way += length_of(connector.path);
      const double rear = std::max(others_way + other.shape.length, connector.merge_zone);
      keep_nearer(leader, {.gap = to_end - rear, .speed = other.speed});
    }
  }
  return leader;
}

// On a connector that merges: those that were to pass ahead and are not yet through.
FollowedVehicle TrafficFlow::passing_leader(const RoadUser& user, double to_end) const {
  FollowedVehicle leader;
  if (user.passing_ahead.empty() || segment(user.trail[0]).gives_way_to.empty()) return leader;
  for (const RoadUser& other : users_) {
    if (std::find(user.passing_ahead.begin(), user.passing_ahead.end(), other.id) ==
        user.passing_ahead.end())
      continue;
    if (const auto others_way = way_to(other, user.next))
      keep_nearer(leader, {.gap = to_end - *others_way - other.shape.length, .speed = other.speed});
  }
  return leader;
}

// Metres from its front to a segment at most three ahead; none: its way does not lead there, or is
// not chosen yet.
std::optional<double> TrafficFlow::way_to(const RoadUser& user, size_t segment_ahead) const {
  if (segment(user.trail[0]).next.empty()) return std::nullopt;
  double way = length_of(segment(user.trail[0]).path) - user.s;
  size_t next = user.next;
  for (int i = 0; i < 3; ++i) {
    if (next == segment_ahead) return way;
    if (segment(next).next.size() != 1) return std::nullopt;
    way += length_of(segment(next).path);
    next = segment(next).next[0];
  }
  return std::nullopt;
}

double TrafficFlow::desired_speed(const RoadUser& user) const {
  const RoadSegment& on = segment(user.trail[0]);
  double desired = on.limit * user.eagerness;
  // The whole body keeps to a bend's limit.
  for (const size_t id : user.trail)
    desired = std::min(desired, segment(id).limit * std::min(1.15, user.eagerness));
  if (on.next.empty()) return desired;
  const double to_end = length_of(on.path) - user.s;
  const double limit = segment(user.next).limit * std::min(1.05, user.eagerness);
  return std::min(desired, std::sqrt(limit * limit + 2 * soft_braking * std::max(0.0, to_end)));
}

// In the order in which they came; a rank counts as some seconds. Who must wait keeps later ones of
// its conflicts out, so that its turn comes.
void TrafficFlow::ask_and_grant() {
  std::vector<RoadUser*> asking;
  for (RoadUser& user : users_) {
    const RoadSegment& on = segment(user.trail[0]);
    if (on.next.empty() || user.is_granted || !segment(user.next).is_connector) continue;
    const double to_end = length_of(on.path) - user.s;
    if (to_end > user.speed * user.speed / (2 * asking_braking) + 5.0) continue;
    if (user.waiting_since < 0) user.waiting_since = seconds_;
    asking.push_back(&user);
  }
  const auto turn = [&](const RoadUser* user) {
    return user->waiting_since - bonus_of_rank * segment(user->next).rank;
  };
  std::sort(asking.begin(), asking.end(), [&](const RoadUser* a, const RoadUser* b) {
    return turn(a) != turn(b) ? turn(a) < turn(b) : a->id < b->id;
  });
  std::vector<size_t> kept_free;
  for (RoadUser* user : asking) {
    const size_t id = user->next;
    const bool others_turn = std::find(kept_free.begin(), kept_free.end(), id) != kept_free.end();
    if (!others_turn && !is_occupied(id, *user) && has_gap(*user) && is_exit_free(*user)) {
      user->is_granted = true;
    } else if (is_exit_free(*user)) {
      kept_free.insert(kept_free.end(), segment(id).conflicts.begin(), segment(id).conflicts.end());
    }
  }
}

bool TrafficFlow::is_occupied(size_t connector, const RoadUser& by) const {
  for (const size_t id : segment(connector).conflicts) {
    if (!on_segment_[id].empty()) return true;
    for (const RoadUser& other : users_)
      if (&other != &by && other.is_granted && other.next == id) return true;
  }
  return false;
}

// Whether nobody who goes first would have to brake hard for `user`. Notes who passes ahead of it.
bool TrafficFlow::has_gap(RoadUser& user) const {
  const RoadSegment& connector = segment(user.next);
  const double way = length_of(segment(user.trail[0]).path) - user.s + length_of(connector.path);
  const double own = std::max({4.0, user.speed, 0.6 * std::min(connector.limit, 12.0)});
  const double arrival = way / own;
  const auto is_in_the_way = [&](const RoadUser& other, double distance) {
    const bool passes_ahead = other.speed > 5.0 && distance + other.shape.length + 6.0 <
                                                       0.85 * other.speed * (arrival - 1.5);
    const double faster = std::max(0.0, other.speed - own);
    if (passes_ahead) user.asked_ahead.push_back(other.id);
    return !passes_ahead && distance < 9.0 + other.speed * (arrival + 1.2) + faster * faster / 4.0;
  };
  user.asked_ahead.clear();
  struct Lane {
    size_t id, onto;  // who has chosen another way than `onto` does not come
    double behind;    // from its end to the merge
  };
  std::vector<Lane> lanes;
  for (const size_t id : connector.gives_way_to) lanes.push_back({id, connector.next[0], 0.0});
  while (!lanes.empty()) {
    const Lane lane = lanes.back();
    lanes.pop_back();
    const RoadSegment& on = segment(lane.id);
    for (const size_t i : on_segment_[lane.id]) {
      const RoadUser& other = users_[i];
      if (other.trail[0] == lane.id && other.next == lane.onto &&
          is_in_the_way(other, lane.behind + length_of(on.path) - other.s))
        return false;
    }
    const double behind = lane.behind + length_of(on.path);
    if (on.next.size() != 1 || behind > 3 * sight) continue;
    for (const size_t before : on.previous) lanes.push_back({before, lane.id, behind});
  }
  return true;
}

// Whether there is room behind the junction, so that nobody stands on it.
bool TrafficFlow::is_exit_free(const RoadUser& user) const {
  const RoadSegment& connector = segment(user.next);
  assert(!connector.next.empty());
  const size_t exit = connector.next[0];
  double claimed = user.shape.length + standstill_gap + 1.0;
  for (const RoadUser& other : users_)
    if (&other != &user && other.next == exit &&
        std::find(other.trail.begin(), other.trail.end(), user.next) != other.trail.end())
      claimed += other.shape.length + standstill_gap;
  for (const size_t i : on_segment_[exit]) {
    const RoadUser& other = users_[i];
    if (other.speed < 3.0 && front_on(network_, other, exit) - other.shape.length < claimed)
      return false;
  }
  return true;
}

void TrafficFlow::advance(RoadUser& user, double speed, double seconds) {
  user.s += (user.speed + speed) / 2 * seconds;
  user.speed = speed;
  while (!segment(user.trail[0]).next.empty() && user.s >= length_of(segment(user.trail[0]).path)) {
    user.s -= length_of(segment(user.trail[0]).path);
    user.trail.insert(user.trail.begin(), user.next);
    choose_next(user);
  }
  while (user.trail.size() > 1 &&
         front_from(network_, user, user.trail.size() - 1) - user.shape.length >=
             length_of(segment(user.trail.back()).path))
    user.trail.pop_back();
}

std::vector<Vehicle> TrafficFlow::vehicles() const {
  std::vector<Vehicle> all;
  for (const RoadUser& user : users_) {
    const double half = user.shape.length / 2;
    Vehicle vehicle;
    vehicle.id = user.id, vehicle.shape = user.shape;
    vehicle.pose.at = pose_behind_front(network_, user, half).at;
    // A body lies along the chord between its axles.
    const cv::Point2d front = pose_behind_front(network_, user, 0.4 * half).at;
    const cv::Point2d rear = pose_behind_front(network_, user, 1.6 * half).at;
    vehicle.pose.heading = std::atan2(front.y - rear.y, front.x - rear.x);
    vehicle.speed = user.speed;
    all.push_back(std::move(vehicle));
  }
  std::sort(all.begin(), all.end(), [](const Vehicle& a, const Vehicle& b) { return a.id < b.id; });
  return all;
}

}  // namespace shingle
