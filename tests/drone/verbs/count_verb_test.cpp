// The verbs count and export, and track --run, through the real program.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/drone/verbs/drone_program.hpp"

using namespace shingle;

namespace {

// Two cars to the right at y = 50 and one to the left at y = 150, 40 frames each.
std::string traffic() {
  std::string text;
  for (int frame = 1; frame <= 60; ++frame) {
    const auto box = [&](int begin, int x, int y, int class_id) {
      if (frame < begin || frame >= begin + 40) return;
      text += std::to_string(frame) + ",-1," + std::to_string(x) + "," + std::to_string(y) +
              ",40,20,0.912346," + std::to_string(class_id) + "\n";
    };
    box(1, 5 * frame, 40, 2);
    box(21, 5 * (frame - 20), 40, 2);
    box(1, 240 - 5 * frame, 140, 5);
  }
  return text;
}

const std::string site =
    "[[line]]\nname = \"gate\"\npoints = [[120, 0], [120, 200]]\nforward = \"west\"\n"
    "backward = \"east\"\n[[zone]]\nname = \"left\"\npoints = [[0, 0], [80, 0], [80, 200], [0, "
    "200]]\n"
    "[[zone]]\nname = \"right\"\npoints = [[180, 0], [260, 0], [260, 200], [180, 200]]\n";

const std::string ground_points =
    "[[ground_point]]\npixel = [0, 0]\nwgs84 = [50.0010, 14.0000]\n"
    "[[ground_point]]\npixel = [300, 0]\nwgs84 = [50.0010, 14.0010]\n"
    "[[ground_point]]\npixel = [300, 200]\nwgs84 = [50.0005, 14.0010]\n"
    "[[ground_point]]\npixel = [0, 200]\nwgs84 = [50.0005, 14.0000]\n";

// The folder of a run of that traffic.
std::string run_in(const ScratchFolder& folder, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{
      "track", folder.with_text("boxes.txt", traffic()), "--fps", "10", "--run", folder / "run"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Program program = drone_program(std::move(arguments));
  REQUIRE(program.end() == "exit code 0");
  CHECK(program.out() == "");
  return folder / "run";
}

}  // namespace

TEST_CASE("track --run writes a folder that count reads") {
  const ScratchFolder folder;
  const std::string run = run_in(folder, {"--size", "300x200"});
  CHECK(nlohmann::json::parse(contents(run + "/run.json")).at("width") == 300);
  Program program = drone_program({"count", run, "--site", folder.with_text("site.toml", site),
                                   "--json", "--csv", folder / "counts.csv"});
  REQUIRE(program.end() == "exit code 0");
  CHECK(program.err() == "");
  const auto json = nlohmann::json::parse(program.out());
  const auto directions = json.at("lines")[0].at("directions");
  CHECK(directions.at("east").at("vehicles") == 2);
  CHECK(directions.at("west").at("vehicles") == 1);
  CHECK(directions.at("east").at("headway_seconds").at("median").get<double>() ==
        doctest::Approx(2.0).epsilon(0.1));
  CHECK(json.at("turns").at("matrix") == nlohmann::json::parse("[[0,2],[1,0]]"));
  CHECK(json.at("zones")[0].at("visits") == 3);
  const std::string csv = contents(folder / "counts.csv");
  CHECK(csv.find("line,gate,east,2,1,0,2\n") != std::string::npos);
  CHECK(csv.find("line,gate,west,5,15,0,1\n") != std::string::npos);
  CHECK(csv.find("turn,left,right,2,,,2\n") != std::string::npos);
}

TEST_CASE("count prints tables for people") {
  const ScratchFolder folder;
  Program program =
      drone_program({"count", run_in(folder), "--site", folder.with_text("site.toml", site)});
  REQUIRE(program.end() == "exit code 0");
  CHECK(program.out_lines().at(0).find("class 2     class 5") != std::string::npos);
  CHECK(program.out().find("gate      west             1           0           1") !=
        std::string::npos);
  CHECK(program.out().find("left               0         2\n") != std::string::npos);
}

TEST_CASE("camera motion leads back to the key frame") {
  const ScratchFolder folder;
  // The camera pans by 5 pixels to the right in each frame, so a car that keeps up stands still.
  std::string boxes, motion;
  for (int frame = 1; frame <= 40; ++frame) {
    boxes += std::to_string(frame) + ",-1,30,40,40,20,0.9,2\n";
    if (frame > 1) motion += std::to_string(frame) + ",1,0,-5,0,1,0\n";
  }
  Program track = drone_program({"track", folder.with_text("boxes.txt", boxes), "--fps", "10",
                                 "--camera-motion", folder.with_text("motion.csv", motion), "--run",
                                 folder / "run", "--json"});
  REQUIRE(track.end() == "exit code 0");
  CHECK(nlohmann::json::parse(track.out()).at("tracks") == 1);
  Program count = drone_program(
      {"count", folder / "run", "--site", folder.with_text("site.toml", site), "--json"});
  REQUIRE(count.end() == "exit code 0");
  const auto json = nlohmann::json::parse(count.out());
  CHECK(json.at("lines")[0].at("directions").at("east").at("vehicles") == 1);
  CHECK(json.at("crossings")[0].at("seconds").get<double>() == doctest::Approx(1.4).epsilon(0.05));
}

TEST_CASE("export writes what track would have printed, GeoJSON and KML") {
  const ScratchFolder folder;
  const std::string run = run_in(folder, {"-o", folder / "tracks.txt"});
  Program mot = drone_program({"export", run, "--format", "mot", "-o", folder / "again.txt"});
  REQUIRE(mot.end() == "exit code 0");
  CHECK(contents(folder / "again.txt") == contents(folder / "tracks.txt"));
  const std::string located = folder.with_text("located.toml", site + ground_points);
  Program geojson = drone_program(
      {"export", run, "--format", "geojson", "--site", located, "-o", folder / "tracks.geojson"});
  REQUIRE(geojson.end() == "exit code 0");
  const auto json = nlohmann::json::parse(contents(folder / "tracks.geojson"));
  REQUIRE(json.at("features").size() == 6);
  const auto first = json.at("features")[3].at("geometry").at("coordinates")[0];
  CHECK(first[0].get<double>() == doctest::Approx(14.0 + 25.0 / 300.0 * 0.001).epsilon(1e-8));
  CHECK(first[1].get<double>() == doctest::Approx(50.001 - 50.0 / 200.0 * 0.0005).epsilon(1e-8));
  Program kml = drone_program(
      {"export", run, "--format", "kml", "--site", located, "-o", folder / "tracks.kml"});
  REQUIRE(kml.end() == "exit code 0");
  CHECK(contents(folder / "tracks.kml").find("<name>track 1</name>") != std::string::npos);
}

TEST_CASE("detections of a run are tracked again, and damaged ones are refused with their line") {
  const ScratchFolder folder;
  const std::string run = run_in(folder, {"-o", folder / "tracks.txt"});
  const std::string boxes = folder / "boxes_again.txt";
  Program exported = drone_program({"export", run, "--format", "detections", "-o", boxes});
  REQUIRE(exported.end() == "exit code 0");
  Program again = drone_program({"track", boxes, "--fps", "10", "-o", folder / "again.txt"});
  REQUIRE(again.end() == "exit code 0");
  CHECK(contents(folder / "again.txt") == contents(folder / "tracks.txt"));
  std::string damaged = contents(run + "/detections.csv");
  damaged.replace(damaged.find("\n1,") + 1, 2, "x,");
  std::ofstream(run + "/detections.csv") << damaged;
  check_refusal({"export", run, "--format", "detections", "-o", boxes}, "exit code 3",
                "detections.csv' line 2 is no detection");
}

TEST_CASE("export draws a heatmap and a time-space diagram") {
  const ScratchFolder folder;
  const std::string run = run_in(folder);
  Program heat = drone_program({"export", run, "--format", "heatmap", "-o", folder / "heat.png"});
  CHECK(heat.end() == "exit code 0");
  CHECK(contents(folder / "heat.png").substr(1, 3) == "PNG");
  const std::string lanes = folder.with_text(
      "lanes.toml",
      "[[lane]]\nname = \"east\"\npoints = [[0, 0], [300, 0], [300, 100], [0, 100]]\n"
      "direction = [[0, 50], [300, 50]]\n");
  Program diagram = drone_program(
      {"export", run, "--format", "time-space", "--site", lanes, "-o", folder / "lane.png"});
  CHECK(diagram.end() == "exit code 0");
  CHECK(contents(folder / "lane.png").substr(1, 3) == "PNG");
  check_refusal({"export", run, "--format", "time-space", "-o", folder / "x"}, "exit code 2",
                "needs --site FILE with a [[lane]]");
  check_refusal({"export", run, "--format", "time-space", "--site",
                 folder.with_text("site.toml", site), "-o", folder / "x"},
                "exit code 3", "has no [[lane]]");
  check_refusal({"export", run, "--format", "time-space", "--site", lanes, "--lane", "west", "-o",
                 folder / "x"},
                "exit code 2", "the site has east");
}

TEST_CASE("a crashed run is counted and exported, and the program says so") {
  const ScratchFolder folder;
  const std::string run = run_in(folder);
  std::filesystem::resize_file(run + "/frames.csv",
                               std::filesystem::file_size(run + "/frames.csv") - 5);
  Program count = drone_program({"count", run, "--site", folder.with_text("site.toml", site)});
  CHECK(count.end() == "exit code 0");
  CHECK(count.err().find("ends in the middle of line") != std::string::npos);
  Program mot = drone_program({"export", run, "--format", "mot", "-o", folder / "tracks.txt"});
  CHECK(mot.end() == "exit code 0");
  CHECK(mot.err().find("ends in the middle of line") != std::string::npos);
}

TEST_CASE("bad input of count and export is refused in one sentence") {
  const ScratchFolder folder;
  const std::string run = run_in(folder), good = folder.with_text("site.toml", site);
  check_refusal({"count", folder / "none", "--site", good}, "exit code 3", "run.json");
  check_refusal({"count", run}, "exit code 2", "--site is required");
  check_refusal({"count", run, "--site", folder / "none.toml"}, "exit code 3", "none.toml");
  check_refusal({"count", run, "--site",
                 folder.with_text("bow.toml",
                                  "[[zone]]\nname = \"z\"\npoints = [[0,0],[9,9],[9,0],[0,9]]\n")},
                "exit code 3", "bow.toml:1: the zone 'z' crosses itself");
  check_refusal({"count", run, "--site",
                 folder.with_text("earth.toml",
                                  "coordinates = \"wgs84\"\n[[line]]\nname = \"a\"\n"
                                  "points = [[50, 14], [50, 14.1]]\n")},
                "exit code 3", "no track of the run");
  check_refusal({"export", run, "--format", "geojson", "-o", folder / "x"}, "exit code 3",
                "give --site FILE with ground points in WGS84");
  check_refusal({"export", run, "--format", "kml", "--site", good, "-o", folder / "x"},
                "exit code 3", "add ground points");
  check_refusal({"export", run, "--format", "gpx", "-o", folder / "x"}, "exit code 2", "gpx");
  check_refusal({"track", folder / "boxes.txt", "--fps", "10", "--run", run}, "exit code 2",
                "has a run already");
  check_refusal(
      {"track", folder / "boxes.txt", "--fps", "10", "--run", folder / "new", "--size", "9"},
      "exit code 2", "such as 1920x1080");
  check_refusal({"track", folder / "boxes.txt", "--fps", "10", "--size", "9x9"}, "exit code 2",
                "--size needs --run FOLDER");
  check_refusal({"track", folder / "boxes.txt", "--fps", "10", "--run", folder / "new", "-o",
                 folder / "new/frames.csv"},
                "exit code 2", "lies in the run folder");
}

TEST_CASE("a disk that fills up during a run is an error") {
  if (!std::filesystem::exists("/dev/full")) return;
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "run");
  std::filesystem::create_symlink("/dev/full", folder / "run/frames.csv");
  check_refusal(
      {"track", folder.with_text("boxes.txt", traffic()), "--fps", "10", "--run", folder / "run"},
      "exit code 1", "frames.csv': No space left on device");
}
