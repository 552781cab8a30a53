// What becomes of results, picture by picture: the order, the road's masks, the run folder.
#include "apps/drone/pipeline/flight_sink.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "apps/drone/results/run_reader.hpp"
#include "tests/apps/program.hpp"
#include "tests/drone/pipeline/hovering_flight.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

FlightSinkOptions options_for(const ScratchFolder& folder) {
  auto writer = RunWriter::begin(
      folder / "run", {.program = "test", .source = "clip", .frames_per_second = 10.0}, 4.0);
  REQUIRE_MESSAGE(writer, writer.error());
  return {.writer = std::move(*writer),
          .frames_per_second = 10.0,
          .finds_motion = false,
          .classes = *VehicleClasses::make({"person", "car"}, ""),
          .names = {"person", "car"}};
}

// Two cars: one on the left, one on the right.
LaneResult cars(uint64_t frame) {
  LaneResult result;
  result.frame.frame = frame;
  result.frame.finding =
      shingle::Detections{{.class_id = 1, .score = 0.9F, .box = {10, 10, 20, 10}},
                          {.class_id = 1, .score = 0.8F, .box = {60, 10, 20, 10}}};
  result.picture.image = cv::Mat(60, 100, CV_8UC3, cv::Scalar::all(90));
  result.picture.seconds = static_cast<double>(frame) / 10.0;
  return result;
}

// The left half is road.
LaneResult mask(uint64_t frame) {
  ClassMap map{.width = 100, .height = 60, .classes = {}};
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 100; ++x) map.classes.push_back(x < 50 ? 1 : 0);
  LaneResult result;
  result.frame.frame = frame;
  result.frame.finding = std::move(map);
  return result;
}

size_t sightings_in(const ScratchFolder& folder) {
  const auto run = read_run(folder / "run");
  REQUIRE_MESSAGE(run, run.error());
  return run->sightings.size();
}

RunModel model_called(const std::string& name) {
  return {.name = name, .path = ModelPath("none.onnx"), .file = nullptr, .reading = {}};
}

struct Fed {
  explicit Fed(FlightSinkOptions options) : sink(std::move(options)) {}
  void main(uint64_t frame) {
    LaneResult result = cars(frame);
    REQUIRE(sink.take(result, detector, progress));
  }
  void mask_of(uint64_t frame) {
    LaneResult result = mask(frame);
    REQUIRE(sink.take(result, road, progress));
  }
  FlightSink sink;
  RunModel detector = model_called(""), road = model_called(road_model);
  Progress progress{std::nullopt, false};
};

}  // namespace

TEST_CASE("each picture is followed as it comes, and a run that went well is complete") {
  const ScratchFolder folder;
  Fed fed(options_for(folder));
  for (uint64_t frame = 0; frame < 3; ++frame) fed.main(frame);
  REQUIRE(fed.sink.close(RunEnd::whole));
  CHECK(sightings_in(folder) == 6);
  const auto run = read_run(folder / "run");
  REQUIRE(run);
  CHECK(run->info.is_complete);
  CHECK(run->info.frames == 3);
  CHECK(run->info.width == 100);
  CHECK(run->sightings[2].seconds == doctest::Approx(0.1));
  REQUIRE(run->sightings[0].key);
  CHECK(run->sightings[0].key->x == doctest::Approx(20.0));
}

TEST_CASE("what was found is written before tracking, with whether it is on road") {
  const ScratchFolder folder;
  FlightSinkOptions options = options_for(folder);
  options.road = *RoadLayer::make({"other", "road"}, "");
  Fed fed(std::move(options));
  fed.mask_of(0);
  fed.main(0);
  REQUIRE(fed.sink.close(RunEnd::whole));
  CHECK(sightings_in(folder) == 1);
  CHECK(contents(folder / "run/detections.csv") ==
        "frame,seconds,class,score,x,y,w,h,on_road\n"
        "1,0.000000,1,0.900000,10.000,10.000,20.000,10.000,1\n"
        "1,0.000000,1,0.800000,60.000,10.000,20.000,10.000,0\n");
}

TEST_CASE("what happens at the site is written while the run goes on") {
  const ScratchFolder folder;
  Site site{.file = "site.toml"};
  site.lines = {{.name = "road", .segment = {{50, 0}, {50, 60}}}};
  FlightSinkOptions options = options_for(folder);
  options.events.emplace(FlightEventParts{.site = *drawn_site(site)});
  Fed fed(std::move(options));
  for (uint64_t frame = 0; frame < 20; ++frame) {  // rows wait for half a second
    LaneResult result = cars(frame);
    result.frame.finding = shingle::Detections{
        {.class_id = 1, .score = 0.9F, .box = {10 + 4 * static_cast<float>(frame), 10, 20, 10}}};
    REQUIRE(fed.sink.take(result, fed.detector, fed.progress));
  }
  CHECK(contents(folder / "run/events.csv").find(",1,crossing,road,backward,\n") !=
        std::string::npos);
  CHECK(fed.sink.figures().empty());  // there is no broker
  REQUIRE(fed.sink.close(RunEnd::whole));
}

TEST_CASE("a run that failed or broke off stays incomplete") {
  for (const RunEnd end : {RunEnd::failed, RunEnd::broken_off}) {
    const ScratchFolder folder;
    Fed fed(options_for(folder));
    fed.main(0);
    REQUIRE(fed.sink.close(end));
    const auto run = read_run(folder / "run");
    REQUIRE(run);
    CHECK_FALSE(run->info.is_complete);
    CHECK(run->sightings.size() == 2);
  }
}

TEST_CASE("rows wait for what follows, and a run that failed keeps those that waited") {
  const ScratchFolder folder;
  FlightSinkOptions options = options_for(folder);
  SUBCASE("with a log") { options.flight = hovering(20.0); }
  SUBCASE("without one") {}
  Fed fed(std::move(options));
  for (uint64_t frame = 0; frame < 3; ++frame) fed.main(frame);
  CHECK(sightings_in(folder) == 0);
  REQUIRE(fed.sink.close(RunEnd::failed));
  CHECK(sightings_in(folder) == 6);
}

TEST_CASE("a picture that was left out has the rows of what was seen before and after it") {
  const ScratchFolder folder;
  FlightSinkOptions options = options_for(folder);
  options.lookout.sheds = true;
  Fed fed(std::move(options));
  uint64_t dropped = 0, left_out = 0;
  for (uint64_t frame = 0; frame < 60; ++frame) {
    const LaneResult result = cars(frame);
    // The source drops a picture each time, until only the newest pictures are looked at.
    const auto images = fed.sink.inputs_of({.frame = frame,
                                            .picture = result.picture,
                                            .waited_seconds = 1.0,
                                            .is_overtaken = frame + 1 < 60,
                                            .dropped = ++dropped});
    REQUIRE(images);
    if (images->empty())
      ++left_out;
    else
      fed.main(frame);
    if (left_out == 2) break;
  }
  REQUIRE(left_out == 2);
  const uint64_t last = dropped;
  fed.main(last);
  REQUIRE(fed.sink.close(RunEnd::whole));
  const auto run = read_run(folder / "run");
  CHECK(run->info.frames == last + 1);
  CHECK(run->sightings.size() == 2 * (last + 1));
  CHECK(std::ranges::count_if(run->sightings, &Sighting::is_predicted) == 4);
}

TEST_CASE("a car's box that is too short on the ground is written as found and not followed") {
  const ScratchFolder folder;
  FlightSinkOptions options = options_for(folder);
  options.flight = hovering(20.0);
  options.names = {"motorcycle", "car"};
  options.classes = *VehicleClasses::make(options.names, "");
  options.lookout.slices =
      SlicePlannerOptions{.metres_per_pixel = 0.12, .input_width = 320, .input_height = 192};
  options.lookout.input = {.h = 192, .w = 320, .c = 3};
  Fed fed(std::move(options));
  LaneResult result = cars(0);
  result.picture.image = cv::Mat(540, 960, CV_8UC3, cv::Scalar::all(90));  // 0.156 m in a pixel
  const auto images = fed.sink.inputs_of({.frame = 0, .picture = result.picture});
  REQUIRE(images);
  result.frame.finding = shingle::Detections{
      {1, 0.9F, {100, 100, 30, 14}}, {1, 0.9F, {300, 100, 14, 14}}, {0, 0.9F, {500, 100, 14, 14}}};
  REQUIRE(fed.sink.take(result, fed.detector, fed.progress));
  REQUIRE(fed.sink.close(RunEnd::whole));
  CHECK(sightings_in(folder) == 2);  // the long car and the motorcycle
  const std::string found = contents(folder / "run/detections.csv");
  CHECK(std::ranges::count(found, '\n') == 4);
}

TEST_CASE("pictures wait for their mask, which holds until the next one") {
  const ScratchFolder folder;
  FlightSinkOptions options = options_for(folder);
  options.road = *RoadLayer::make({"other", "road"}, "");
  options.road_every = 2;
  Fed fed(std::move(options));
  fed.main(0);
  fed.main(1);
  size_t followed = 0;  // of the car on the left; a run that failed follows no picture that waits
  SUBCASE("none came") {}
  SUBCASE("one came") {
    fed.mask_of(0);
    followed = 2;
  }
  SUBCASE("one came and one is early") {
    fed.mask_of(0);
    fed.mask_of(2);
    fed.main(2);
    followed = 3;
  }
  REQUIRE(fed.sink.close(RunEnd::failed));
  CHECK(sightings_in(folder) == followed);
}

TEST_CASE("a mask that came too late is not waited for, and the one before holds") {
  const ScratchFolder folder;
  FlightSinkOptions options = options_for(folder);
  options.road = *RoadLayer::make({"other", "road"}, "");
  options.road_every = 1;
  Fed fed(std::move(options));
  fed.mask_of(0);
  fed.main(0);
  LaneResult late;
  late.frame.frame = 1;
  late.frame.late = true;
  REQUIRE(fed.sink.take(late, fed.road, fed.progress));
  fed.main(1);
  REQUIRE(fed.sink.close(RunEnd::failed));
  CHECK(sightings_in(folder) == 2);
}

TEST_CASE("pictures whose masks never came are followed at the end") {
  const ScratchFolder folder;
  FlightSinkOptions options = options_for(folder);
  options.road = *RoadLayer::make({"other", "road"}, "");
  Fed fed(std::move(options));
  fed.main(0);
  REQUIRE(fed.sink.close(RunEnd::whole));
  CHECK(sightings_in(folder) == 2);
}

TEST_CASE("tracks go on as predicted over a picture that missed its deadline") {
  const ScratchFolder folder;
  Fed fed(options_for(folder));
  fed.main(0);
  LaneResult late = cars(1);
  late.frame.late = true;
  late.frame.finding = Unread{};
  REQUIRE(fed.sink.take(late, fed.detector, fed.progress));
  fed.main(2);
  REQUIRE(fed.sink.close(RunEnd::whole));
  const auto run = read_run(folder / "run");
  REQUIRE(run);
  REQUIRE(run->sightings.size() == 6);
  for (const Sighting& each : run->sightings) {
    CHECK(each.is_predicted() == (each.frame == 2));
    CHECK(each.is_predicted() == (each.score == 0.0));
  }
  CHECK(run->sightings[2].track == run->sightings[0].track);
  CHECK(run->sightings[4].track == run->sightings[0].track);
}

TEST_CASE("models of the wrong kind are refused") {
  const ScratchFolder folder;
  FlightSinkOptions options = options_for(folder);
  options.road = *RoadLayer::make({"other", "road"}, "");
  Fed fed(std::move(options));
  LaneResult boxes = cars(0);
  const Status road = fed.sink.take(boxes, fed.road, fed.progress);
  REQUIRE_FALSE(road);
  CHECK(road.error().find("segment") != std::string::npos);
}
