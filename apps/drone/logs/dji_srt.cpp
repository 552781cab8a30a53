#include "apps/drone/logs/dji_srt.hpp"

#include <algorithm>

#include "apps/drone/logs/dji_entries.hpp"
#include "apps/drone/logs/log_text.hpp"
#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

struct Key {
  std::string_view name;
  Telemetry::Known Telemetry::*value;
};
constexpr Key keys[] = {
    {"latitude", &Telemetry::latitude},
    {"longitude", &Telemetry::longitude},
    {"longtitude", &Telemetry::longitude},
    {"rel_alt", &Telemetry::height},
    {"barometer", &Telemetry::height},
    {"h", &Telemetry::height},
    {"hb", &Telemetry::height},
    {"abs_alt", &Telemetry::altitude},
    {"altitude", &Telemetry::altitude},
    {"gb_yaw", &Telemetry::gimbal_yaw},
    {"gb_pitch", &Telemetry::gimbal_pitch},
    {"gb_roll", &Telemetry::gimbal_roll},
    {"gimbal_yaw", &Telemetry::gimbal_yaw},
    {"gimbal_pitch", &Telemetry::gimbal_pitch},
    {"gimbal_roll", &Telemetry::gimbal_roll},
    {"focal_len", &Telemetry::focal_35mm},
};

const DjiEntry* entry_named(const std::vector<DjiEntry>& entries, std::string_view key) {
  for (const DjiEntry& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

void set_position(const DjiEntry& entry, bool is_latitude_first, Telemetry::Known& latitude,
                  Telemetry::Known& longitude) {
  if (entry.values.size() < 2) return;
  latitude = entry.values[is_latitude_first ? 0 : 1];
  longitude = entry.values[is_latitude_first ? 1 : 0];
}

void set_angles(const DjiEntry& entry, Telemetry::Known& pitch, Telemetry::Known& roll,
                Telemetry::Known& yaw) {
  if (entry.values.size() != 3) return;
  pitch = entry.values[0];
  roll = entry.values[1];
  yaw = entry.values[2];
}

// Models that write f/2.8 as 280 have tenths of millimetres. A digital zoom, 1.0 or 10000 when it
// is off, narrows the view as a longer lens does.
void correct_focal_length(const std::vector<DjiEntry>& entries, Telemetry& sample) {
  const DjiEntry* focal = entry_named(entries, "focal_len");
  const DjiEntry* aperture = entry_named(entries, "fnum");
  if (focal == nullptr || !sample.focal_35mm) return;
  if (!focal->has_point && aperture != nullptr && aperture->values[0].value_or(0.0) >= 50.0)
    *sample.focal_35mm /= 10.0;
  if (const DjiEntry* zoom = entry_named(entries, "dzoom_ratio"); zoom && zoom->values[0]) {
    const double ratio = *zoom->values[0] >= 1000.0 ? *zoom->values[0] / 10000.0 : *zoom->values[0];
    if (ratio >= 1.0) *sample.focal_35mm *= ratio;
  }
  if (*sample.focal_35mm == 0.0) sample.focal_35mm.reset();  // of a camera without a lens' data
}

Telemetry sample_of(const SrtCue& cue) {
  const auto entries = dji_entries(cue.text);
  Telemetry sample{.line = cue.line, .seconds = cue.begin.value_or(0.0)};
  for (const DjiEntry& entry : entries)
    for (const Key& key : keys)
      if (entry.key == key.name) sample.*key.value = entry.values.front();
  const DjiEntry* gps = entry_named(entries, "gps");
  const bool has_altitude =
      gps != nullptr && gps->values.size() == 3 && (gps->last_unit == "M" || gps->last_unit == "m");
  if (gps != nullptr) set_position(*gps, has_altitude, sample.latitude, sample.longitude);
  if (has_altitude) sample.altitude = gps->values[2];
  if (const DjiEntry* home = entry_named(entries, "home"))
    set_position(*home, has_altitude, sample.home_latitude, sample.home_longitude);
  if (const DjiEntry* body = entry_named(entries, "f.pry"))
    set_angles(*body, sample.body_pitch, sample.body_roll, sample.body_yaw);
  if (const DjiEntry* gimbal = entry_named(entries, "g.pry"))
    set_angles(*gimbal, sample.gimbal_pitch, sample.gimbal_roll, sample.gimbal_yaw);
  correct_focal_length(entries, sample);
  return sample;
}

std::optional<double> date_in(std::string_view text) {
  for (; !text.empty(); text.remove_prefix(1))
    if (is_digit(text.front()))
      if (const auto date = take_date_time(text)) return date->seconds;
  return std::nullopt;
}

size_t quantities_of(const Telemetry& sample) {
  size_t count = 0;
  for (const TelemetryField& field : telemetry_fields()) count += (sample.*field.value).has_value();
  return count;
}

void drop_broken_end(Flight& flight) {
  auto& samples = flight.samples;
  if (samples.size() < 2) return;
  const Telemetry& last = samples.back();
  if (quantities_of(last) >= quantities_of(samples[samples.size() - 2])) return;
  flight.notes.push_back("the file breaks off in the cue of line " + std::to_string(last.line) +
                         "; that cue is left out");
  flight.end_seconds = last.seconds;
  samples.pop_back();
}

// Matrice 300 writes 0.0M whatever its altitude is.
void drop_zero_altitude(Flight& flight) {
  bool is_zero = true, has_altitude = false, has_height = false;
  for (const Telemetry& sample : flight.samples) {
    has_altitude |= sample.altitude.has_value();
    is_zero &= sample.altitude.value_or(0.0) == 0.0;
    has_height |= sample.height.value_or(0.0) != 0.0;
  }
  if (!has_altitude || !is_zero || !has_height) return;
  for (Telemetry& sample : flight.samples) sample.altitude.reset();
  flight.notes.push_back(
      "the altitude is 0 in all cues although the height changes; it is left out");
}

}  // namespace

Result<Flight> read_dji_srt(std::string_view text, const std::string& name,
                            const LogOptions& options) {
  const auto cues = srt_cues(text, name);
  if (!cues) return cues.failure();
  return read_dji_cues(*cues, name, options);
}

Result<Flight> read_dji_cues(const std::vector<SrtCue>& cues, const std::string& name,
                             const LogOptions& options) {
  Flight flight{.name = name, .format = LogFormat::dji_srt, .clock = LogClock::local};
  if (std::any_of(cues.begin(), cues.end(),
                  [](const SrtCue& cue) { return cue.begin.has_value(); }))
    flight.time = LogTime::video;
  size_t known = 0;
  for (const SrtCue& cue : cues) {
    Telemetry sample = sample_of(cue);
    sample.clock = date_in(cue.text);
    if (flight.time == LogTime::video ? !cue.begin : !sample.clock)
      return bad_input(in_quotes(name) + " line " + std::to_string(cue.line) +
                       " begins a cue without a time, unlike those before; repair or remove it");
    if (!sample.clock) flight.clock = LogClock::none;
    flight.end_seconds = std::max(flight.end_seconds, cue.end.value_or(0.0));
    known += quantities_of(sample);
    flight.samples.push_back(sample);
  }
  if (known == 0)
    return bad_input(in_quotes(name) +
                     " has subtitles without telemetry; use the SRT file that the drone wrote");
  drop_broken_end(flight);
  drop_zero_altitude(flight);
  return completed(std::move(flight), options.zone_hours);
}

}  // namespace shingle::drone
