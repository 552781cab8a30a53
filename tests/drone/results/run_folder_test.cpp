// Run folders: what is written is read; runs that were cut off; damaged files; full disks.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "apps/drone/results/frames_csv.hpp"
#include "apps/drone/results/run_reader.hpp"
#include "apps/drone/results/run_writer.hpp"
#include "tests/apps/program.hpp"

using namespace shingle;
using namespace shingle::drone;

namespace {

constexpr double frames_per_second = 25.0;

Sighting sighting(uint32_t frame, int64_t track) {
  return {.frame = frame,
          .seconds = (frame - 1) / frames_per_second,
          .track = track,
          .class_id = 2,
          .score = 0.875,
          .box = {10.0 + frame, 20.0, 40.0, 16.5},
          .key = PlanePoint{30.0 + frame, 28.25}};
}

Result<RunWriter> begun(const std::string& folder, bool has_ground = false) {
  return RunWriter::begin(folder,
                          {.program = "test",
                           .source = "boxes.txt",
                           .frames_per_second = frames_per_second,
                           .has_ground = has_ground,
                           .options = {{"high", "0.5"}}},
                          1.0);
}

Status write_frame(RunWriter& writer, uint32_t frame, std::vector<int64_t> tracks) {
  std::vector<Sighting> sightings;
  for (const int64_t track : tracks) sightings.push_back(sighting(frame, track));
  return writer.write(frame, (frame - 1) / frames_per_second, sightings);
}

std::string refusal_of(const std::string& text) {
  const auto read = read_frames(text, "frames.csv");
  return read ? "was read" : read.error();
}

}  // namespace

TEST_CASE("a run is read as it was written") {
  const ScratchFolder folder;
  auto writer = begun(folder / "run");
  REQUIRE(writer);
  std::vector<Sighting> written;
  for (uint32_t frame = 1; frame <= 60; ++frame) {
    REQUIRE(write_frame(*writer, frame, {1, 2}));
    written.push_back(sighting(frame, 1)), written.push_back(sighting(frame, 2));
  }
  REQUIRE(writer->finish());
  const auto run = read_run(folder / "run");
  REQUIRE(run);
  CHECK(run->sightings == written);
  CHECK(run->notes.empty());
  CHECK(run->info.is_complete);
  CHECK(run->info.frames == 60);
  CHECK(run->info.frames_per_second == 25.0);
  CHECK(run->info.options == std::vector<std::pair<std::string, std::string>>{{"high", "0.5"}});
}

TEST_CASE("what is not known is empty, in the file and after reading") {
  Sighting one = sighting(1, 7);
  one.class_id = -1;
  one.key.reset();
  one.ground.x_metres = {12.5, 0.25};
  one.ground.speed_mps = {0.0, std::nullopt};
  one.ground.latitude = 50.12345678;
  const std::string line = frames_line(one, {.has_ground = true});
  CHECK(
      line ==
      "1,0.000000,7,,0.875000,11.000,20.000,40.000,16.500,,,12.500,0.250,,,50.12345678,,0.000,,,,,"
      ",,\n");
  const auto read = read_frames(frames_header({.has_ground = true}) + line, "frames.csv");
  REQUIRE(read);
  CHECK(read->sightings == std::vector<Sighting>{one});
}

TEST_CASE("whatever columns a run has, it is read as it was written") {
  Sighting one = sighting(1, 7);
  one.ground.latitude = 50.12345678;
  one.map = PlanePoint{499927.529, 5538667.904};
  for (const bool has_ground : {false, true})
    for (const bool has_map : {false, true}) {
      const FrameColumns columns{has_ground, has_map};
      Sighting told = one;
      if (!has_ground) told.ground = {};
      if (!has_map) told.map.reset();
      const auto read =
          read_frames(frames_header(columns) + frames_line(one, columns), "frames.csv");
      REQUIRE_MESSAGE(read, read.error());
      CHECK(read->sightings == std::vector<Sighting>{told});
      CHECK(read->columns.has_map == has_map);
    }
}

TEST_CASE("what is too small or too far away for the table does not make it unreadable") {
  const ScratchFolder folder;
  auto writer = begun(folder / "run");
  REQUIRE(writer);
  Sighting tiny = sighting(1, 1);
  tiny.box.w = 0.0002, tiny.box.h = 0.0004;
  tiny.key = PlanePoint{3e9, 0.0};  // near the horizon
  REQUIRE(writer->write(1, 0.0, std::vector{tiny}));
  const Status same = writer->write(2, 4e-7, {});
  REQUIRE_FALSE(same);
  CHECK(same.error().find("a microsecond apart at least") != std::string::npos);
  REQUIRE(writer->write(3, 2e-6, {}));
  REQUIRE(writer->finish());
  const auto run = read_run(folder / "run");
  REQUIRE_MESSAGE(run, run.error());
  REQUIRE(run->sightings.size() == 1);
  CHECK(run->sightings[0].box.w == 0.001);
  CHECK_FALSE(run->sightings[0].key);
}

TEST_CASE("tracks.csv and events.csv have each track, written when it has ended") {
  const ScratchFolder folder;
  auto writer = begun(folder / "run");
  REQUIRE(writer);
  for (uint32_t frame = 1; frame <= 10; ++frame) REQUIRE(write_frame(*writer, frame, {1}));
  for (uint32_t frame = 11; frame <= 40; ++frame) REQUIRE(write_frame(*writer, frame, {2}));
  CHECK(contents(folder / "run/tracks.csv").find("\n1,2,10,1,10,0.000000,0.360000,0.8750,,,\n") !=
        std::string::npos);
  CHECK(contents(folder / "run/events.csv") ==
        "seconds,frame,track,event,place,direction,kmh\n0.000000,1,1,begin,,,\n"
        "0.400000,11,2,begin,,,\n0.360000,10,1,end,,,\n");
  REQUIRE(writer->finish());
  CHECK(contents(folder / "run/tracks.csv").find("\n2,2,30,11,40,") != std::string::npos);
}

TEST_CASE(
    "what happens at the site stands in events.csv, with names in quotes where they need it") {
  const ScratchFolder folder;
  auto writer = begun(folder / "run");
  REQUIRE(writer);
  REQUIRE(write_frame(*writer, 1, {1}));
  const std::vector<SiteEvent> events{{.kind = SiteEventKind::crossing,
                                       .frame = 1,
                                       .seconds = 0.25,
                                       .track = 1,
                                       .place = "north, in",
                                       .direction = "down"},
                                      {.kind = SiteEventKind::overspeed,
                                       .frame = 1,
                                       .seconds = 0.5,
                                       .track = 1,
                                       .place = "east",
                                       .kmh = 76.6}};
  REQUIRE(writer->write(events));
  CHECK(
      contents(folder / "run/events.csv")
          .find(
              "0.250000,1,1,crossing,\"north, in\",down,\n0.500000,1,1,overspeed,east,,76.60\n") !=
      std::string::npos);
}

TEST_CASE("a run that ends before its first frame leaves nothing, what was there before stays") {
  const ScratchFolder folder;
  { REQUIRE(begun(folder / "run").ok()); }
  CHECK_FALSE(std::filesystem::exists(folder / "run"));
  std::filesystem::create_directory(folder / "run");
  folder.with_text("run/notes.txt", "mine");
  { REQUIRE(begun(folder / "run").ok()); }
  CHECK(contents(folder / "run/notes.txt") == "mine");
  CHECK_FALSE(std::filesystem::exists(folder / "run/run.json"));
  {
    auto writer = begun(folder / "run");
    REQUIRE(writer);
    REQUIRE(writer->set_size(640, 480));
    REQUIRE(write_frame(*writer, 1, {}));
  }
  const auto run = read_run(folder / "run");
  REQUIRE_MESSAGE(run, run.error());
  CHECK(run->info.width == 640);
  CHECK_FALSE(run->info.is_complete);
}

TEST_CASE("a folder that is not there cannot be synced, and says so") {
  const ScratchFolder folder;
  CHECK(sync_folder(folder.path()));
  const Status missing = sync_folder(folder / "none");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().find("No such file") != std::string::npos);
}

TEST_CASE("a killed writer loses at most a second, and its run is read") {
  const ScratchFolder folder;
  int pipe_ends[2];
  REQUIRE(::pipe(pipe_ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {  // writes until it is killed, and says how far it is
    auto writer = begun(folder / "run");
    for (uint32_t frame = 1; frame < 1'000'000; ++frame) {
      if (!writer || !write_frame(*writer, frame, {1, 2, 3})) ::_exit(1);
      if (::write(pipe_ends[1], &frame, sizeof frame) != sizeof frame) ::_exit(1);
    }
    ::_exit(1);
  }
  ::close(pipe_ends[1]);
  uint32_t last = 0;
  while (last < 200 && ::read(pipe_ends[0], &last, sizeof last) == sizeof last) {
  }
  ::kill(child, SIGKILL);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  while (::read(pipe_ends[0], &last, sizeof last) == sizeof last) {  // what it said at the end
  }
  ::close(pipe_ends[0]);
  const auto run = read_run(folder / "run");
  REQUIRE_MESSAGE(run.ok(), (run ? std::string() : run.error()));
  REQUIRE(!run->sightings.empty());
  CHECK(run->sightings.back().seconds >= (last - 1) / frames_per_second - 1.0);
  CHECK(!run->info.is_complete);
  REQUIRE(!run->notes.empty());
  CHECK(run->notes.back().find("did not come to its end") != std::string::npos);
}

TEST_CASE("a run that is cut anywhere is read up to the last whole line, and says so") {
  const ScratchFolder folder;
  auto writer = begun(folder / "run");
  REQUIRE(writer);
  for (uint32_t frame = 1; frame <= 5; ++frame) REQUIRE(write_frame(*writer, frame, {1}));
  const std::string text = contents(folder / "run/frames.csv");
  for (size_t bytes = 0; bytes <= text.size(); ++bytes) {
    const std::string cut = text.substr(0, bytes);
    const auto read = read_frames(cut, "frames.csv");
    REQUIRE(read);
    const auto newlines = static_cast<size_t>(std::count(cut.begin(), cut.end(), '\n'));
    CHECK(read->sightings.size() == (newlines == 0 ? 0 : newlines - 1));
    CHECK((read->torn_line != 0) == (bytes > 0 && cut.back() != '\n'));
  }
  std::filesystem::resize_file(folder / "run/frames.csv", text.size() - 3);
  const auto run = read_run(folder / "run");
  REQUIRE(run);
  CHECK(run->sightings.size() == 4);
  REQUIRE(run->notes.size() == 2);
  CHECK(run->notes[0].find("ends in the middle of line 6, which is left out") != std::string::npos);
  CHECK(run->notes[1].find("it is read up to 0.120 s") != std::string::npos);
}

TEST_CASE("a folder that has a run is not written over") {
  const ScratchFolder folder;
  const auto first = begun(folder / "run");
  REQUIRE(first);
  const auto again = begun(folder / "run");
  REQUIRE(!again);
  CHECK(again.error().find("has a run already, or a file 'run.json'; name another") !=
        std::string::npos);
  CHECK(again.failure().kind == ErrorKind::usage);
  std::filesystem::create_directories(folder / "other");
  folder.with_text("other/tracks.csv", "somebody's own\n");
  const auto other = begun(folder / "other");
  REQUIRE(!other);
  CHECK(other.error().find("'tracks.csv'") != std::string::npos);
}

TEST_CASE("times that do not grow and full disks are refused") {
  const ScratchFolder folder;
  auto writer = begun(folder / "run");
  REQUIRE(writer);
  REQUIRE(write_frame(*writer, 2, {1}));
  const Status back = write_frame(*writer, 2, {1});
  REQUIRE(!back);
  CHECK(back.error() ==
        "frame 2 at 0.040000 s is not after frame 2 at 0.040000 s; give frames by growing time, a "
        "microsecond apart at least");
  if (!std::filesystem::exists("/dev/full")) return;
  auto full = AppendFile::make("/dev/full");
  REQUIRE(full);
  const Status written = full->append("a line\n");
  REQUIRE(!written);
  CHECK(written.error() == "cannot write '/dev/full': No space left on device");
}

TEST_CASE("damaged frames are refused with file, line and reason") {
  const std::string header = frames_header({}), good = frames_line(sighting(2, 1), {});
  CHECK(refusal_of("a,b\n").find("'frames.csv' line 1 is not the header") == 0);
  CHECK(refusal_of(header + "1,2\n").find("line 2 has 2 fields, and the header has 11") !=
        std::string::npos);
  CHECK(refusal_of(header + "1,0,x,,0.5,1,1,1,1,,\n").find("line 2 field 3 is 'x'") !=
        std::string::npos);
  CHECK(refusal_of(header + "1,0,1,,0.5,1,1,nan,1,,\n").find("field 8 is 'nan'") !=
        std::string::npos);
  CHECK(refusal_of(header + "1,0,1,,0.5,1,1,0,1,,\n").find("line 2 has a frame, class, box") !=
        std::string::npos);
  CHECK(refusal_of(header + good + good).find("line 3 has the track 1 twice in frame 2") !=
        std::string::npos);
  CHECK(refusal_of(header + good + frames_line(sighting(1, 1), {}))
            .find("line 3 has the frame 1 after the frame 2") != std::string::npos);
  Sighting late = sighting(3, 1);
  late.seconds = 0.04;
  CHECK(refusal_of(header + good + frames_line(late, {}))
            .find("line 3 has the time 0.04 s, which is not after the frame before") !=
        std::string::npos);
}

TEST_CASE("a folder that is no run is refused") {
  const ScratchFolder folder;
  const auto none = read_run(folder / "none");
  REQUIRE(!none);
  CHECK(none.error().find("run.json': No such file or directory; give the folder of a run") !=
        std::string::npos);
  folder.with_text("run.json", "{\"format\":2}");
  const auto other = read_run(folder.path());
  REQUIRE(!other);
  CHECK(other.error().find("is not the run.json of this program's runs") != std::string::npos);
}
