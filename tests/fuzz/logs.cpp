// Fuzzes flight logs: DJI's subtitles, CSV, MISB 0601 (KLV, transport streams) and XMP, whichever
// the bytes are. Bytes whose first line is "columns " and a map are a table that is read by it.
// What was read has rising times and values that can be, and its table reads back as the same
// samples.
#include <cmath>

#include "apps/drone/logs/flight_summary.hpp"
#include "apps/drone/logs/interpolation.hpp"
#include "tests/fuzz/target.hpp"

namespace shingle::fuzz {
namespace {

using drone::Flight;
using drone::Telemetry;

constexpr std::string_view map_mark = "columns ";

void expect_samples(const Flight& flight) {
  expect(!flight.samples.empty(), "a flight has samples");
  const Telemetry* before = nullptr;
  for (const Telemetry& sample : flight.samples) {
    expect(std::isfinite(sample.seconds), "times are numbers");
    expect(before == nullptr || sample.seconds > before->seconds, "times rise");
    before = &sample;
    for (const drone::TelemetryField& field : drone::telemetry_fields())
      if (const auto& value = sample.*field.value)
        expect(*value >= field.least && *value <= field.most, "values are possible");
  }
  expect(flight.end_seconds >= flight.samples.back().seconds, "the last sample holds to the end");
  for (const std::string& each : flight.notes) expect_readable(each);
}

void expect_moments(const Flight& flight) {
  const double begin = flight.samples.front().seconds;
  for (const double share : {0.0, 0.37, 1.0}) {
    const auto moment =
        drone::telemetry_at(flight, begin + share * (flight.samples.back().seconds - begin));
    expect(moment.ok(), "there is telemetry at any time between two samples");
    for (const drone::TelemetryField& field : drone::telemetry_fields())
      if (const auto& value = (*moment).*field.value)
        expect(std::isfinite(*value), "what is interpolated is a number");
  }
}

void expect_table(const Flight& flight) {
  const drone::FlightSummary summary = drone::summary_of(flight);
  for (const std::string& each : summary.missing) expect_sentence(each);
  // A table of nothing but times is no log, and one of times that are all alike neither.
  const double lasts = flight.samples.back().seconds - flight.samples.front().seconds;
  if (summary.known.empty() || (flight.samples.size() > 1 && lasts < 1e-5)) return;
  const auto again = drone::read_flight(drone::csv_of(flight), "table.csv");
  expect(again.ok(), "a printed log can be read: " + (again ? "" : again.error()));
  expect(again->samples.size() == flight.samples.size(), "a printed log has the same samples");
}

}  // namespace

void logs(Bytes bytes) {
  std::string_view text = text_of(bytes);
  drone::LogOptions options;
  if (text.starts_with(map_mark)) {
    const size_t end = text.find('\n');
    options.columns = text.substr(map_mark.size(), end - map_mark.size());
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  const Result<Flight> flight = drone::read_flight(text, "nowhere/log", options);
  if (!flight) return expect_sentence(flight.error());
  expect_samples(*flight);
  expect_moments(*flight);
  expect_table(*flight);
}

}  // namespace shingle::fuzz
