// A flight log, whatever its format was: samples in the order of time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/drone/logs/telemetry.hpp"
#include "partition/base/result.hpp"

namespace shingle::drone {

enum class LogFormat : uint8_t { dji_srt, csv, misb_klv, dji_xmp, photographs };
std::string_view name_of(LogFormat format);  // "DJI subtitles (SRT)"
std::string_view key_of(LogFormat format);   // "dji-srt"

// What Telemetry::clock counts. DJI's subtitles have the time of the place, and do not say where.
enum class LogClock : uint8_t { none, local, utc };

// What Telemetry::seconds counts: from the first sample, by its clock; from a moment of the log's
// own; or the video's time. Without the last, the log's offset to the video is to be found.
enum class LogTime : uint8_t { clock, own, video };

struct Flight {
  std::string name;  // the file's, for sentences
  LogFormat format = LogFormat::csv;
  LogClock clock = LogClock::none;
  LogTime time = LogTime::clock;
  double end_seconds = 0.0;  // to which the last sample holds
  std::vector<Telemetry> samples{};
  std::vector<std::string> notes{};  // what was left out and why, a sentence each
};

struct LogOptions {
  std::string columns{};  // of a CSV file: see column_map.hpp; empty: found by its header
  std::optional<double> zone_hours{};  // local time is ahead of UTC by these
};

// Recognises the format and reads the whole file. The samples are at least one; their seconds rise.
// Errors: an unknown or unsupported format, no telemetry, a value that is impossible, times that go
// back. A file that breaks off is read as far as it goes, and a note says so.
Result<Flight> read_flight(std::string_view bytes, const std::string& name,
                           const LogOptions& options = {});

// What readers of one format share: checks ranges and order, counts seconds from the clock where
// the log has no other time, makes UTC of local time. Samples at one time are placed
// evenly between their neighbours, by their seconds, not by their clock. A position of 0, 0 is one
// that the receiver does not know yet. REQUIRES: with LogTime::clock each sample has its clock.
Result<Flight> completed(Flight flight, const std::optional<double>& zone_hours);

}  // namespace shingle::drone
