// `shingle-drone run`: a real clip through real workers.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/drone/results/run_reader.hpp"
#include "tests/apps/topic_listener.hpp"
#include "tests/drone/shared_data.hpp"
#include "tests/drone/verbs/drone_program.hpp"
#include "tests/networks/networks.hpp"
#include "tests/networks/onnx_graph.hpp"

using namespace shingle;
using namespace shingle::drone;
using Json = nlohmann::json;

namespace {

struct Ran {
  std::string lines, frames, tracks;
};

// A segmentation model of 64 x 64 pixels that gives each pixel the class `everywhere`, whatever it
// sees; it knows the classes "field" and "road".
std::string road_model_file(int everywhere) {
  networks::OnnxGraph graph;
  graph.input("image", {1, 3, 64, 64}, ElementType::f32);
  const std::string weights = graph.floats({2, 3, 1, 1}, {0, 0, 0, 0, 0, 0});
  const std::string bias =
      graph.floats({2}, everywhere == 0 ? std::vector<float>{1, 0} : std::vector<float>{0, 1});
  graph.node("Conv", {"image", weights, bias}, {}, "classes");
  graph.output("classes", {1, 2, 64, 64});
  graph.metadata("names", "{0: 'field', 1: 'road'}");
  return graph.file();
}

// The clip's first frames, by so many workers.
Ran run_clip(const std::string& data, int workers, const std::vector<std::string>& more) {
  const ScratchFolder folder;
  const std::string run = folder / "run";
  std::vector<std::string> words{"run",
                                 data + "/models/yolox_nano.onnx",
                                 data + "/clips/car-detection.mp4",
                                 "--workers",
                                 std::to_string(workers),
                                 "--frames",
                                 "90",
                                 "--still",
                                 "--classes",
                                 "car,bus,truck,cell phone",
                                 "--run",
                                 run,
                                 "--json"};
  words.insert(words.end(), more.begin(), more.end());
  Program program = drone_program(words);
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  return {program.out(), contents(run + "/frames.csv"), contents(run + "/tracks.csv")};
}

}  // namespace

TEST_CASE("a clip becomes a run folder, the same by one worker and by three" *
          doctest::test_suite("long")) {
  const auto data = shared_data("");
  if (!data) return;
  const Ran one = run_clip(*data, 1, {}), three = run_clip(*data, 3, {});
  CHECK(one.frames == three.frames);
  CHECK(one.tracks == three.tracks);
  CHECK(one.frames.size() > 1000);
  const std::string first = one.lines.substr(0, one.lines.find('\n'));
  const Json line = Json::parse(first);
  CHECK(line["frame"] == 1);
  CHECK(line["seconds"] == 0.0);
  CHECK(line["camera"] == true);
  CHECK(line["tracks"].is_array());
  CHECK(one.lines.find("\"name\":") != std::string::npos);  // some line has a track
}

TEST_CASE("annotated pictures and a run folder that count reads") {
  const auto data = shared_data("");
  if (!data) return;
  const ScratchFolder folder;
  Program program =
      drone_program({"run", *data + "/models/yolox_nano.onnx", *data + "/clips/car-detection.mp4",
                     "--workers", "2", "--frames", "12", "--classes", "car,bus,truck,cell phone",
                     "--still", "--flow", "--run", folder / "run", "--out", folder / "tracks.mp4"});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  CHECK(std::filesystem::file_size(folder / "tracks.mp4") > 1000);
  const auto run = read_run(folder / "run");
  REQUIRE_MESSAGE(run, run.error());
  CHECK(run->info.is_complete);
  CHECK(run->info.width == 768);
  CHECK(run->info.frames == 12);
  const std::string site = folder.with_text(
      "site.toml",
      "coordinates = \"pixels\"\n[[line]]\nname = \"road\"\npoints = [[0, 140], [768, 140]]\n");
  Program count = drone_program({"count", folder / "run", "--site", site, "--json"});
  CHECK_MESSAGE(count.end() == "exit code 0", count.err());
}

TEST_CASE("boxes off the road are left out, by a second model on the same workers" *
          doctest::test_suite("long")) {
  const auto data = shared_data("");
  if (!data) return;
  const ScratchFolder folder;
  const std::string field = folder.with_text("field.onnx", road_model_file(0)),
                    road = folder.with_text("road.onnx", road_model_file(1));
  const auto sightings_of = [&](const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> words{"run",
                                   *data + "/models/yolox_nano.onnx",
                                   *data + "/clips/car-detection.mp4",
                                   "--workers",
                                   "2",
                                   "--frames",
                                   "90",
                                   "--classes",
                                   "car,bus,truck,cell phone",
                                   "--still",
                                   "--run",
                                   folder / name};
    words.insert(words.end(), more.begin(), more.end());
    Program program = drone_program(words);
    REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
    const auto run = read_run(folder / name);
    REQUIRE_MESSAGE(run, run.error());
    CHECK(run->info.frames == 90);
    return run->sightings;
  };
  const auto all = sightings_of("all", {});
  CHECK(all.size() > 10);
  CHECK(sightings_of("on", {"--road", road, "--road-every", "7"}) == all);
  CHECK(sightings_of("off", {"--road", field, "--road-every", "7"}).empty());
}

TEST_CASE("a broker hears of tracks while the run goes on; without one the run goes on as well" *
          doctest::test_suite("long")) {
  const auto data = shared_data("");
  if (!data) return;
  const ScratchFolder folder;
  const std::string site = folder.with_text(
      "site.toml", "[[zone]]\nname = \"all\"\npoints = [[0, 0], [768, 0], [768, 432], [0, 432]]\n");
  const auto run_told = [&](const std::string& name, const std::string& uri) {
    Program program = drone_program(
        {"run", *data + "/models/yolox_nano.onnx", *data + "/clips/car-detection.mp4", "--workers",
         "2", "--frames", "90", "--classes", "car,bus,truck,cell phone", "--still", "--site", site,
         "--mqtt", uri + "/home/drone", "--run", folder / name, "--json"});
    REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
    if (name == "away") CHECK(program.err_lines() == 1);
    return Json::parse(program.out_lines().back());
  };
  Broker broker;
  TopicListener listener(broker, "home/drone/#");
  const Json told = run_told("there", broker.uri());
  CHECK(told["events"].get<size_t>() > 2);
  CHECK(told["events_lost"] == 0);
  REQUIRE(
      becomes_true([&] { return listener.heard("home/drone/events").size() == told["events"]; }));
  size_t begun = 0, ended = 0, in_zone = 0;
  for (const std::string& each : listener.heard("home/drone/events")) {
    const Json event = Json::parse(each);
    begun += event["type"] == "new";
    ended += event["type"] == "end";
    in_zone += event["after"]["zones"] == Json::array({"all"});
  }
  CHECK(begun == ended);
  CHECK(in_zone > 0);
  const std::string events = contents(folder / "there/events.csv");
  CHECK(static_cast<size_t>(std::ranges::count(events, 'b')) == begun);  // the b of begin
  broker.kill();
  const Json alone = run_told("away", broker.uri());
  CHECK(alone["events"] == told["events"]);
  CHECK(alone["events_lost"] == alone["events"]);
  CHECK(contents(folder / "away/frames.csv") == contents(folder / "there/frames.csv"));
}

TEST_CASE("a run folder that cannot be written is refused before the workers start") {
  const auto data = shared_data("");
  if (!data) return;
  const ScratchFolder folder;
  const std::string yolox = *data + "/models/yolox_nano.onnx",
                    clip = *data + "/clips/car-detection.mp4";
  const std::string file = folder.with_text("file", "no folder");
  check_refusal({"run", yolox, clip, "--run", file + "/run"}, "exit code 1", file);
  // Nothing is left of a run whose cluster was not there.
  check_refusal(
      {"run", yolox, clip, "--run", folder / "run", "--cluster", folder / "none.toml", "--id", "1"},
      "exit code 3", "none.toml");
  CHECK_FALSE(std::filesystem::exists(folder / "run"));
}

TEST_CASE("what cannot be followed is refused with one sentence") {
  const ScratchFolder folder;
  const std::string model =
      folder.with_text("small.onnx", networks::to_onnx(networks::make("tiny", 16, 2).value()));
  check_refusal({"run", model, "nowhere.mp4"}, "exit code 2", "nothing would be kept");
  check_refusal({"run", model, "nowhere.mp4", "--json"}, "exit code 3", "nowhere.mp4");
  const auto data = shared_data("");
  if (!data) return;
  const std::string yolox = *data + "/models/yolox_nano.onnx",
                    clip = *data + "/clips/car-detection.mp4";
  check_refusal({"run", yolox, clip, "--json", "--classes", "submarine"}, "exit code 2",
                "no class 'submarine'");
  check_refusal({"run", yolox, clip, "--json", "--fps", "25"}, "exit code 2", "--fps is for");
  check_refusal({"run", yolox, clip, "--json", "--log", "nowhere.srt"}, "exit code 3",
                "nowhere.srt");
  const std::string log = folder.with_text(
      "log.csv", "time,latitude,longitude,height\n0,48,11,100\n1,48,11,100\n2,48,11,100\n");
  check_refusal({"run", yolox, clip, "--json", "--log", log}, "exit code 2", "give --offset");
  check_refusal({"run", yolox, clip, "--mqtt", "10.0.0.1"}, "exit code 2", "has no topic");
  check_refusal({"run", yolox, clip, "--json", "--site", "none.toml"}, "exit code 2",
                "--run or --mqtt");
  check_refusal({"run", yolox, clip, "--run", folder / "run", "--site", folder / "none.toml"},
                "exit code 3", "none.toml");
  const std::string crossed = folder.with_text(
      "crossed.toml", "[[zone]]\nname = \"z\"\npoints = [[0, 0], [9, 9], [9, 0], [0, 9]]\n");
  check_refusal({"run", yolox, clip, "--run", folder / "run", "--site", crossed}, "exit code 3",
                "crosses itself");
  CHECK_FALSE(std::filesystem::exists(folder / "run"));
}
