// `shingle node` and `run --cluster` from outside: processes of a cluster file, on loopback.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "apps/system/reserved_ports.hpp"
#include "tests/apps/verbs.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;
using Json = nlohmann::json;

namespace {

std::array<std::string, 2> detector_and_segmenter(const ScratchFolder& folder) {
  return {
      folder.with_text("detector.onnx",
                       networks::to_onnx(networks::make("yolov3_tiny", 96, 1).value())),
      folder.with_text("segmenter.onnx", networks::to_onnx(networks::make("unet", 32, 2).value()))};
}

// Writes a plan for two nodes to `out`.
void plan_for_two(const std::string& model, const std::string& out) {
  Program planned({"plan", model, "--nodes", "2", "--grid", "2x2", "--head", "raw", "--out", out});
  REQUIRE_MESSAGE(planned.end() == "exit code 0", planned.err());
}

}  // namespace

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
  const std::array<std::string, 2> models = detector_and_segmenter(folder);
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
    plan_for_two(models[i], plan);
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

TEST_CASE("two owners that compute too, each with a model of its own, lend each other a hand" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  const std::array<std::string, 2> models = detector_and_segmenter(folder);
  auto ports = ReservedPorts::on_loopback(2);
  REQUIRE(ports.ok());
  const std::string cluster = folder.with_text("cluster.toml", cluster_text(ports->ports()));
  const std::string clip = clip_in(folder, 30);
  // Given plans that keep both nodes busy, and no other node
  std::vector<std::unique_ptr<Program>> owners;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const std::string plan = folder / ("plan" + std::to_string(i));
    plan_for_two(models[i], plan);
    owners.push_back(std::make_unique<Program>(std::vector<std::string>{
        "run", models[i], clip, "--cluster", cluster, "--id", std::to_string(i), "--compute",
        "--models", folder.path(), "--plan", plan, "--head", "raw", "--verify", "--json",
        "--insecure", "--patience", "20"}));
  }
  // Then each gets what one machine computes, and both took part
  for (const auto& owner : owners) {
    REQUIRE_MESSAGE(owner->end() == "exit code 0", owner->err());
    const Json summary = Json::parse(owner->out_lines().back());
    CHECK(summary["frames"] == 30);
    CHECK(summary["identical"] == true);
    CHECK(summary["tiles_per_node"].size() == 2);
    for (const auto& tiles : summary["tiles_per_node"]) CHECK(tiles.get<uint64_t>() > 0);
  }
}

TEST_CASE("a node without the model is named with the hash that is missing and the owner's file") {
  const ScratchFolder folder, empty;
  const std::string model = model_in(folder);
  auto ports = ReservedPorts::on_loopback(2);
  const std::string cluster = folder.with_text("cluster.toml", cluster_text(ports->ports()));
  Program node({"node", "--cluster", cluster, "--id", "0", "--models", empty.path(), "--insecure"});
  Program run({"run", model, image_in(folder), "--cluster", cluster, "--id", "1", "--insecure"});
  check_refusal(run, "exit code 1", "no model with the hash");
  CHECK(has(run.err(), "board0"));
  CHECK(has(run.err(), to_string(sha256(std::string_view(contents(model))))));
  CHECK(has(run.err(), "it is '" + model + "' here: copy that file to the node"));
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
