#include "apps/drone/logs/flight_summary.hpp"

#include <algorithm>
#include <cstdio>

#include "apps/drone/logs/log_text.hpp"
#include "apps/drone/logs/signal.hpp"

namespace shingle::drone {
namespace {

std::vector<FieldRange> ranges_of(const Flight& flight) {
  std::vector<FieldRange> ranges;
  for (const TelemetryField& field : telemetry_fields()) {
    FieldRange range{.field = &field};
    for (const Telemetry& sample : flight.samples) {
      const auto& value = sample.*field.value;
      if (!value) continue;
      range.least = range.samples == 0 ? *value : std::min(range.least, *value);
      range.most = range.samples == 0 ? *value : std::max(range.most, *value);
      ++range.samples;
    }
    if (range.samples > 0) ranges.push_back(range);
  }
  return ranges;
}

std::vector<std::string> missing_in(const Flight& flight, const std::vector<FieldRange>& known) {
  const auto knows = [&](std::string_view name) {
    return std::any_of(known.begin(), known.end(),
                       [&](const FieldRange& range) { return range.field->name == name; });
  };
  std::vector<std::string> missing;
  if (!knows("latitude") || !knows("longitude"))
    missing.push_back("without a position: places are known in local metres only");
  if (!knows("height"))
    missing.push_back(knows("altitude")
                          ? "without a height above take-off: the altitude counts, and the "
                            "ground's height above sea level has to be given"
                          : "without any height: the scale on the ground is not known");
  const bool has_pitch = knows("gimbal_pitch") || (knows("relative_pitch") && knows("body_pitch"));
  const bool has_yaw = knows("gimbal_yaw") || knows("body_yaw");
  if (!has_pitch)
    missing.push_back("without gimbal angles: give --gimbal-pitch, else nadir is assumed");
  if (!has_yaw) missing.push_back("without a yaw: north in the picture is not known");
  if (!knows("horizontal_view") && !knows("focal_35mm"))
    missing.push_back("without a field of view or a 35 mm equivalent: give the camera's");
  if (flight.clock == LogClock::none) missing.push_back("without a clock: no UTC");
  if (flight.clock == LogClock::local)
    missing.push_back("without UTC: the clock is local; --zone HOURS says how far it is ahead");
  if (flight.time != LogTime::video)
    missing.push_back("without the video's time: the offset to the video has to be found");
  return missing;
}

std::string number_text(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

}  // namespace

FlightSummary summary_of(const Flight& flight) {
  Signal times;
  for (const Telemetry& sample : flight.samples) times.push_back({sample.seconds, 0.0});
  FlightSummary summary{.median_step_seconds = median_step(times), .known = ranges_of(flight)};
  summary.missing = missing_in(flight, summary.known);
  return summary;
}

std::string csv_of(const Flight& flight) {
  const auto known = ranges_of(flight);
  std::string text = flight.time == LogTime::video ? "video_time" : "time";
  if (flight.clock != LogClock::none)
    text += flight.clock == LogClock::utc ? ",utc" : ",local_time";
  for (const FieldRange& range : known) (text += ",") += range.field->name;
  for (const Telemetry& sample : flight.samples) {
    (text += "\n") += number_text(sample.seconds, 6);
    if (flight.clock != LogClock::none)
      (text += ",") += sample.clock ? date_time_text(*sample.clock, 6) : "";
    for (const FieldRange& range : known) {
      const auto& value = sample.*range.field->value;
      (text += ",") += value ? number_text(*value, range.field->decimals) : "";
    }
  }
  return text + "\n";
}

}  // namespace shingle::drone
