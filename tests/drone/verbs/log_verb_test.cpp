// The verb `log` of the real program.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "apps/drone/logs/flight_summary.hpp"
#include "tests/apps/program.hpp"
#include "tests/apps/scratch_folder.hpp"
#include "tests/drone/align/drawn_log.hpp"
#include "tests/drone/motion/painted_world.hpp"
#include "tests/places.hpp"

using namespace shingle;

namespace {

const std::string subtitles =
    "1\n00:00:00,000 --> 00:00:01,000\n2024-01-18 10:23:26.000\n[latitude: 41.5] [longitude: 2.25] "
    "[rel_alt: 60.0 abs_alt: 150.0]\n\n"
    "2\n00:00:01,000 --> 00:00:02,000\n2024-01-18 10:23:27.000\n[latitude: 41.5] [longitude: 2.25] "
    "[rel_alt: 61.0 abs_alt: 151.0]\n";

Program log_program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "log");
  return Program(std::move(arguments), {}, drone_program());
}

// Pictures of a painted ground, as the flight saw it from `begin` seconds of the log on.
void draw_pictures(const ScratchFolder& folder, const drone::DrawnLog& flight, double begin,
                   int pictures, double rate) {
  const cv::Size size{320, 240};
  const drone::ViewOptions options{.width = 320.0, .height = 240.0};
  const auto frame = drone::LocalFrame::at({48.0, 11.0, 0.0});
  const cv::Mat ground = drone::painted_ground(5);
  // The first picture shows the middle of the painting.
  const drone::Homography onto_first =
      drone::camera_at(drone::world_side / 2.0, drone::world_side / 2.0, 0.0, 1.0, 0.0, size);
  const auto first = drone::view_of(flight.at(begin), *frame, options);
  REQUIRE(first);
  for (int i = 0; i < pictures; ++i) {
    const auto view = drone::view_of(flight.at(begin + i / rate), *frame, options);
    REQUIRE(view);
    const auto motion = drone::motion_between(*first, *view);
    REQUIRE(motion);
    char name[20];
    std::snprintf(name, sizeof name, "%04d.png", i);
    REQUIRE(cv::imwrite(folder / name, drone::picture_of(ground, *motion * onto_first, size)));
  }
}

}  // namespace

TEST_CASE("log --video finds where the pictures lie in the log") {
  const ScratchFolder folder, pictures;
  const drone::DrawnLog flight(3);
  const std::string log = folder.with_text("drawn.csv", drone::csv_of(flight.logged(true)));
  draw_pictures(pictures, flight, drone::late_seconds, 200, 10.0);
  Program program = log_program({log, "--video", pictures.path(), "--fps", "10", "--json"});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  const auto offset = nlohmann::json::parse(program.out()).at("offset");
  CHECK(offset.at("seconds") == doctest::Approx(drone::late_seconds).epsilon(0.01));
  CHECK(offset.at("half_width") < 0.5);
  Program without_rate = log_program({log, "--video", pictures.path()});
  CHECK(without_rate.end() == "exit code 2");
  CHECK(without_rate.err().find("give --fps") != std::string::npos);
}

TEST_CASE("log says what a flight log knows and lacks") {
  const ScratchFolder folder;
  Program program = log_program({folder.with_text("a.SRT", subtitles), "--at", "0.5"});
  CHECK(program.end() == "exit code 0");
  const std::string text = program.out();
  for (const char* part :
       {"format    DJI subtitles (SRT)\n", "samples   2, one each 1.000 s\n",
        "time      0.000 to 2.000 s of the video, 2.000 s long\n",
        "clock     2024-01-18 10:23:26.000 to 2024-01-18 10:23:27.000 local time\n",
        "height                       60.000           61.000  m\n",
        "missing   without gimbal angles: give --gimbal-pitch, else nadir is assumed\n",
        "at 0.500 s\n", "height                       60.500  m\n"})
    CHECK_MESSAGE(text.find(part) != std::string::npos, part);
}

TEST_CASE("log --json is one object, and --csv is a log again") {
  const ScratchFolder folder;
  const std::string path = folder.with_text("a.SRT", subtitles);
  Program json = log_program({path, "--json", "--zone", "1", "--at", "1"});
  CHECK(json.end() == "exit code 0");
  const auto object = nlohmann::json::parse(json.out());
  CHECK(object.at("format") == "dji-srt");
  CHECK(object.at("samples") == 2);
  CHECK(object.at("seconds_of") == "video");
  CHECK(object.at("clock").at("first") == "2024-01-18 09:23:26.000");
  CHECK(object.at("clock").at("is_utc") == true);
  CHECK(object.at("known").at("height").at("most") == 61.0);
  CHECK(object.at("at").at("altitude") == 151.0);
  Program csv = log_program({path, "--csv"});
  CHECK(csv.end() == "exit code 0");
  CHECK(csv.out_lines()[0] == "video_time,local_time,latitude,longitude,height,altitude");
  Program again = log_program({folder.with_text("b.csv", csv.out()), "--csv"});
  CHECK(again.end() == "exit code 0");
  CHECK(again.out() == csv.out());
}

TEST_CASE("log reads any table with a column map") {
  const ScratchFolder folder;
  const std::string path = folder.with_text("a.csv", "t,up\n0,100\n500,110\n");
  Program program = log_program({path, "--columns", "time=t:ms, height=up:ft", "--csv"});
  CHECK(program.end() == "exit code 0");
  CHECK(program.out() == "time,height\n0.000000,30.480\n0.500000,33.528\n");
}

TEST_CASE("bad input of log is refused in one sentence") {
  const ScratchFolder folder;
  const std::string good = folder.with_text("a.SRT", subtitles);
  struct Refusal {
    std::vector<std::string> arguments;
    std::string exit, part;
  };
  for (const Refusal& each :
       {Refusal{{folder / "none.SRT"}, "exit code 3", "cannot read"},
        Refusal{{folder.with_text("e.SRT", "")}, "exit code 3", "is empty"},
        Refusal{{good, "--at", "9"}, "exit code 3", "no telemetry at 9.000 s"},
        Refusal{{good, "--json", "--csv"}, "exit code 2", "--csv"},
        Refusal{{good, "--zone", "25"}, "exit code 2", "--zone"},
        Refusal{{good, "--columns", "hight=h"}, "exit code 2", "has an unknown field"}}) {
    Program program = log_program(each.arguments);
    CHECK(program.end() == each.exit);
    CHECK(program.out() == "");
    CHECK(program.err_lines() == 1);
    CHECK_MESSAGE(program.err().find(each.part) != std::string::npos, program.err());
  }
}
