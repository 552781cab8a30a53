// `shingle profile`, and what nodes make of the file that it writes.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "apps/system/reserved_ports.hpp"
#include "devices/files/cluster_file.hpp"
#include "tests/apps/program.hpp"
#include "tests/clips/clips.hpp"
#include "tests/networks/networks.hpp"
#include "transport/probe/link_probe.hpp"

using namespace shingle;
using Json = nlohmann::json;

namespace {

std::string ready_profile(const ScratchFolder& folder) {
  return folder.with_text("board.toml", print(find_profile("pi4", "").value()));
}

}  // namespace

TEST_CASE("this machine is measured in less than half a minute, with the link to a peer" *
          doctest::test_suite("long")) {
  const ScratchFolder folder;
  auto answerer = LinkAnswerer::listen("127.0.0.1", 0);
  REQUIRE(answerer.ok());
  const std::string file = folder / "here.toml";
  const std::string peer = "127.0.0.1:" + std::to_string(answerer->port());
  Program profile({"profile", "--threads", "1", "--out", file, "--json", "--peer", peer});
  CHECK(answerer->answer(std::chrono::minutes(1)).ok());
  REQUIRE_MESSAGE(profile.end() == "exit code 0", profile.err());
  const Json told = Json::parse(profile.out());
  CHECK(told["seconds"].get<double>() < 30.0);
  CHECK(told["link"]["back_mbps"].get<double>() > 10.0);
  const auto written = load_profile(file);
  REQUIRE_MESSAGE(written.ok(), written.error());
  CHECK(written->cores == 1);
  CHECK(written->memory_bytes > 0);
  CHECK(written->memory_gbps > 0.1);
  CHECK(written->link_mbps > 10.0);
  CHECK(told["gflops"].get<double>() == doctest::Approx(gflops_of(written->costs)));
  // and a cluster file beside it may name it
  const std::string cluster =
      folder.with_text("cluster.toml", "[[node]]\nid = 0\nport = 7000\nprofile = \"here.toml\"\n");
  const auto read = load_cluster(cluster);
  REQUIRE_MESSAGE(read.ok(), read.error());
  CHECK(costs_of(read->nodes[0]) == written->costs);
}

TEST_CASE("a link beyond this machine is measured only if that is meant") {
  for (const char* option : {"--peer", "--answer"}) {
    Program unmeant({"profile", option, "10.77.0.1:7100"});
    CHECK(unmeant.end() == "exit code 2");
    CHECK(unmeant.err().find("--insecure") != std::string::npos);
    Program unclear({"profile", option, "7100"});
    CHECK(unclear.end() == "exit code 2");
    CHECK(unclear.err().find("ADDRESS:PORT") != std::string::npos);
  }
}

TEST_CASE("a node refines its profile from what tiles take, and writes it back") {
  const ScratchFolder folder;
  const std::string model =
      folder.with_text("tiny.onnx", networks::to_onnx(networks::make("tiny", 0, 1).value()));
  const std::string image = folder / "image.png";
  REQUIRE(cv::imwrite(image, clips::picture(0, {160, 120})));
  auto ports = ReservedPorts::on_loopback(2);
  REQUIRE(ports.ok());
  const auto& numbers = ports->ports();
  const std::string cluster = folder.with_text(
      "cluster.toml", "[[node]]\nid = 0\nport = " + std::to_string(numbers[0]) +
                          "\n[[node]]\nid = 1\nport = " + std::to_string(numbers[1]) + "\n");
  const std::string profile = ready_profile(folder);
  const DeviceProfile before = load_profile(profile).value();
  // When it is paced to a thirtieth of what the profile says
  Program node({"node", "--cluster", cluster, "--id", "0", "--models", folder.path(), "--profile",
                profile, "--pace", "1", "--insecure"});
  Program run({"run", model, image, "--cluster", cluster, "--id", "1", "--insecure"});
  REQUIRE_MESSAGE(run.end() == "exit code 0", run.err());
  node.process().ask_to_stop();
  CHECK_MESSAGE(node.end() == "exit code 0", node.err());
  const auto after = load_profile(profile);
  REQUIRE_MESSAGE(after.ok(), after.error());
  CHECK(gflops_of(after->costs) < gflops_of(before.costs));
  CHECK(after->name == before.name);
  CHECK(after->costs.at(WorkKind::depthwise) == before.costs.at(WorkKind::depthwise));  // none ran
}

TEST_CASE("a node whose profile is not there says what makes one") {
  const ScratchFolder folder;
  const std::string cluster = folder.with_text("cluster.toml", "[[node]]\nid = 0\nport = 7000\n");
  Program node(
      {"node", "--cluster", cluster, "--id", "0", "--profile", folder / "none.toml", "--insecure"});
  CHECK(node.end() == "exit code 3");
  CHECK(node.err().find("none.toml") != std::string::npos);
  CHECK(node.err().find("shingle profile --out") != std::string::npos);
}
