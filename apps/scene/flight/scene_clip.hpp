// SceneClip: what a clip of a flight shows, and its names: local-50, highway-100-4k,
// local-100-45deg, rural-150-720p-60deg-dusk-haze.
#pragma once

#include "apps/scene/flight/scene_flight.hpp"
#include "apps/scene/network/traffic_flow.hpp"
#include "apps/scene/world/scene_world.hpp"

namespace shingle {

struct SceneClip {
  PlaceKind kind = PlaceKind::local;
  Daylight daylight = Daylight::day;
  double haze = 0.0;  // share of haze in what is 100 m away
  FlightOptions flight{};
};

// PLACE-ALTITUDE, then in any order: 720p, 1080p or 4k; NNdeg, the pitch below the horizon; day,
// dusk or night; haze; hover, straight or turning. The yaw is drawn from the seed. Errors name the
// part that is none.
Result<SceneClip> clip_named(const std::string& name, uint64_t seed);

// A place, light, altitude, pitch and yaw that the seed chooses, for training: a part of a picture
// 1920 pixels wide.
SceneClip drawn_clip(uint64_t seed, cv::Size size);

// World, traffic and camera of a clip, frame by frame. Its traffic has come to its usual density.
// REQUIRES: check(clip.flight).
class ClipScene {
 public:
  explicit ClipScene(const SceneClip& clip);
  ClipScene(const ClipScene&) = delete;  // the traffic drives on this one's roads

  const SceneFlight& flight() const { return flight_; }
  const SceneWorld& world() const { return world_; }
  uint32_t frame() const { return frame_; }
  double seconds() const { return frame_ / flight_.options().frames_per_second; }
  std::vector<Vehicle> vehicles() const;  // moving ones first, then parked ones
  void advance();                         // by one frame

 private:
  SceneFlight flight_;
  SceneWorld world_;
  TrafficFlow flow_;
  uint32_t frame_ = 0;
};

}  // namespace shingle
