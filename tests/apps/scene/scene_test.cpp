// Scenes: deterministic, crowded enough, and true to what they say about themselves.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <opencv2/imgproc.hpp>

#include "apps/client/bare_machine.hpp"
#include "apps/heads/reading.hpp"
#include "apps/pictures/image_bytes.hpp"
#include "apps/scene/score.hpp"
#include "apps/scene/verb.hpp"
#include "apps/vision/mat_view.hpp"
#include "devices/native/native_executor.hpp"
#include "tests/apps/scratch_folder.hpp"
#include "tests/places.hpp"

namespace shingle {
namespace {

SceneFrame picture_of(const SceneOptions& options) {
  const Scene scene = make_scene(options);
  return SceneRenderer(scene).render(scene, 0);
}

bool equal(const cv::Mat& a, const cv::Mat& b) {
  return a.size() == b.size() && cv::norm(a, b, cv::NORM_INF) == 0.0;
}

Scene after(Scene scene, int frames) {
  for (int i = 0; i < frames; ++i) advance(scene);
  return scene;
}

// A scene in which only drawing counts: no lens, no noise, no shadows.
Scene plain(Scene scene) {
  scene.look.shade = 1.0;
  scene.look.blur_pixels = scene.look.noise = 0.0;
  return scene;
}

// Where two pictures differ by more than edges do that resampling moves.
cv::Rect difference(const cv::Mat& a, const cv::Mat& b) {
  cv::Mat difference, grey;
  cv::absdiff(a, b, difference);
  cv::cvtColor(difference, grey, cv::COLOR_BGR2GRAY);
  return cv::boundingRect(grey > 4);
}

TEST_CASE("The same seed gives the same picture, road and truth") {
  for (const bool still : {false, true}) {
    const SceneOptions options{.seed = 5, .size = {320, 192}, .still = still};
    const SceneFrame once = picture_of(options), again = picture_of(options);
    CHECK(equal(once.picture, again.picture));
    CHECK(equal(once.road, again.road));
    REQUIRE(once.vehicles.size() == again.vehicles.size());
    for (size_t i = 0; i < once.vehicles.size(); ++i)
      CHECK(once.vehicles[i].box == again.vehicles[i].box);
  }
}

TEST_CASE("Another seed gives another place") {
  CHECK_FALSE(equal(picture_of({.seed = 1}).picture, picture_of({.seed = 2}).picture));
}

TEST_CASE("Every frame of a clip shows at least fifteen vehicles, most at most forty pixels long") {
  for (const uint64_t seed : {1, 2, 3, 2027}) {
    CAPTURE(seed);
    const Scene start = make_scene({.seed = seed});
    const SceneRenderer renderer(start);
    for (const int frame : {0, 60, 130, 249}) {
      const SceneFrame seen = renderer.render(after(start, frame), static_cast<uint32_t>(frame));
      int shown = 0, small = 0;
      for (const VehicleTruth& vehicle : seen.vehicles) {
        if (vehicle.visible < counted_visible) continue;
        ++shown;
        small += std::max(vehicle.box.w, vehicle.box.h) <= 40.0F;
      }
      CHECK(shown >= 15);
      CHECK(small * 2 > shown);
    }
  }
}

TEST_CASE("A vehicle's box is where the picture changes when the vehicle is taken away") {
  Scene scene = plain(make_scene({.seed = 3}));
  scene.lanes.clear(), scene.trees.clear(), scene.buildings.clear(), scene.posts.clear();
  const SceneRenderer renderer(scene);
  const SceneFrame all = renderer.render(scene, 0);
  int compared = 0;
  for (const VehicleTruth& vehicle : all.vehicles) {
    if (vehicle.visible < 0.999 || ++compared > 6) continue;
    Scene without = scene;
    std::erase_if(without.parked, [&](const Vehicle& other) { return other.id == vehicle.id; });
    const cv::Rect changed = difference(all.picture, renderer.render(without, 0).picture);
    CAPTURE(vehicle.id);
    CHECK(std::abs(float(changed.x) - vehicle.box.x) <= 1.6F);
    CHECK(std::abs(float(changed.y) - vehicle.box.y) <= 1.6F);
    CHECK(std::abs(float(changed.br().x) - vehicle.box.x - vehicle.box.w) <= 1.6F);
    CHECK(std::abs(float(changed.br().y) - vehicle.box.y - vehicle.box.h) <= 1.6F);
  }
  CHECK(compared > 0);
}

TEST_CASE("Vehicles under the bridge are known and not visible") {
  const Scene scene = make_scene({.seed = 1});
  const SceneFrame seen = SceneRenderer(scene).render(scene, 0);
  CHECK(std::any_of(seen.vehicles.begin(), seen.vehicles.end(),
                    [](const VehicleTruth& vehicle) { return vehicle.visible < 0.02; }));
}

TEST_CASE("A vehicle moves by its speed, and nobody drives into anybody") {
  const Scene before = make_scene({.seed = 4});
  const Scene now = after(before, 1);
  std::map<uint32_t, Vehicle> earlier;
  for (const Vehicle& vehicle : vehicles_of(before)) earlier[vehicle.id] = vehicle;
  int moved = 0;
  for (const Vehicle& vehicle : vehicles_of(now)) {
    if (!earlier.contains(vehicle.id) || vehicle.speed < 1.0) continue;
    const cv::Point2d way = vehicle.pose.at - earlier[vehicle.id].pose.at;
    const double metres = vehicle.speed / now.options.frames_per_second;
    CHECK(std::hypot(way.x, way.y) == doctest::Approx(metres).epsilon(0.03));
    ++moved;
  }
  CHECK(moved > 20);
  const std::vector<Vehicle> later = vehicles_of(after(before, 400));
  for (size_t i = 0; i < later.size(); ++i)
    for (size_t j = 0; j < i; ++j) CHECK_FALSE(collide(later[i], later[j], 0.0));
}

TEST_CASE("The road's mask is under every vehicle that drives on the ground") {
  const Scene scene = make_scene({.seed = 6});
  const SceneFrame seen = SceneRenderer(scene).render(scene, 0);
  for (const LaneTraffic& lane : scene.lanes)
    for (const LaneTraffic::Driver& driver : lane.drivers) {
      const cv::Point at = pixel(seen.camera, driver.vehicle.pose.at, driver.vehicle.level);
      if (cv::Rect({0, 0}, seen.road.size()).contains(at)) CHECK(seen.road.at<uchar>(at) == 255);
    }
}

TEST_CASE("A clip's truth reads back as it was written") {
  const ScratchFolder folder;
  const SceneOptions options{.seed = 8, .size = {320, 192}};
  REQUIRE(write_clip(options, 2, folder / "clip.mp4").ok());
  const auto rows = read_truth(folder / "clip.truth.csv");
  REQUIRE(rows.ok());
  const SceneFrame first = picture_of(options);
  REQUIRE(rows->size() >= first.vehicles.size());
  for (size_t i = 0; i < first.vehicles.size(); ++i) {
    const VehicleTruth& read = (*rows)[i].truth;
    CHECK((*rows)[i].frame == 0);
    CHECK(read.id == first.vehicles[i].id);
    CHECK(read.vehicle_class == first.vehicles[i].vehicle_class);
    CHECK(read.box.x == doctest::Approx(first.vehicles[i].box.x).epsilon(0.01));
    CHECK(read.visible == doctest::Approx(first.vehicles[i].visible).epsilon(0.001));
  }
}

TEST_CASE("A line that is no truth is named") {
  const ScratchFolder folder;
  const std::string header = "frame,id,class,x,y,w,h,visible,speed,ground_x,ground_y,heading\n";
  const auto rows = read_truth(folder.with_text("a.csv", header + "0,1,tank,1,2,3,4,1,0,0,0,0\n"));
  REQUIRE_FALSE(rows.ok());
  CHECK(rows.error().find("a.csv' line 2 is not a row") != std::string::npos);
  CHECK_FALSE(read_truth(folder.with_text("b.csv", "hello\n")).ok());
  CHECK_FALSE(read_truth(folder / "missing.csv").ok());
}

TEST_CASE("Boxes are judged: hits once, hidden vehicles excused, the rest false") {
  const std::vector<Wanted> wanted{{{0, 0, 10, 10}}, {{20, 0, 10, 10}}, {{40, 0, 10, 10}, false}};
  const std::vector<Detection> found{{0, 0.9F, {1, 0, 10, 10}},
                                     {0, 0.8F, {0, 0, 10, 10}},   // the same vehicle again
                                     {0, 0.7F, {40, 1, 10, 10}},  // does not count
                                     {0, 0.6F, {21, 1, 10, 10}}};
  Judgement judgement;
  judge(judgement, found, wanted);
  CHECK(judgement.wanted == 2);
  REQUIRE(judgement.shown.size() == 3);
  const RecallPrecision at = at_score(judgement, 0.75F);
  CHECK(at.recall == doctest::Approx(0.5));
  CHECK(at.precision == doctest::Approx(0.5));
  // Recall 1/2 at precision 1, then 1 at 2/3.
  CHECK(average_precision(judgement) == doctest::Approx(0.5 * 1.0 + 0.5 * 2.0 / 3.0));
}

TEST_CASE("Lines of a run are scored against the truth beside the clip") {
  const ScratchFolder folder;
  const std::string truth =
      folder.with_text("t.csv",
                       "frame,id,class,x,y,w,h,visible,speed,ground_x,ground_y,heading\n"
                       "0,1,car,10,10,30,14,1.0,0,0,0,0\n");
  const std::string boxes = folder.with_text(
      "b.jsonl",
      "{\"frame\":0,\"boxes\":[{\"class\":0,\"score\":0.9,\"x\":11,\"y\":10,\"w\":30,\"h\":14}]}\n"
      "{\"frames\":1}\n");
  CHECK(run_verb(ScoreOptions{.boxes = boxes, .truth = truth}) == 0);
  CHECK(run_verb(ScoreOptions{.boxes = truth, .truth = truth}) == 3);
  CHECK(run_verb(ScoreOptions{.boxes = boxes, .truth = boxes}) == 3);
}

TEST_CASE("The model in models/ finds the vehicles of a scene that it has not seen") {
  ModelFile file = open_model(source_folder() + "/models/vehicles.onnx").value();
  Model& model = file.model;
  const Reading reading = choose_reading(file, {}).value();
  REQUIRE(reading.head == &yolox_head);
  REQUIRE(reading.names == ClassNames{"vehicle"});
  REQUIRE(take_picture(model, reading.preparation).ok());
  BareMachine machine = BareMachine::make(model, std::make_unique<NativeExecutor>()).value();
  Judgement judgement;
  for (const uint64_t seed : {31, 32, 33}) {
    const SceneFrame seen = picture_of({.seed = seed});
    const Shape shape = model.at(model.inputs[0]).shape;
    const auto bytes =
        machine.compute(image_bytes(view_of(seen.picture), reading.preparation, shape)).value();
    std::vector<float> rows(bytes[0].size() / sizeof(float));
    std::memcpy(rows.data(), bytes[0].data(), bytes[0].size());
    const std::vector<std::vector<float>> outputs{rows};
    std::vector<TruthRow> truth;
    for (const VehicleTruth& vehicle : seen.vehicles) truth.push_back({0, vehicle});
    judge(judgement, std::get<Detections>(read(reading, {}, outputs, size_of(seen.picture))),
          wanted_of(truth, 0));
  }
  const RecallPrecision at = at_score(judgement, 0.3F);
  CHECK(at.recall > 0.8);
  CHECK(at.precision > 0.8);
}

}  // namespace
}  // namespace shingle
