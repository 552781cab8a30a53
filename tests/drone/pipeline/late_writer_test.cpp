// Rows that wait for what is seen after them.
#include "apps/drone/pipeline/late_writer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "apps/drone/results/run_reader.hpp"
#include "tests/apps/program.hpp"
#include "tests/drone/pipeline/hovering_flight.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

RunWriter writer_in(const ScratchFolder& folder) {
  auto writer = RunWriter::begin(
      folder / "run",
      {.program = "test", .source = "clip", .frames_per_second = 10.0, .has_ground = true}, 4.0);
  REQUIRE_MESSAGE(writer, writer.error());
  return std::move(*writer);
}

std::vector<Sighting> rows_in(const ScratchFolder& folder) {
  const auto run = read_run(folder / "run");
  REQUIRE_MESSAGE(run, run.error());
  return run->sightings;
}

// One car, ten pictures a second.
struct Flying {
  explicit Flying(const ScratchFolder& folder, bool has_log = true) : writer(writer_in(folder)) {
    if (has_log) reader.emplace(*GroundReader::make(hovering(20.0), full_hd, 0.0));
  }
  const GroundReader* ground() const { return reader ? &*reader : nullptr; }
  Sighting see(uint32_t frame, double east) {
    const double seconds = (frame - 1) / log_rate;
    const TrackedBox car = car_at(east);
    Sighting row{.frame = frame, .seconds = seconds, .track = car.id, .score = 0.9, .box = car.box};
    if (reader) {
      reader->begin_frame(seconds);
      row.ground = reader->read(car, VehicleKind::car);
    }
    REQUIRE(writer.write({.frame = frame, .seconds = seconds, .sightings = {row}}, ground()));
    return row;
  }
  std::optional<GroundReader> reader{};
  LateWriter writer;
};

}  // namespace

TEST_CASE("rows are written once half a second is known behind them, and all at the end") {
  bool has_log = false;
  SUBCASE("with a log") { has_log = true; }
  SUBCASE("without one") {}
  const ScratchFolder folder;
  Flying flying(folder, has_log);
  for (uint32_t frame = 1; frame <= 7; ++frame) flying.see(frame, 0.1 * frame);
  CHECK(rows_in(folder).empty());
  flying.see(8, 0.8);  // 0.7 s after the first one
  const size_t written = rows_in(folder).size();
  CHECK(written == 3);  // those of 0.0, 0.1 and 0.2 s
  REQUIRE(flying.writer.flush(flying.ground()));
  REQUIRE(flying.writer.finish());
  CHECK(rows_in(folder).size() == 8);
}

TEST_CASE("the first rows of a track have the speed that only later ones tell") {
  const ScratchFolder folder;
  Flying flying(folder);
  CHECK_FALSE(flying.see(1, -20.0).ground.speed_mps.value);
  for (uint32_t frame = 2; frame <= 20; ++frame) flying.see(frame, -20.0 + 1.0 * (frame - 1));
  REQUIRE(flying.writer.flush(flying.ground()));
  const auto rows = rows_in(folder);
  REQUIRE(rows.front().ground.speed_mps.value);
  CHECK(*rows.front().ground.speed_mps.value == doctest::Approx(10.0).epsilon(0.02));
  CHECK(*rows.front().ground.x_metres.value == doctest::Approx(-20.0).epsilon(0.01));
}

TEST_CASE("a car that brakes is told better by what follows than while it brakes") {
  const ScratchFolder folder;
  Flying flying(folder);
  double live = 0.0, later = 0.0;
  std::vector<double> truth;
  for (uint32_t frame = 1; frame <= 40; ++frame) {
    const double seconds = (frame - 1) / log_rate, braked = std::max(0.0, seconds - 1.5);
    truth.push_back(std::max(2.0, 10.0 - 4.0 * braked));
    const double east = braked < 2.0 ? 10.0 * seconds - 2.0 * braked * braked
                                     : 10.0 * 3.5 - 8.0 + 2.0 * (braked - 2.0);
    const double jitter = 0.05 * ((frame * 7 % 5) - 2.0);
    const Sighting row = flying.see(frame, -40.0 + east + jitter);
    if (row.ground.speed_mps.value) live += std::abs(*row.ground.speed_mps.value - truth.back());
  }
  REQUIRE(flying.writer.flush(flying.ground()));
  for (const Sighting& row : rows_in(folder))
    if (row.frame >= fewest_for_speed)
      later += std::abs(*row.ground.speed_mps.value - truth[row.frame - 1]);
  MESSAGE("summed errors of speeds: live ", live, " m/s, later ", later);
  CHECK(later < 0.7 * live);
}

TEST_CASE("events come with their frame, and after the last one at once") {
  const ScratchFolder folder;
  Flying flying(folder);
  const std::vector<SiteEvent> events{{.frame = 1, .track = 3, .place = "road"}};
  flying.see(1, 0.0);
  REQUIRE(flying.writer.write(events));
  CHECK(contents(folder / "run/events.csv").find("road") == std::string::npos);
  REQUIRE(flying.writer.flush(flying.ground()));
  const std::string told = contents(folder / "run/events.csv");
  CHECK(told.find("begin") < told.find("road"));
  REQUIRE(flying.writer.write(std::vector<SiteEvent>{{.frame = 1, .track = 3, .place = "yard"}}));
  CHECK(contents(folder / "run/events.csv").find("yard") != std::string::npos);
}

TEST_CASE("pictures that were left out get the rows of what was seen before and after them") {
  const ScratchFolder folder;
  Flying flying(folder);
  for (uint32_t frame = 1; frame <= 10; ++frame) {
    const FrameRows left_out{
        .frame = frame, .seconds = (frame - 1) / log_rate, .is_left_out = true};
    if (frame == 5 || frame == 6)
      REQUIRE(flying.writer.write(left_out, flying.ground()));
    else
      flying.see(frame, 1.0 * frame);
  }
  REQUIRE(flying.writer.flush(flying.ground()));
  REQUIRE(flying.writer.finish());
  const auto rows = rows_in(folder);
  REQUIRE(rows.size() == 10);
  const Sighting& filled = rows[4];
  CHECK(filled.frame == 5);
  CHECK(filled.seconds == doctest::Approx(0.4));
  CHECK(filled.is_predicted());
  CHECK(filled.box.x == doctest::Approx(car_at(5.0).box.x).epsilon(1e-4));
  REQUIRE(filled.ground.speed_mps.value);
  CHECK(*filled.ground.speed_mps.value == doctest::Approx(10.0).epsilon(0.02));
  CHECK(*filled.ground.x_metres.value == doctest::Approx(5.0).epsilon(0.01));
  CHECK(filled.ground.latitude);
}

TEST_CASE("a time that falls is refused at once, and what waited is written") {
  const ScratchFolder folder;
  Flying flying(folder);
  flying.see(1, 0.0);
  flying.see(2, 0.1);
  FrameRows rows{.frame = 3, .seconds = 0.05};
  CHECK_FALSE(flying.writer.write(rows, flying.ground()));
  CHECK(rows_in(folder).size() == 2);
}

TEST_CASE("a picture that was left out and whose time does not grow has no place in the run") {
  const ScratchFolder folder;
  Flying flying(folder);
  flying.see(1, 0.0);
  REQUIRE(flying.writer.write({.frame = 2, .seconds = 0.0, .is_left_out = true}, flying.ground()));
  flying.see(3, 0.2);
  REQUIRE(flying.writer.flush(flying.ground()));
  REQUIRE(flying.writer.finish());
  CHECK(read_run(folder / "run")->info.frames == 2);
}
