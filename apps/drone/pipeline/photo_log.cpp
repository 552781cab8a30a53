#include "apps/drone/pipeline/photo_log.hpp"

#include "apps/drone/logs/dji_xmp.hpp"
#include "apps/drone/logs/log_text.hpp"
#include "apps/vision/media/photo_facts.hpp"
#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

struct Photo {
  Telemetry sample{};
  bool has_zone = false;  // its clock is UTC
};

void fill(Telemetry::Known& value, const std::optional<double>& other) {
  if (!value) value = other;
}

// XMP counts more: EXIF's position is the same one, rounded, and its altitude the barometer's.
Result<Photo> photo_of(const PhotoFacts& facts, const std::string& path) {
  Photo photo;
  if (is_dji_xmp(facts.xmp)) {
    const auto flight = read_dji_xmp(facts.xmp, path);
    if (!flight) return flight.failure();
    photo = {flight->samples.front(), flight->clock == LogClock::utc};
  }
  Telemetry& sample = photo.sample;
  fill(sample.latitude, facts.latitude);
  fill(sample.longitude, facts.longitude);
  fill(sample.altitude, facts.altitude);
  fill(sample.focal_length, facts.focal_length);
  fill(sample.focal_35mm, facts.focal_35mm);
  std::string_view taken = facts.taken;
  if (!sample.clock)
    if (const auto time = take_date_time(taken)) sample.clock = time->seconds;
  return photo;
}

bool has_pose(const Telemetry& sample) {
  return sample.latitude || sample.height || sample.altitude || sample.gimbal_pitch;
}

}  // namespace

Result<Flight> read_photo_log(const std::string& name, const std::vector<std::string>& paths,
                              std::optional<double> per_second, const LogOptions& options) {
  Flight flight{.name = name,
                .format = LogFormat::photographs,
                .clock = LogClock::local,
                .time = per_second ? LogTime::video : LogTime::clock};
  size_t pictures = 0;
  for (const std::string& path : paths) {
    const auto facts = photo_facts(path);
    if (!facts && paths.size() == 1) return facts.failure();
    if (!facts) continue;
    auto photo = photo_of(*facts, path);
    if (!photo) return photo.failure();
    Telemetry& sample = photo->sample;
    sample.line = ++pictures;
    if (per_second) sample.seconds = static_cast<double>(pictures - 1) / *per_second;
    if (!has_pose(sample)) continue;
    if (!per_second && !sample.clock)
      return bad_input(in_quotes(path) + " does not say when it was taken; give --fps");
    if (!sample.clock) flight.clock = LogClock::none;
    if (photo->has_zone && flight.clock == LogClock::local) flight.clock = LogClock::utc;
    flight.samples.push_back(sample);
  }
  if (flight.samples.empty())
    return bad_input(in_quotes(name) + " has no photograph with a pose (of " +
                     std::to_string(pictures) + "); use pictures as the drone wrote them");
  if (flight.samples.size() < pictures)
    flight.notes.push_back("photographs without a pose, left out: " +
                           std::to_string(pictures - flight.samples.size()));
  if (per_second) flight.end_seconds = static_cast<double>(pictures) / *per_second;
  return completed(std::move(flight), options.zone_hours);
}

}  // namespace shingle::drone
