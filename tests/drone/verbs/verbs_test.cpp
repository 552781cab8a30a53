// The real program shingle-drone: output, exit codes, one sentence for each kind of bad input.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/drone/verbs/drone_program.hpp"

using namespace shingle;

namespace {

// A car that drives to the right for ten frames.
std::string car_text() {
  std::string text;
  for (int frame = 1; frame <= 10; ++frame)
    text += std::to_string(frame) + ",-1," + std::to_string(5 * frame) + ",50,40,20,0.9,-1,-1,-1\n";
  return text;
}

}  // namespace

TEST_CASE("track follows a car in MOTChallenge text and in lines of shingle run alike") {
  const ScratchFolder folder;
  const std::string text = folder.with_text("boxes.txt", car_text());
  std::string lines = "{\"node\":0,\"tiles\":1}\n";
  for (int frame = 0; frame < 10; ++frame)
    lines +=
        "{\"frame\":" + std::to_string(frame) +
        ",\"boxes\":[{\"class\":2,\"score\":0.9,\"x\":" + std::to_string(5 * (frame + 1)) +
        ",\"y\":50,\"w\":40,\"h\":20}]}\n" +  // and a further model's boxes
        "{\"frame\":" + std::to_string(frame) +
        R"(,"model":"plates","boxes":[{"class":0,"score":0.9,"x":500,"y":50,"w":40,"h":20}]})" +
        "\n";
  const std::string json = folder.with_text("boxes.jsonl", lines);
  Program from_text = drone_program({"track", text, "--fps", "30"});
  Program from_json = drone_program({"track", json, "--fps", "30"});
  CHECK(from_text.end() == "exit code 0");
  CHECK(from_json.end() == "exit code 0");
  REQUIRE(from_text.out_lines().size() == 10);
  REQUIRE(from_json.out_lines().size() == 10);
  CHECK(from_text.out_lines()[0] == "1,1,5.000,50.000,40.000,20.000,0.9,-1,-1,-1");
  CHECK(from_json.out_lines()[0] == "1,1,5.000,50.000,40.000,20.000,0.9,2,-1,-1");
}

TEST_CASE("a folder in the place of a file is named") {
  const ScratchFolder folder;
  check_refusal({"track", folder.path(), "--fps", "30"}, "exit code 3", "Is a directory");
}

TEST_CASE("track reads detections as ByteTrack's C++ ports have them") {
  const ScratchFolder folder;
  std::string results;
  for (int frame = 0; frame < 10; ++frame)
    results += std::string(frame == 0 ? "" : ",\n") + "{\"frame_id\": \"" + std::to_string(frame) +
               "\", \"prob\": \"0.9\", \"x\": \"" + std::to_string(5 * (frame + 1)) +
               "\", \"y\": 50, \"width\": 40, \"height\": \"20\"}";
  const auto with = [&](const std::string& list) {
    return folder.with_text("boxes.json", "{\n\"fps\": 30,\n\"results\": [\n" + list + "]}\n");
  };
  Program program = drone_program({"track", with(results), "--fps", "30"});
  CHECK_MESSAGE(program.end() == "exit code 0", program.err());
  REQUIRE(program.out_lines().size() == 10);
  CHECK(program.out_lines()[0] == "1,1,5.000,50.000,40.000,20.000,0.9,-1,-1,-1");
  const std::string begin = "{\"frame_id\":0,\"x\":1,\"y\":1,\"width\":1,\"height\":";
  check_refusal({"track", with(begin + "1}"), "--fps", "30"}, "exit code 3",
                "boxes.json' line 4 lacks x, y, width, height or prob");
  check_refusal({"track", with(begin + "\"1p\",\"prob\":1}"), "--fps", "30"}, "exit code 3",
                "line 4 lacks");
  check_refusal({"track", with("{\"frame_id\":-1}"), "--fps", "30"}, "exit code 3",
                "line 4 has no frame_id");
  check_refusal({"track", with("7"), "--fps", "30"}, "exit code 3", "result 1 is no detection");
}

TEST_CASE("track with a flight log tells places, also in a map's grid, and export writes them") {
  const ScratchFolder folder;
  const std::string boxes = folder.with_text("boxes.txt", car_text());
  const std::string log =
      folder.with_text("log.csv",
                       "video_time,latitude,longitude,height,gimbal_yaw,gimbal_pitch,focal_35mm\n"
                       "0,50,15,100,0,-90,24\n9,50,15,100,0,-90,24\n");
  const auto run_with = [&](const std::string& run, const std::vector<std::string>& more) {
    std::vector<std::string> words{"track",      boxes,   "--fps", "30",     "--run",
                                   folder / run, "--log", log,     "--size", "1920x1080"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  Program tracked = drone_program(run_with("run", {"--crs", "EPSG:32633"}));
  REQUIRE_MESSAGE(tracked.end() == "exit code 0", tracked.err());
  const std::string frames = contents(folder / "run/frames.csv");
  CHECK(frames.substr(0, frames.find('\n')).ends_with(",easting_m,northing_m"));
  // 50 N 15 E is at 500000.00, 5538630.70 in zone 33; the car begins 72.5 m west and 37.2 m north.
  CHECK_MESSAGE(frames.find(",499927.") != std::string::npos, frames);
  CHECK_MESSAGE(frames.find(",5538667.") != std::string::npos, frames);

  const std::string geojson = folder / "run.geojson";
  Program exported =
      drone_program({"export", folder / "run", "--format", "geojson", "-o", geojson});
  REQUIRE_MESSAGE(exported.end() == "exit code 0", exported.err());
  const auto track = nlohmann::json::parse(contents(geojson)).at("features")[0];
  CHECK(track.at("geometry").at("coordinates")[0][1].get<double>() ==
        doctest::Approx(50.00033).epsilon(1e-6));
  CHECK(track.at("properties").at("grid") == "EPSG:32633");
  CHECK(track.at("properties").at("easting_m").size() == 10);

  Program table = drone_program({"export", folder / "run", "--format", "csv", "--crs", "EPSG:3857",
                                 "-o", folder / "table.csv"});
  REQUIRE_MESSAGE(table.end() == "exit code 0", table.err());
  CHECK(contents(folder / "table.csv").find(",1669679.") != std::string::npos);
  check_refusal({"export", folder / "run", "--format", "kml", "--crs", "EPSG:32633", "-o",
                 folder / "run.kml"},
                "exit code 2", "--crs is for the formats csv and geojson");
  check_refusal(run_with("two", {"--crs", "EPSG:4326"}), "exit code 2", "counts in degrees");
  check_refusal(run_with("two", {"--crs", "EPSG:5186"}), "exit code 3",
                "is outside the area of EPSG:5186 (");
  check_refusal(run_with("three", {"--camera", folder.with_text("lens.toml", "width = 3840\n")}),
                "exit code 3", "lens.toml:");
  check_refusal({"track", boxes, "--fps", "30", "--run", folder / "four", "--log", log},
                "exit code 2", "--size");
}

TEST_CASE("a lens's file changes what a pixel is on the ground") {
  const ScratchFolder folder;
  const std::string log = folder.with_text("log.csv",
                                           "video_time,latitude,longitude,height,gimbal_yaw,"
                                           "gimbal_pitch\n0,50,15,100,0,-90\n9,50,15,100,0,-90\n");
  const std::string lens = folder.with_text(
      "lens.toml", "width = 3840\nheight = 2160\nfocal = 2560\ndistortion = [0.1, 0, 0, 0]\n");
  Program program =
      drone_program({"track", folder.with_text("boxes.txt", car_text()), "--fps", "30", "--run",
                     folder / "run", "--log", log, "--size", "1920x1080", "--camera", lens});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  // Its middle is 935 pixels left of the picture's and 480 above it: r = 0.8211 of the focal
  // length, which the lens has moved outwards from 0.7746; so it is 68.40 m west, not 72.50.
  const std::string frames = contents(folder / "run/frames.csv");
  CHECK_MESSAGE(frames.find(",-68.39") != std::string::npos, frames);
}

TEST_CASE("track --json sums up and -o has the tracks") {
  const ScratchFolder folder;
  Program program = drone_program({"track", folder.with_text("boxes.txt", car_text()), "--fps",
                                   "30", "-o", folder / "tracks.txt", "--json"});
  CHECK(program.end() == "exit code 0");
  const auto summary = nlohmann::json::parse(program.out());
  CHECK(summary.at("frames") == 10);
  CHECK(summary.at("tracks") == 1);
  CHECK(summary.at("boxes") == 10);
  CHECK(contents(folder / "tracks.txt").starts_with("1,1,5.000"));
}

TEST_CASE("eval of a result against itself is perfect, and says how long it took the video to be") {
  const ScratchFolder folder;
  const std::string boxes = folder.with_text("boxes.txt", "1,1,0,0,9,9,1,1,1\n4,1,1,0,9,9,1,1,1\n");
  Program program = drone_program({"eval", boxes, boxes, "--json"});
  CHECK(program.end() == "exit code 0");
  CHECK(program.err().find("taken to end with frame 4") != std::string::npos);
  const auto scores = nlohmann::json::parse(program.out()).at("combined");
  CHECK(scores.at("MOTA") == 1.0);
  CHECK(scores.at("HOTA") == 1.0);
  CHECK(scores.at("CLR_Frames") == 4);
}

TEST_CASE("times say which frames there are, and a camera's motion is read") {
  const ScratchFolder folder;
  const std::string boxes = folder.with_text(
      "boxes.txt", "1,-1,0,0,40,20,0.9\n7,-1,60,0,40,20,0.9\n13,-1,120,0,40,20,0.9\n");
  const std::string times = folder.with_text("times.csv", "1,0.0\n7,0.2\n13,0.4\n");
  const std::string motion =
      folder.with_text("motion.csv", "7,1,0,60,0,1,0\n13 1 0 60 0 1 0 0 0 1\n");
  Program program =
      drone_program({"track", boxes, "--fps", "30", "--times", times, "--camera-motion", motion});
  CHECK(program.end() == "exit code 0");
  REQUIRE(program.out_lines().size() == 3);
  CHECK(program.out_lines()[2].starts_with("13,1,120.0"));
}

TEST_CASE("bad input of track is refused in one sentence") {
  const ScratchFolder folder;
  const std::string good = folder.with_text("good.txt", car_text());
  const auto with = [&](const char* option, const std::string& text) {
    return std::vector<std::string>{"track", good,   "--fps",
                                    "30",    option, folder.with_text("beside.txt", text)};
  };
  check_refusal({"track", folder / "none.txt", "--fps", "30"}, "exit code 3", "cannot read");
  check_refusal({"track", good}, "exit code 2", "--fps is required");
  check_refusal({"track", good, "--fps", "0"}, "exit code 2", "--fps");
  check_refusal({"track", good, "--fps", "30", "--json"}, "exit code 2", "--json needs -o FILE");
  check_refusal({"track", folder.with_text("bad.txt", "1,-1,0,0,5,5\n1,-1,0\n"), "--fps", "30"},
                "exit code 3", "bad.txt' line 2 has 3 fields");
  check_refusal({"track", folder.with_text("bad.jsonl", "{\"node\":1}\n"), "--fps", "30"},
                "exit code 3", "has no line with a frame's boxes");
  check_refusal(with("--times", "1,0\n2,0.1\n3,0.1\n"), "exit code 3",
                "line 3 has the time 0.1 s, which is not after the frame before");
  check_refusal(with("--times", "1,0\n2,0.1\n"), "exit code 3", "has no time");
  check_refusal(with("--camera-motion", "2,1,0,0,0,1,0,0\n"), "exit code 3",
                "has a matrix of neither 6 nor 9 numbers");
  check_refusal(with("--camera-motion", "2,1,1,0,1,1,0\n"), "exit code 3",
                "has a matrix that maps a plane to a line");
}

TEST_CASE("bad input of eval is refused in one sentence") {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "truth");
  std::filesystem::create_directories(folder / "tracks");
  std::filesystem::create_directories(folder / "empty");
  const std::string truth = folder.with_text("truth/a.txt", "1,1,0,0,9,9,1,1,1\n");
  const std::string twice = folder.with_text("twice.txt", "1,1,0,0,9,9\n1,1,5,0,9,9\n");
  check_refusal({"eval", folder / "truth", folder / "tracks"}, "exit code 3",
                "/tracks/a.txt' for the ground truth");
  check_refusal({"eval", folder / "truth", truth}, "exit code 3", "two files or two folders");
  check_refusal({"eval", folder / "empty", folder / "tracks"}, "exit code 3",
                "has no ground truth");
  check_refusal({"eval", truth, twice, "--frames", "1"}, "exit code 3",
                "twice.txt' line 2 has the id 1 a second time in frame 1");
  folder.with_text("truth/seqinfo.ini", "[Sequence]\nname=a\n");
  check_refusal({"eval", truth, truth}, "exit code 3", "has no line 'seqLength=N'");
  check_refusal({"eval", truth, truth, "--benchmark", "mot99"}, "exit code 2", "mot99");
}

TEST_CASE("a full disk is an error") {
  if (!std::filesystem::exists("/dev/full")) return;
  const ScratchFolder folder;
  check_refusal({"track", folder.with_text("boxes.txt", car_text()), "--fps", "30", "-o",
                 "/dev/full/tracks.txt"},
                "exit code 1", "/dev/full/tracks.txt");
}
