#include "apps/scene/flight/scene_clip.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "partition/base/text.hpp"

namespace shingle {
namespace {

constexpr double warm_up_seconds = 110.0;
constexpr double room_around = 40.0;  // metres beyond what the camera sees
constexpr double usual_haze = 0.3;

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts{""};
  for (const char letter : name) {
    if (letter == '-')
      parts.emplace_back();
    else
      parts.back() += letter;
  }
  return parts;
}

std::optional<double> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class Kind>
std::optional<Kind> kind_named(const std::string& name, std::initializer_list<Kind> kinds) {
  for (const Kind kind : kinds)
    if (name == name_of(kind)) return kind;
  return std::nullopt;
}

bool set_part(const std::string& part, SceneClip& clip) {
  if (part == "720p") {
    clip.flight.size = {1280, 720};
  } else if (part == "1080p") {
    clip.flight.size = {1920, 1080};
  } else if (part == "4k") {
    clip.flight.size = {3840, 2160};
  } else if (part == "haze") {
    clip.haze = usual_haze;
  } else if (const auto daylight =
                 kind_named(part, {Daylight::day, Daylight::dusk, Daylight::night})) {
    clip.daylight = *daylight;
  } else if (const auto path =
                 kind_named(part, {FlownPath::hover, FlownPath::straight, FlownPath::turning})) {
    clip.flight.path = *path;
  } else if (part.size() > 3 && part.ends_with("deg")) {
    const auto pitch = whole_number(std::string_view(part).substr(0, part.size() - 3));
    if (!pitch || *pitch < 1 || *pitch > 90) return false;
    clip.flight.pitch_degrees = *pitch;
  } else {
    return false;
  }
  return true;
}

WorldOptions world_of(const SceneClip& clip, double reach) {
  return {.kind = clip.kind,
          .daylight = clip.daylight,
          .haze = clip.haze,
          .reach = reach + room_around,
          .seed = clip.flight.seed};
}

}  // namespace

Result<SceneClip> clip_named(const std::string& name, uint64_t seed) {
  const std::vector<std::string> parts = parts_of(name);
  const auto kind = kind_named(
      parts[0], {PlaceKind::local, PlaceKind::rural, PlaceKind::highway, PlaceKind::roundabout});
  if (!kind)
    return usage_error("there is no place " + in_quotes(parts[0]) +
                       "; a scene begins with local, rural, highway or roundabout");
  const auto altitude = parts.size() > 1 ? whole_number(parts[1]) : std::nullopt;
  if (!altitude || *altitude < 20 || *altitude > 500)
    return usage_error("scene " + in_quotes(name) +
                       " has no altitude from 20 to 500 m behind its place, as in local-100");
  SceneClip clip{.kind = *kind};
  clip.flight.altitude = *altitude, clip.flight.seed = seed;
  SceneDice dice(sim::mix(seed, 501));
  clip.flight.yaw_degrees = std::round(dice.within(-180, 180));
  for (size_t i = 2; i < parts.size(); ++i)
    if (!set_part(parts[i], clip))
      return usage_error("scene " + in_quotes(name) + " has " + in_quotes(parts[i]) +
                         ", which is none of 720p, 1080p, 4k, 30deg to 90deg, day, dusk, night, "
                         "haze, hover, straight, turning");
  return clip;
}

SceneClip drawn_clip(uint64_t seed, cv::Size size) {
  SceneDice dice(sim::mix(seed, 502));
  const std::vector<PlaceKind> kinds{PlaceKind::local, PlaceKind::rural, PlaceKind::highway,
                                     PlaceKind::roundabout};
  SceneClip clip{.kind = dice.pick(kinds)};
  const double light = dice.within(0, 1);
  clip.daylight = light < 0.62 ? Daylight::day : light < 0.82 ? Daylight::dusk : Daylight::night;
  clip.haze = dice.chance(0.3) ? dice.within(0.05, 0.45) : 0.0;
  FlightOptions& flight = clip.flight;
  flight.size = size, flight.whole = {1920, 1080}, flight.seed = seed, flight.frames = 1;
  flight.corner = {dice.between(0, std::max(0, flight.whole.width - size.width)),
                   dice.between(0, std::max(0, flight.whole.height - size.height))};
  flight.altitude = 45.0 * std::pow(160.0 / 45.0, dice.within(0, 1));
  flight.pitch_degrees = dice.chance(0.4) ? 90.0 : dice.within(32, 90);
  flight.yaw_degrees = dice.within(-180, 180);
  return clip;
}

ClipScene::ClipScene(const SceneClip& clip)
    : flight_(clip.flight),
      world_(make_world(world_of(clip, flight_.reach()))),
      flow_(world_.network, clip.flight.seed) {
  constexpr double step = 0.1;
  for (double seconds = 0.0; seconds < warm_up_seconds; seconds += step) flow_.step(step);
}

std::vector<Vehicle> ClipScene::vehicles() const {
  std::vector<Vehicle> all = flow_.vehicles();
  all.insert(all.end(), world_.parked.begin(), world_.parked.end());
  return all;
}

void ClipScene::advance() {
  flow_.step(1.0 / flight_.options().frames_per_second);
  ++frame_;
}

}  // namespace shingle
