#include "apps/drone/logs/flight.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>

#include "apps/drone/logs/csv_log.hpp"
#include "apps/drone/logs/dji_srt.hpp"
#include "apps/drone/logs/dji_xmp.hpp"
#include "apps/drone/logs/misb0601.hpp"
#include "apps/drone/logs/srt_cues.hpp"
#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

std::string short_number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

std::string place_of(const Flight& flight, const Telemetry& sample) {
  if (sample.line == 0) return in_quotes(flight.name);
  const char* const place = flight.format == LogFormat::misb_klv      ? " packet "
                            : flight.format == LogFormat::photographs ? " picture "
                                                                      : " line ";
  return in_quotes(flight.name) + place + std::to_string(sample.line);
}

Status check_ranges(const Flight& flight) {
  for (const Telemetry& sample : flight.samples)
    for (const TelemetryField& field : telemetry_fields()) {
      const auto& value = sample.*field.value;
      if (value && (*value < field.least || *value > field.most))
        return bad_input(place_of(flight, sample) + " has the " + std::string(field.name) + " " +
                         short_number(*value) + " " + std::string(field.unit) +
                         ", which is impossible; it is from " + short_number(field.least) + " to " +
                         short_number(field.most) + ": check the file, or the column's unit");
    }
  return success();
}

// Clocks of whole seconds give several samples one time, and so does a row that is stamped late:
// they are placed evenly between the sample before and the one after. Returns how many samples had
// the time of the one before. None: all of several have one time.
std::optional<size_t> place_equal_times(std::vector<Telemetry>& samples) {
  constexpr double longest_step = 1.0;  // longer ones are pauses of the log
  size_t equal = 0;
  for (size_t begin = 0, end = 0; begin < samples.size(); begin = end) {
    const double time = samples[begin].seconds;
    while (end < samples.size() && samples[end].seconds == time) ++end;
    const auto count = static_cast<double>(end - begin);
    if (count < 2.0) continue;
    if (begin == 0 && end == samples.size()) return std::nullopt;
    const bool has_next = end < samples.size();
    double first = time, step = longest_step;
    if (begin > 0 && has_next) {
      step = (samples[end].seconds - samples[begin - 1].seconds) / (count + 1.0);
      first = samples[begin - 1].seconds + step;
    }
    if (step > longest_step || begin == 0 || !has_next) {
      first = time;
      step = has_next ? (samples[end].seconds - time) / count : time - samples[begin - 1].seconds;
      step = std::min(step, longest_step);
    }
    for (size_t at = begin; at < end; ++at)
      samples[at].seconds = first + step * static_cast<double>(at - begin);
    equal += end - begin - 1;
  }
  return equal;
}

// Times so far apart or away come from a wrong unit, and would fill tables without end.
Status check_times(const Flight& flight) {
  constexpr double longest = 1e6, last_clock = 253402300799.0;  // 11 days; the year 9999
  for (const Telemetry& sample : flight.samples) {
    if (sample.clock && !(*sample.clock >= 0.0 && *sample.clock <= last_clock))
      return bad_input(place_of(flight, sample) + " has a clock that is " +
                       short_number(*sample.clock) +
                       " s from 1970; dates are from 1970 to 9999: check the column's unit");
    if (!(std::abs(sample.seconds - flight.samples.front().seconds) <= longest))
      return bad_input(place_of(flight, sample) + " is " +
                       short_number(sample.seconds - flight.samples.front().seconds) +
                       " s from the first sample; a log has at most 11 days: check the column's "
                       "unit, or split the log");
  }
  return success();
}

// Formats that are known but not read here, and what to do.
std::string advice_on(std::string_view bytes) {
  const auto has = [&](size_t at, std::string_view part) {
    return bytes.size() >= at + part.size() && bytes.substr(at, part.size()) == part;
  };
  if (has(0, "ULog\x01")) return "is a PX4 ULog; convert it to CSV with ulog2csv";
  if (has(0, "\xA3\x95")) return "is an ArduPilot DataFlash log; convert it to CSV with mavlogdump";
  return "is no flight log that is known here: DJI subtitles (SRT), CSV with a header, MISB 0601 "
         "KLV, or XMP with DJI's names";
}

}  // namespace

std::string_view name_of(LogFormat format) {
  switch (format) {
    case LogFormat::dji_srt:
      return "DJI subtitles (SRT)";
    case LogFormat::csv:
      return "CSV";
    case LogFormat::misb_klv:
      return "MISB ST 0601 (KLV)";
    case LogFormat::dji_xmp:
      return "XMP of a DJI picture";
    case LogFormat::photographs:
      return "photographs (EXIF, XMP)";
  }
  return "";
}

std::string_view key_of(LogFormat format) {
  switch (format) {
    case LogFormat::dji_srt:
      return "dji-srt";
    case LogFormat::csv:
      return "csv";
    case LogFormat::misb_klv:
      return "misb-klv";
    case LogFormat::dji_xmp:
      return "dji-xmp";
    case LogFormat::photographs:
      return "photographs";
  }
  return "";
}

Result<Flight> completed(Flight flight, const std::optional<double>& zone_hours) {
  const Status possible = check_ranges(flight);
  if (!possible) return possible.failure();
  if (flight.clock == LogClock::local && zone_hours) {
    flight.clock = LogClock::utc;
    for (Telemetry& sample : flight.samples)
      if (sample.clock) *sample.clock -= 3600.0 * *zone_hours;
  }
  double last = 0.0;
  for (Telemetry& sample : flight.samples) {
    if (sample.latitude == 0.0 && sample.longitude == 0.0) {
      sample.latitude.reset();
      sample.longitude.reset();
    }
    if (flight.time == LogTime::clock) {
      assert(sample.clock.has_value());
      sample.seconds = *sample.clock - *flight.samples.front().clock;
    }
    if (&sample != &flight.samples.front() && sample.seconds < last)
      return bad_input(place_of(flight, sample) + " goes back in time by " +
                       short_number(last - sample.seconds) +
                       " s; split the log there, or name another column of time");
    last = sample.seconds;
  }
  if (flight.samples.empty())
    return bad_input(in_quotes(flight.name) + " has no telemetry; use a log with samples");
  const Status near = check_times(flight);
  if (!near) return near.failure();
  const auto equal = place_equal_times(flight.samples);
  if (!equal)
    return bad_input(in_quotes(flight.name) + " has " + std::to_string(flight.samples.size()) +
                     " samples, all at one time; name another column of time");
  if (*equal > 0)
    flight.notes.push_back(
        "samples with the time of the one before, placed evenly between their "
        "neighbours: " +
        std::to_string(*equal));
  flight.end_seconds = std::max(flight.end_seconds, flight.samples.back().seconds);
  return flight;
}

Result<Flight> read_flight(std::string_view bytes, const std::string& name,
                           const LogOptions& options) {
  if (bytes.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return bad_input(in_quotes(name) + " is empty; use a log with samples");
  if (!options.columns.empty()) return read_csv_log(bytes, name, options);
  if (is_klv(bytes)) {
    const KlvPayload all{.payload = std::as_bytes(std::span(bytes))};
    return read_klv_log(std::span(&all, 1), name);
  }
  if (is_dji_xmp(bytes)) return read_dji_xmp(bytes, name, options);
  if (is_srt(bytes)) return read_dji_srt(bytes, name, options);
  if (is_csv_log(bytes)) return read_csv_log(bytes, name, options);
  return bad_input(in_quotes(name) + " " + advice_on(bytes));
}

}  // namespace shingle::drone
