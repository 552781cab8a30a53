// `shingle simulate` on networks that other programs simulate: the Python example, shingle-ns3, and
// programs that die, hang or lie.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/simulate/network_choice.hpp"
#include "apps/simulate/read_experiment.hpp"
#include "apps/simulate/run_seeds.hpp"
#include "tests/apps/verbs.hpp"
#include "tests/places.hpp"

namespace shingle {
namespace {

using Json = nlohmann::json;

bool has_ns3() {
  const auto beside = std::filesystem::path(shingle_program()).parent_path() / "shingle-ns3";
  if (::access(beside.c_str(), X_OK) == 0) return true;
  std::cout << "skipped: shingle-ns3 is not built (tools/deps --ns3)\n";
  return false;
}

std::string nodes(const std::string& more_of_each) {
  std::string text = "duration = \"3 s\"\nwarm_up = \"1 s\"\nseeds = 3\n";
  for (const char* id : {"1", "2", "3"})
    text += std::string("[[node]]\nid = ") + id + "\ngflops = 0.4\npace = true\n" + more_of_each;
  return text;
}

std::string with_camera(const std::string& cluster) {
  return cluster +
         "[[model]]\nname = \"net\"\ninput = \"96x96x3\"\nlayers = [\"conv3:16\", \"pool2\", "
         "\"conv3:32\", \"conv1:8\"]\n[[source]]\nowner = 1\nrate = \"5 /s\"\n";
}

std::string star() { return with_camera(nodes("") + "[network]\nmbps = 40.0\n"); }

std::string cell() {
  return with_camera(nodes("at = \"home\"\n") +
                     "[[cell]]\nname = \"home\"\nmode = \"n-7-20-400\"\n");
}

Json simulated(const std::string& text, std::vector<std::string> arguments) {
  const ScratchFolder folder;
  arguments.insert(arguments.begin(), {"simulate", folder.with_text("try.toml", text)});
  arguments.emplace_back("--json");
  Program program(arguments);
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  return Json::parse(program.out());
}

Json figure(const Json& audit, const std::string& name) {
  for (const Json& each : audit["numbers"])
    if (each["name"] == name) return each;
  FAIL("no figure '" << name << "'");
  return {};
}

void check_refused(const std::string& text, const std::vector<std::string>& more,
                   const std::string& exit, const std::string& part) {
  const ScratchFolder folder;
  std::vector<std::string> arguments{"simulate", folder.with_text("try.toml", text)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Program program(arguments);
  check_refusal(program, exit, part);
}

// A simulator that is honest until it has to advance.
std::string simulator_script(const std::string& advance) {
  return "read l; echo hello 1 sh 1; while read l; do case $l in advance*) " + advance +
         ";; *) echo ok;; esac; done";
}

TEST_CASE("a program of one's own carries the messages") {
  const Json json = simulated(
      star(),
      {"--network", "python3 " + source_folder() + "/examples/network_pipe/fixed_delay.py 5 8"});
  CHECK(json["network"] == "fixed-delay 1.0");
  CHECK(json["runs"].size() == 3);
  CHECK(json["breaches"].empty());
  CHECK(json["sources"][0]["p50_ms"]["mean"].get<double>() > 10.0);
}

TEST_CASE("shingle-ns3 under real nodes: a star's frames take what the fluid model says") {
  if (!has_ns3()) return;
  const Json json = simulated(star(), {"--audit", "ns3"});
  CHECK(json["network"] == "fluid");
  const Json& audit = json["audit"];
  CHECK(audit["network"] == "fluid model");
  CHECK(audit["by"].get<std::string>().starts_with("shingle-ns3 3."));
  CHECK(audit["runs"] == 3);
  CHECK(audit["breaches"].empty());
  const Json latency = figure(audit, "source 1: p50 latency");
  CHECK(latency["unit"] == "ms");
  CHECK(latency["by"]["mean"].get<double>() > 0.0);
  CHECK(std::abs(latency["share"].get<double>()) < 0.03);
  CHECK(std::abs(figure(audit, "1 to 2: sent")["share"].get<double>()) < 0.03);
  const Json packets = simulated(star(), {"--network", "ns3"});
  CHECK(packets["network"] == audit["by"]);
  CHECK(packets["sources"][0]["p50_ms"]["mean"] == latency["by"]["mean"]);
}

TEST_CASE("shingle-ns3 under real nodes in a cell, with the difference beside each figure") {
  if (!has_ns3()) return;
  const ScratchFolder folder;
  Program program({"simulate", folder.with_text("try.toml", cell()), "--audit", "ns3"});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  CHECK(has(program.out(), "Held against shingle-ns3 3."));
  CHECK(has(program.out(), "3 runs with the same seeds"));
  CHECK(has(program.out(), "source 1: p50 latency"));
  CHECK(has(program.out(), " %\n"));
}

TEST_CASE("flows beside frames share the ports of their nodes on shingle-ns3 too") {
  if (!has_ns3()) return;
  const Json json =
      simulated(star() + "[[flow]]\nfrom = 1\nto = 2\nbytes = \"2 MB\"\n", {"--audit", "ns3"});
  CHECK(std::abs(figure(json["audit"], "flow 1: took")["share"].get<double>()) < 0.05);
  CHECK(json["audit"]["breaches"].empty());
}

TEST_CASE("who wants shingle-ns3 and has none is told how to get it") {
  // It lies beside `shingle`, not beside this program.
  const char* path = std::getenv("PATH");
  const std::string before = path == nullptr ? "" : path;
  ::setenv("PATH", "/nowhere", 1);
  const auto absent = network_simulator("ns3");
  ::setenv("PATH", before.c_str(), 1);
  CHECK(absent.error().find("tools/deps --ns3") != std::string::npos);
  check_refused(star(), {"--network", "ns4"}, "exit code 2",
                "there is no network simulator 'ns4': name 'fluid', 'ns3', or a program");
}

TEST_CASE("a simulator that dies or lies ends the runs with one sentence") {
  const ScratchFolder folder;
  const auto refused = [&](const std::string& script, const std::string& part) {
    check_refused(star(), {"--network", "sh " + folder.with_text("simulator.sh", script)},
                  "exit code 1", part);
  };
  refused("exit 1", "ended with exit code 1");
  refused(simulator_script("echo no memory >&2; kill -6 $$"),
          "ended with signal 6; its last words: no memory");
  refused(simulator_script("echo delivered 5 99"), "which was not sent yet");
}

TEST_CASE("a simulator that hangs ends the runs when its time for an answer is over") {
  const ScratchFolder folder;
  const std::string script = folder.with_text("hangs.sh", simulator_script("exec sleep 100"));
  const auto read = read_experiment(folder.with_text("try.toml", star()));
  REQUIRE(read.ok());
  const auto simulator = network_simulator("sh " + script, std::chrono::milliseconds(300));
  REQUIRE(simulator.ok());
  const auto runs = run_seeds(read->experiment, {.runs = 3, .threads = 2, .simulator = *simulator});
  CHECK(has(runs.error(), "has not answered for 300 ms"));
}

TEST_CASE("what packets cannot do is refused in one sentence") {
  if (!has_ns3()) return;
  check_refused(with_camera(nodes("") + "[network]\nkind = \"shared\"\nmbps = 20.0\n"),
                {"--network", "ns3"}, "exit code 3",
                "packets on one shared medium cannot be simulated");
}

}  // namespace
}  // namespace shingle
