// `shingle run` from outside: what it prints, how it ends, what it leaves behind.
#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "apps/vision/media_in.hpp"
#include "tests/apps/verbs.hpp"
#include "tests/networks/darknet.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;
using Json = nlohmann::json;

namespace {

uint64_t frames_in(const std::string& video) {
  auto input = MediaInput::open(video);
  REQUIRE_MESSAGE(input.ok(), "the video cannot be played");
  uint64_t frames = 0;
  while (input->next().value()) ++frames;
  return frames;
}

}  // namespace

TEST_CASE("one image runs on local workers without any configuration") {
  const ScratchFolder folder;
  Program program({"run", model_in(folder), image_in(folder), "--verify", "--out",
                   folder / "out.png", "--raw-out", folder / "raw"});
  CHECK_MESSAGE(program.end() == "exit code 0", program.err());
  CHECK(has(program.out(), "identical to one machine: yes (1 of 1 frames)"));
  CHECK(cv::imread(folder / "out.png").size() == cv::Size(160, 120));
  CHECK(std::distance(std::filesystem::directory_iterator(folder / "raw"), {}) == 1);
  CHECK(program.err().empty());
}

TEST_CASE("a clip runs to its end: a line per frame, every tile counted, every byte equal") {
  const ScratchFolder folder;
  const std::string model = model_in(folder), plan = plan_in(folder, model, "3");
  Program program({"run", model, clip_in(folder, 40), "--workers", "3", "--plan", plan, "--json",
                   "--verify", "--slow-worker", "1:3", "--out", folder / "out.mp4"});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  const auto lines = program.out_lines();
  REQUIRE(lines.size() == 40 + 3 + 1);
  for (size_t i = 0; i < 40; ++i) CHECK(Json::parse(lines[i])["frame"] == i);
  const Json summary = Json::parse(lines.back());
  CHECK(summary["nodes"] == 3);
  CHECK(summary["frames"] == 40);
  CHECK(summary["identical"] == true);
  CHECK(summary["fps"].get<double>() > 0);
  uint64_t tiles = 0;
  for (const auto& count : summary["tiles_per_node"]) tiles += count.get<uint64_t>();
  CHECK(tiles > 0);
  CHECK(tiles % 40 == 0);  // the same plan for each frame
  CHECK(summary["wire_bytes_per_frame"].get<int64_t>() > 0);
  CHECK(frames_in(folder / "out.mp4") == 40);
}

TEST_CASE("audits of sound workers say so at the end, and an ill-written share is refused") {
  const ScratchFolder folder;
  // A plan with three homes: no frame is opened before all of them are there to be auditors.
  const std::string model = model_in(folder), plan = plan_in(folder, model, "3");
  Program program({"run", model, clip_in(folder, 10), "--workers", "3", "--plan", plan, "--audit",
                   "50%", "--json", "--verify"});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  const Json summary = Json::parse(program.out_lines().back());
  CHECK(summary["identical"] == true);
  CHECK(summary["audited"].get<int>() > 0);
  CHECK(summary["different"] == 0);
  CHECK(summary["distrusted"].empty());
  Program refused({"run", model, image_in(folder), "--audit", "120%"});
  CHECK(refused.end() == "exit code 2");
  CHECK(has(refused.err(), "'120%' is not a share; write 2% or 0.02"));
}

TEST_CASE("frames that meet a generous deadline are as good as without one" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  Program program(
      {"run", model_in(folder), clip_in(folder, 10), "--deadline", "100", "--json", "--verify"});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  const auto lines = program.out_lines();
  for (size_t i = 0; i < 10; ++i) CHECK(!Json::parse(lines[i]).contains("missed_deadline"));
  const Json summary = Json::parse(lines.back());
  CHECK(summary["late"] == 0);
  CHECK(summary["identical"] == true);
}

TEST_CASE("every frame that cannot be in time ends, and so does the run, with a sentence" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  const std::string model = model_in(folder);
  Program program({"run", model, clip_in(folder, 10), "--deadline", "0.000001", "--json",
                   "--verify", "--raw-out", folder / "raw"});
  CHECK(program.end() == "exit code 1");
  CHECK(has(program.err(), "no frame met its deadline"));
  CHECK(program.err_lines() == 1);
  const auto lines = program.out_lines();
  REQUIRE(lines.size() > 10);
  for (size_t i = 0; i < 10; ++i) {
    const Json frame = Json::parse(lines[i]);
    CHECK(frame["frame"] == i);
    CHECK(frame["missed_deadline"] == true);
    CHECK(!frame.contains("boxes"));
  }
  const Json summary = Json::parse(lines.back());
  CHECK(summary["frames"] == 10);
  CHECK(summary["late"] == 10);
  CHECK(summary["identical"].is_null());
  CHECK(std::filesystem::is_empty(folder / "raw"));
  Program refused({"run", model, image_in(folder), "--deadline", "0"});
  CHECK(refused.end() == "exit code 2");
}

TEST_CASE("a run is compared with one machine that uses the plan's algorithms" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  const std::string plan = folder / "direct.plan";
  const std::string model =
      folder.with_text("unet.onnx", networks::to_onnx(networks::make("unet", 64, 1).value()));
  const std::string boards =
      folder.with_text("boards.toml",
                       "[[node]]\nid = 0\nport = 7001\ngflops = 1.0\npace = true\n"
                       "[[node]]\nid = 1\nport = 7002\ngflops = 1.0\npace = true\n");
  Program planned({"plan", model, "--cluster", boards, "--out", plan});
  // Winograd would gain a paced node nothing.
  REQUIRE_MESSAGE(planned.end() == "exit code 0", planned.err());
  Program run(
      {"run", model, image_in(folder), "--plan", plan, "--json", "--verify", "--head", "raw"});
  CHECK_MESSAGE(run.end() == "exit code 0", run.err());
  CHECK(Json::parse(run.out_lines().back())["identical"] == true);
}

TEST_CASE("a killed worker costs a run no frame and no byte, and is named at the end") {
  const ScratchFolder folder;
  const std::string model = model_in(folder), plan = plan_in(folder, model, "4");
  Program program({"run", model, clip_in(folder, 200), "--plan", plan, "--json", "--verify",
                   "--slow-worker", "0:20", "--out", folder / "out.mp4"});
  REQUIRE(becomes_true([&] { return program.out_lines().size() >= 5; }));
  const auto workers = children_of(program.process().id());
  REQUIRE(workers.size() == 4);
  REQUIRE(::kill(workers[2], SIGKILL) == 0);
  CHECK_MESSAGE(program.end() == "exit code 0", program.err());
  CHECK_MESSAGE(program.err_lines() == 1, program.err());
  CHECK_MESSAGE(has(program.err(), "ended with signal 9; the others did its work"), program.err());
  const Json summary = Json::parse(program.out_lines().back());
  CHECK(summary["frames"] == 200);
  CHECK(summary["identical"] == true);
  CHECK(frames_in(folder / "out.mp4") == 200);
}

TEST_CASE("a run without a worker left ends with one sentence, and done frames are kept") {
  const ScratchFolder folder;
  Program program({"run", model_in(folder), clip_in(folder, 3000), "--workers", "2", "--json",
                   "--verify", "--slow-worker", "0:20", "--out", folder / "out.mp4"});
  REQUIRE(becomes_true([&] { return program.out_lines().size() >= 5; }));
  const auto workers = children_of(program.process().id());
  REQUIRE(workers.size() == 2);
  for (const pid_t worker : workers) REQUIRE(::kill(worker, SIGKILL) == 0);
  CHECK(program.end() == "exit code 1");
  CHECK_MESSAGE(program.err_lines() == 1, program.err());
  CHECK_MESSAGE(has(program.err(), "ended with signal 9"), program.err());
  const Json summary = Json::parse(program.out_lines().back());
  CHECK(summary["frames"].get<uint64_t>() >= 5);
  CHECK(summary["identical"] == true);  // those that were done
  CHECK(frames_in(folder / "out.mp4") == summary["frames"].get<uint64_t>());
  for (const pid_t worker : workers) CHECK(becomes_true([&] { return !is_alive(worker); }));
}

TEST_CASE("the video of a run that was killed plays, and lacks at most its last second") {
  const ScratchFolder folder;
  Program program({"run", model_in(folder), clip_in(folder, 3000), "--json", "--slow-worker",
                   "0:20", "--out", folder / "out.mp4"});
  REQUIRE(becomes_true([&] { return program.out_lines().size() >= 70; }));
  REQUIRE(::kill(program.process().id(), SIGKILL) == 0);
  CHECK(program.end() == "signal 9");
  const std::string lines = program.out();
  const auto told = static_cast<uint64_t>(std::ranges::count(lines, '\n'));
  CHECK(frames_in(folder / "out.mp4") + 25 >= told);
}

TEST_CASE("Ctrl-C ends a run after the frames under way, and closes the video well") {
  const ScratchFolder folder;
  Program program({"run", model_in(folder), clip_in(folder, 3000), "--json", "--slow-worker",
                   "0:20", "--out", folder / "out.mp4"});
  REQUIRE(becomes_true([&] { return program.out_lines().size() >= 3; }));
  ::kill(program.process().id(), SIGINT);
  CHECK(program.end() == "exit code 1");
  CHECK(program.err() == "shingle: stopped by a signal; the frames done so far are kept\n");
  const Json summary = Json::parse(program.out_lines().back());
  CHECK(frames_in(folder / "out.mp4") == summary["frames"].get<uint64_t>());
}

TEST_CASE("workers do not outlive a run that was killed") {
  const ScratchFolder folder;
  Program program(
      {"run", model_in(folder), clip_in(folder, 3000), "--json", "--slow-worker", "0:20"});
  REQUIRE(becomes_true([&] { return program.out_lines().size() >= 1; }));
  const auto workers = children_of(program.process().id());
  REQUIRE(workers.size() == 4);
  ::kill(program.process().id(), SIGKILL);
  CHECK(program.end() == "signal 9");
  for (const pid_t worker : workers) CHECK(becomes_true([&] { return !is_alive(worker); }));
}

TEST_CASE("a full disk ends a run with one sentence") {
  const ScratchFolder folder;
  const std::string model = model_in(folder);
  Program results({"run", model, image_in(folder), "--json"}, "/dev/full");
  CHECK(results.end() == "exit code 1");
  CHECK(has(results.err(), "cannot write the results to stdout: No space left on device"));
  REQUIRE(::symlink("/dev/full", (folder / "full.png").c_str()) == 0);
  Program image({"run", model, image_in(folder), "--out", folder / "full.png"});
  CHECK(image.end() == "exit code 1");
  CHECK_FALSE(has(image.out(), "written:"));
  CHECK(image.err() ==
        "shingle: cannot write '" + (folder / "full.png") + "': No space left on device\n");
}

TEST_CASE("a Darknet network runs as an ONNX file does, its weights beside it or named" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  const networks::DarknetFiles files = networks::make_darknet("tiny", 64).value();
  const std::string cfg = folder.with_text("net.cfg", files.cfg), image = image_in(folder);
  Program without({"model", "check", cfg});
  check_refusal(without, "exit code 3", "a .cfg needs its .weights");
  const std::string other = folder.with_text("epoch_90.weights", files.weights);
  Program named({"run", cfg, image, "--weights", other, "--verify", "--json", "--head", "raw"});
  CHECK_MESSAGE(named.end() == "exit code 0", named.err());
  CHECK(has(named.out(), "\"identical\":true"));
  folder.with_text("net.weights", files.weights);
  Program beside({"run", cfg, image, "--verify", "--json", "--score", "0.1"});
  CHECK_MESSAGE(beside.end() == "exit code 0", beside.err());
  CHECK(has(beside.out(), "\"identical\":true"));
  CHECK(has(beside.out(), "\"boxes\":[{\"class\":"));  // the cfg's own head
  Program plan({"plan", cfg});
  CHECK(plan.end() == "exit code 0");
  Program half({"model", other});
  check_refusal(half, "exit code 3", "holds only the weights of a Darknet model; name the .cfg");
  Program onnx({"model", model_in(folder), "--weights", other});
  check_refusal(onnx, "exit code 3", "is not a Darknet .cfg");
  folder.with_text("net.weights", files.weights.substr(0, files.weights.size() - 8));
  Program cut({"model", cfg});
  check_refusal(cut, "exit code 3", "are 2 values short of the ");
}
