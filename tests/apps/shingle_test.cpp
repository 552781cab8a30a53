// The program from outside: what it prints, how it ends, what it leaves behind.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "apps/media_in.hpp"
#include "apps/reserved_ports.hpp"
#include "tests/apps/program.hpp"
#include "tests/clips/clips.hpp"
#include "tests/networks/darknet.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;
using Json = nlohmann::json;

namespace {

std::string model_in(const ScratchFolder& folder, const std::string& name = "tiny") {
  auto model = networks::make(name, 0, 1);
  REQUIRE(model.ok());
  return folder.with_text(name + ".onnx", networks::to_onnx(*model));
}

std::string clip_in(const ScratchFolder& folder, int frames) {
  const std::string path = folder / "clip.mp4";
  REQUIRE(clips::render(path, frames, {160, 120}, 25.0).ok());
  return path;
}

std::string image_in(const ScratchFolder& folder) {
  const std::string path = folder / "image.png";
  REQUIRE(cv::imwrite(path, clips::picture(0, {160, 120})));
  return path;
}

uint64_t frames_in(const std::string& video) {
  auto input = MediaInput::open(video);
  REQUIRE_MESSAGE(input.ok(), "the video cannot be played");
  uint64_t frames = 0;
  while (input->next().value()) ++frames;
  return frames;
}

// Every node has tiles, though for so small a network one alone would be faster.
std::string plan_in(const ScratchFolder& folder, const std::string& model, const char* nodes) {
  const std::string path = folder / "shared.plan";
  Program plan({"plan", model, "--nodes", nodes, "--grid", "2x4", "--out", path});
  REQUIRE_MESSAGE(plan.end() == "exit code 0", plan.err());
  return path;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// One sentence on stderr and nothing on stdout.
void check_refusal(Program& program, const std::string& exit, const std::string& part) {
  CHECK(program.end() == exit);
  CHECK_MESSAGE(program.err_lines() == 1, program.err());
  CHECK(program.err().starts_with("shingle: "));
  CHECK_MESSAGE(has(program.err(), part), program.err());
  CHECK(program.out().empty());
}

std::string cluster_text(const std::vector<uint16_t>& ports) {
  std::string text;
  for (size_t i = 0; i < ports.size(); ++i)
    text += "[[node]]\nid = " + std::to_string(i) + "\nname = \"board" + std::to_string(i) +
            "\"\nport = " + std::to_string(ports[i]) + "\n";
  return text;
}

}  // namespace

TEST_CASE("every verb has help with examples") {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--help"},
                                                {"run", "--help"},
                                                {"node", "--help"},
                                                {"plan", "--help"},
                                                {"model", "--help"}}) {
    Program program(words);
    CHECK(program.end() == "exit code 0");
    CHECK(has(program.out(), "Examples:"));
    CHECK(program.err().empty());
  }
  Program version({"--version"});
  CHECK(version.end() == "exit code 0");
  CHECK(version.out() == "shingle 0.1.0\n");
}

TEST_CASE("mistyped verbs and options find the nearest") {
  Program verb({"rnu", "model.onnx", "clip.mp4"});
  check_refusal(verb, "exit code 2", "there is no verb 'rnu'; did you mean 'run'?");
  Program option({"run", "model.onnx", "clip.mp4", "--wrokers", "3"});
  check_refusal(option, "exit code 2", "there is no option '--wrokers'; did you mean '--workers'?");
  Program number({"run", "model.onnx", "clip.mp4", "--workers", "many"});
  check_refusal(number, "exit code 2", "--workers");
  Program frames({"run", "model.onnx", "clip.mp4", "--frames", "-3"});
  check_refusal(frames, "exit code 2", "--frames");
  Program missing({"run", "model.onnx"});
  check_refusal(missing, "exit code 2", "INPUT");
  Program foreign({"plan", "model.onnx", "--frobnicate"});
  check_refusal(foreign, "exit code 2", "see 'shingle plan --help'");
}

TEST_CASE("bad input ends with code 3 and one sentence that names it") {
  const ScratchFolder folder;
  const std::string model = model_in(folder), none = folder / "none.onnx";
  const std::string junk = folder.with_text("junk.onnx", "this is no model at all");
  const std::string text = folder.with_text("text.mp4", "this is no video");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"model", none}, {"plan", none}, {"run", none, text}}) {
    Program program(words);
    check_refusal(program, "exit code 3", "cannot read '" + none + "': No such file or directory");
  }
  Program corrupt({"model", "check", junk});
  check_refusal(corrupt, "exit code 3", "cannot take '" + junk + "': ");
  Program video({"run", model, text});
  check_refusal(video, "exit code 3", "cannot read '" + text + "' as an image or a video");
  const std::string cluster =
      folder.with_text("cluster.toml", "[[node]]\nid = 1\nport = 7001\ncolour = \"red\"\n");
  Program key({"plan", model, "--cluster", cluster});
  check_refusal(key, "exit code 3", "cluster.toml:4");
}

TEST_CASE("a model is listed, checked and planned") {
  const ScratchFolder folder;
  const std::string model = model_in(folder);
  Program table({"model", model});
  CHECK(table.end() == "exit code 0");
  CHECK(has(table.out(), "Convolution"));
  CHECK(has(table.out(), "sha256"));
  Program json({"model", model, "--json"});
  CHECK(json.end() == "exit code 0");
  const Json facts = Json::parse(json.out());
  CHECK(facts["macs"].get<int64_t>() > 0);
  CHECK(facts["layers"].size() >= 3);
  Program memory({"model", model, "--memory", "--json"});
  REQUIRE(memory.end() == "exit code 0");
  const Json arena = Json::parse(memory.out());
  CHECK(arena["live_bytes"] <= arena["arena_bytes"]);
  for (const Json& buffer : arena["buffers"])
    CHECK(buffer["offset"].get<int64_t>() + buffer["bytes"].get<int64_t>() <= arena["arena_bytes"]);
  Program drawn({"model", model, "--memory"});
  REQUIRE(drawn.end() == "exit code 0");
  CHECK(drawn.out().find("tenths of the arena in use |") != std::string::npos);
  Program check({"model", "check", model});
  CHECK(check.end() == "exit code 0");
  CHECK(has(check.out(), "runs: yes"));
  Program plan({"plan", model, "--nodes", "3", "--grid", "2x3", "--json"});
  CHECK(plan.end() == "exit code 0");
  CHECK(Json::parse(plan.out())["blocks"][0]["tiles"].size() == 6);
  const std::string first = facts["layers"][0]["name"];
  Program cut({"plan", model, "--nodes", "3", "--cut-after", first, "--json"});
  CHECK(cut.end() == "exit code 0");
  CHECK(Json::parse(cut.out())["blocks"][0]["last_layer"] == first);
  CHECK(Json::parse(cut.out())["blocks"][0]["tiles"].size() == 6);
  Program drawing({"plan", model, "--nodes", "3"});
  CHECK(drawing.end() == "exit code 0");
  CHECK(drawing.out_lines().size() > 3);
  Program grid({"plan", model, "--grid", "2by3"});
  check_refusal(grid, "exit code 2", "'2by3' is no grid");
  Program layer({"plan", model, "--cut-after", "nowhere"});
  check_refusal(layer, "exit code 2", "the model has no layer 'nowhere'");
}

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

TEST_CASE("a run is compared with one machine that uses the plan's algorithms") {
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

TEST_CASE("a plan that was written is the plan that runs") {
  const ScratchFolder folder;
  const std::string model = model_in(folder), plan = folder / "two.plan";
  Program writing({"plan", model, "--nodes", "2", "--grid", "2x2", "--out", plan});
  REQUIRE(writing.end() == "exit code 0");
  Program running({"run", model, image_in(folder), "--workers", "2", "--plan", plan, "--json"});
  REQUIRE_MESSAGE(running.end() == "exit code 0", running.err());
  uint64_t tiles = 0;
  const Json summary = Json::parse(running.out_lines().back());
  for (const auto& count : summary["tiles_per_node"]) tiles += count.get<uint64_t>();
  CHECK(tiles >= 4);
  Program fewer({"run", model, image_in(folder), "--workers", "1", "--plan", plan});
  check_refusal(fewer, "exit code 3", "'" + plan + "' does not fit: ");
}

TEST_CASE("DeepThings' scheme is no plan to run, and the sentence says what runs it") {
  const ScratchFolder folder;
  Program run(
      {"run", model_in(folder), image_in(folder), "--workers", "2", "--plan", "ftp:5x5:16+reuse"});
  check_refusal(run, "exit code 3", "tools/bench cluster --only ftp");
}

TEST_CASE("a plan for another model is refused, both named") {
  const ScratchFolder folder;
  const std::string tiny = model_in(folder), other = model_in(folder, "yolov3_tiny");
  const std::string plan = plan_in(folder, tiny, "2");
  Program facts({"plan", tiny, "--nodes", "2", "--json"});
  REQUIRE(facts.end() == "exit code 0");
  const std::string hash = Json::parse(facts.out())["model"];
  Program run({"run", other, image_in(folder), "--workers", "2", "--plan", plan});
  check_refusal(run, "exit code 3",
                "the plan was made for another model, " + hash.substr(0, 12) + "...");
}

TEST_CASE("a node refuses a plan that asks for more than it may use, with the numbers") {
  const ScratchFolder folder;
  const std::string model = model_in(folder), plan = plan_in(folder, model, "2");
  Program run(
      {"run", model, image_in(folder), "--workers", "2", "--plan", plan, "--memory", "1MiB"});
  check_refusal(run, "exit code 1", "it may use 1.0 MiB and the plan asks for ");
}

TEST_CASE("under a cap that fits frames come out the same, bit for bit") {
  const ScratchFolder folder;
  Program run({"run", model_in(folder), clip_in(folder, 6), "--workers", "3", "--memory", "48MiB",
               "--verify", "--json"});
  REQUIRE_MESSAGE(run.end() == "exit code 0", run.err());
  CHECK(Json::parse(run.out_lines().back())["identical"] == true);
}

TEST_CASE("a cap that nothing fits names the smallest that would, and that one fits") {
  const ScratchFolder folder;
  const std::string model = model_in(folder, "resnet18");
  Program refused({"plan", model, "--nodes", "2", "--memory", "1MiB"});
  const std::string words = "; the smallest cap that fits is ";
  check_refusal(refused, "exit code 1", words);
  std::string cap = refused.err().substr(refused.err().find(words) + words.size());
  cap = cap.substr(0, cap.find('\n'));
  Program fits({"plan", model, "--nodes", "2", "--memory", cap, "--json"});
  CHECK_MESSAGE(fits.end() == "exit code 0", fits.err());
  Program run({"run", model, image_in(folder), "--workers", "2", "--memory", "1MiB"});
  check_refusal(run, "exit code 1", words);
  Program nonsense({"plan", model, "--memory", "lots"});
  check_refusal(nonsense, "exit code 3", "'lots' is no amount of memory");
}

TEST_CASE("a cluster file without its links' speed is refused by line") {
  const ScratchFolder folder;
  const std::string model = model_in(folder);
  const std::string node = "[[node]]\nid = 1\nport = 7001\n";
  const std::string medium =
      folder.with_text("medium.toml", "[network]\nkind = \"shared\"\n" + node);
  Program shared({"plan", model, "--cluster", medium});
  check_refusal(shared, "exit code 3", "medium.toml:2: a shared medium needs its 'mbps'");
  const std::string port = folder.with_text("port.toml", node + "link_mbps = 0\n");
  Program cut({"plan", model, "--cluster", port});
  check_refusal(cut, "exit code 3", "port.toml:4: 'link_mbps' must be a number");
}

TEST_CASE("DeepThings' scheme is simulated, and refused where it cannot be") {
  const ScratchFolder folder;
  const std::string model = model_in(folder);
  Program table({"plan", model, "--plan", "ftp:2x2:3+reuse", "--nodes", "2"});
  CHECK_MESSAGE(table.end() == "exit code 0", table.err());
  CHECK(has(table.out(), "MiB a frame"));
  Program json({"plan", model, "--plan", "ftp:2x2:3", "--nodes", "2", "--json"});
  REQUIRE(json.end() == "exit code 0");
  CHECK(Json::parse(json.out())["shared_bytes"] == 0);
  Program deep({"plan", model, "--plan", "ftp:2x2:99"});
  check_refusal(deep, "exit code 3", "no ftp:2x2:99: ");
  Program odd({"plan", model, "--plan", "ftp:2by2"});
  check_refusal(odd, "exit code 2", "is no FTP scheme");
}

TEST_CASE("nodes of a cluster file serve a run, and their wires carry what the run reports") {
  const ScratchFolder folder;
  const std::string model = model_in(folder);
  auto ports = ReservedPorts::on_loopback(3);
  REQUIRE(ports.ok());
  const std::string cluster = folder.with_text("cluster.toml", cluster_text(ports->ports()));
  const std::string keys = folder / "keys";
  Program made({"keys", "init", "--cluster", cluster, "--keys", keys});
  REQUIRE_MESSAGE(made.end() == "exit code 0", made.err());
  Program first(
      {"node", "--cluster", cluster, "--id", "0", "--models", folder.path(), "--keys", keys});
  Program second(
      {"node", "--cluster", cluster, "--id", "1", "--models", folder.path(), "--keys", keys});
  Program run({"run", model, clip_in(folder, 10), "--cluster", cluster, "--id", "2", "--json",
               "--keys", keys});
  REQUIRE_MESSAGE(run.end() == "exit code 0", run.err());
  const Json summary = Json::parse(run.out_lines().back());
  int64_t received = 0, sent = 0;
  uint64_t computed = 0;
  for (Program* node : {&first, &second}) {
    node->process().ask_to_stop();
    CHECK(node->end() == "exit code 0");
    const Json counters = Json::parse(node->out());
    received += counters["payload_bytes_received"].get<int64_t>();
    sent += counters["payload_bytes_sent"].get<int64_t>();
    computed += counters["tiles_computed"].get<uint64_t>();
  }
  uint64_t told = 0;
  for (const auto& count : summary["tiles_per_node"]) told += count.get<uint64_t>();
  CHECK(computed == told);
  // Every payload is sent by a node or by the owner, whose frames are 10 inputs.
  CHECK(sent > 0);
  CHECK(received > 0);
}

TEST_CASE("two owners with a detector and a segmenter share two nodes, each exact") {
  const ScratchFolder folder;
  const std::string models[] = {
      folder.with_text("detector.onnx",
                       networks::to_onnx(networks::make("yolov3_tiny", 96, 1).value())),
      folder.with_text("segmenter.onnx", networks::to_onnx(networks::make("unet", 32, 2).value()))};
  auto ports = ReservedPorts::on_loopback(4);
  REQUIRE(ports.ok());
  const std::string cluster = folder.with_text("cluster.toml", cluster_text(ports->ports()));
  const std::string clip = clip_in(folder, 6);
  Program first({"node", "--cluster", cluster, "--id", "0", "--models", folder.path(), "--insecure",
                 "--patience", "20"});
  Program second({"node", "--cluster", cluster, "--id", "1", "--models", folder.path(),
                  "--insecure", "--patience", "20"});
  // When both are at it at the same time
  std::vector<std::unique_ptr<Program>> owners;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const std::string plan = folder / ("plan" + std::to_string(i));
    Program planned(
        {"plan", models[i], "--nodes", "2", "--grid", "2x2", "--head", "raw", "--out", plan});
    REQUIRE_MESSAGE(planned.end() == "exit code 0", planned.err());
    owners.push_back(std::make_unique<Program>(std::vector<std::string>{
        "run", models[i], clip, "--cluster", cluster, "--id", std::to_string(2 + i), "--plan", plan,
        "--head", "raw", "--verify", "--json", "--insecure", "--patience", "20"}));
  }
  // Then each gets what one machine computes
  for (const auto& owner : owners) {
    REQUIRE_MESSAGE(owner->end() == "exit code 0", owner->err());
    const Json summary = Json::parse(owner->out_lines().back());
    CHECK(summary["frames"] == 6);
    CHECK(summary["identical"] == true);
    CHECK(summary["nodes"] >= 2);
  }
}

TEST_CASE("a node without the model is named with the hash that is missing") {
  const ScratchFolder folder, empty;
  const std::string model = model_in(folder);
  auto ports = ReservedPorts::on_loopback(2);
  const std::string cluster = folder.with_text("cluster.toml", cluster_text(ports->ports()));
  Program node({"node", "--cluster", cluster, "--id", "0", "--models", empty.path(), "--insecure"});
  Program run({"run", model, image_in(folder), "--cluster", cluster, "--id", "1", "--insecure"});
  check_refusal(run, "exit code 1", "no model with the hash");
  CHECK(has(run.err(), "board0"));
  CHECK(has(run.err(), to_string(sha256(std::string_view(contents(model))))));
}

TEST_CASE("a node says which port is in use and which id is missing") {
  const ScratchFolder folder;
  auto ports = ReservedPorts::on_loopback(2);
  const std::string cluster = folder.with_text("cluster.toml", cluster_text(ports->ports()));
  Program foreign({"node", "--cluster", cluster, "--id", "9", "--insecure"});
  check_refusal(foreign, "exit code 1", "the cluster file has no node 9");
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(listener, 1) == 0);
  socklen_t size = sizeof address;
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  const uint16_t taken = ntohs(address.sin_port);
  const std::string busy = folder.with_text("busy.toml", cluster_text({taken}));
  Program second({"node", "--cluster", busy, "--id", "0", "--insecure"});
  check_refusal(second, "exit code 1", std::to_string(taken));
  ::close(listener);
  Program owner({"run", model_in(folder), image_in(folder), "--cluster", cluster, "--insecure"});
  check_refusal(owner, "exit code 2", "say with --id which node");
}

TEST_CASE("a Darknet network runs as an ONNX file does, its weights beside it or named") {
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
  check_refusal(half, "exit code 3", "is half a Darknet model; name the .cfg");
  Program onnx({"model", model_in(folder), "--weights", other});
  check_refusal(onnx, "exit code 3", "is no Darknet .cfg");
  folder.with_text("net.weights", files.weights.substr(0, files.weights.size() - 8));
  Program cut({"model", cfg});
  check_refusal(cut, "exit code 3", "are 2 values short of the ");
}
