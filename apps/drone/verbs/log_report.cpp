#include "apps/drone/verbs/log_report.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "apps/drone/logs/log_text.hpp"
#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

using Json = nlohmann::ordered_json;

std::string_view name_of(LogTime time) {
  switch (time) {
    case LogTime::clock:
      return "since the first sample";
    case LogTime::own:
      return "of the log";
    case LogTime::video:
      return "of the video";
  }
  return "";
}

std::string_view key_of(LogTime time) {
  switch (time) {
    case LogTime::clock:
      return "clock";
    case LogTime::own:
      return "log";
    case LogTime::video:
      return "video";
  }
  return "";
}

struct ClockRange {
  std::string first, last;
};

std::optional<ClockRange> clock_range(const Flight& flight) {
  if (flight.clock == LogClock::none) return std::nullopt;
  return ClockRange{date_time_text(flight.samples.front().clock.value_or(0.0)),
                    date_time_text(flight.samples.back().clock.value_or(0.0))};
}

std::string line_of(const char* what, const std::string& value) {
  char text[16];
  std::snprintf(text, sizeof text, "%-10s", what);
  return text + value + "\n";
}

std::string number_text(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string range_line(const FieldRange& range, size_t samples) {
  const auto name = std::string(range.field->name);
  const auto unit = std::string(range.field->unit);
  char text[200];
  std::snprintf(text, sizeof text, "  %-18s %16.*f %16.*f  %-4s", name.c_str(),
                range.field->decimals, range.least, range.field->decimals, range.most,
                unit.c_str());
  std::string line = text;
  if (range.samples < samples) line += " in " + std::to_string(range.samples) + " samples";
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string moment_text(const Flight& flight, const Telemetry& moment) {
  std::string text = "at " + number_text(moment.seconds, 3) + " s\n";
  if (moment.clock)
    text += std::string("  clock                    ") + date_time_text(*moment.clock) +
            (flight.clock == LogClock::utc ? " UTC\n" : " local time\n");
  for (const TelemetryField& field : telemetry_fields()) {
    const auto& value = moment.*field.value;
    if (!value) continue;
    char line[100];
    std::snprintf(line, sizeof line, "  %-18s %16.*f  %s\n", std::string(field.name).c_str(),
                  field.decimals, *value, std::string(field.unit).c_str());
    text += line;
  }
  return text;
}

Json moment_json(const Telemetry& moment) {
  Json json{{"seconds", moment.seconds}};
  if (moment.clock) json["clock"] = *moment.clock;
  for (const TelemetryField& field : telemetry_fields())
    if (const auto& value = moment.*field.value) json[std::string(field.name)] = *value;
  return json;
}

}  // namespace

std::string log_text(const Flight& flight, const FlightSummary& summary,
                     const std::optional<Telemetry>& moment,
                     const std::optional<FoundOffset>& offset) {
  const size_t count = flight.samples.size();
  std::string text = line_of("file", readable(flight.name)) +
                     line_of("format", std::string(name_of(flight.format)));
  std::string samples = std::to_string(count);
  if (count > 1) samples += ", one each " + number_text(summary.median_step_seconds, 3) + " s";
  text += line_of("samples", samples);
  const double first = flight.samples.front().seconds;
  text += line_of("time", number_text(first, 3) + " to " + number_text(flight.end_seconds, 3) +
                              " s " + std::string(name_of(flight.time)) + ", " +
                              number_text(flight.end_seconds - first, 3) + " s long");
  if (const auto clock = clock_range(flight))
    text += line_of("clock", clock->first + " to " + clock->last +
                                 (flight.clock == LogClock::utc ? " UTC" : " local time"));
  text += line_of("known", "                      least             most");
  for (const FieldRange& range : summary.known) text += range_line(range, count);
  for (const std::string& each : summary.missing) text += line_of("missing", each);
  for (const std::string& each : flight.notes) text += line_of("note", each);
  if (offset)
    text += line_of("offset", number_text(offset->seconds, 3) + " s +- " +
                                  number_text(offset->half_width, 3) +
                                  " s: seconds of the log = seconds of the video + offset "
                                  "(likeness " +
                                  number_text(offset->correlation, 2) + ")");
  if (moment) text += moment_text(flight, *moment);
  return text;
}

std::string log_json(const Flight& flight, const FlightSummary& summary,
                     const std::optional<Telemetry>& moment,
                     const std::optional<FoundOffset>& offset) {
  Json json{{"file", flight.name},
            {"format", key_of(flight.format)},
            {"samples", flight.samples.size()},
            {"median_step_seconds", summary.median_step_seconds},
            {"first_seconds", flight.samples.front().seconds},
            {"end_seconds", flight.end_seconds},
            {"seconds_of", key_of(flight.time)}};
  if (const auto clock = clock_range(flight))
    json["clock"] = {
        {"first", clock->first}, {"last", clock->last}, {"is_utc", flight.clock == LogClock::utc}};
  json["known"] = Json::object();
  for (const FieldRange& range : summary.known)
    json["known"][std::string(range.field->name)] = {{"least", range.least},
                                                     {"most", range.most},
                                                     {"unit", range.field->unit},
                                                     {"samples", range.samples}};
  json["missing"] = summary.missing;
  json["notes"] = flight.notes;
  if (offset)
    json["offset"] = {{"seconds", offset->seconds},
                      {"half_width", offset->half_width},
                      {"correlation", offset->correlation},
                      {"rival", offset->rival}};
  if (moment) json["at"] = moment_json(*moment);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace shingle::drone
