// `shingle node` as a process: what it loads and holds before its first plan.
#include <doctest/doctest.h>

#include <filesystem>

#include "apps/system/reserved_ports.hpp"
#include "tests/apps/verbs.hpp"
#include "tests/places.hpp"

using namespace shingle;

namespace {

std::string of_process(pid_t process, const std::string& file) {
  return contents("/proc/" + std::to_string(process) + "/" + file);
}

std::string node_program() {
  return (std::filesystem::path(shingle_program()).parent_path() / "shingle-node").string();
}

}  // namespace

TEST_CASE("a bare node is shingle-node, which has the verb's process id and loads no OpenCV") {
  const ScratchFolder folder;
  auto ports = ReservedPorts::on_loopback(1);
  REQUIRE(ports.ok());
  const std::string cluster = folder.with_text("cluster.toml", cluster_text(ports->ports()));
  Program node({"node", "--cluster", cluster, "--id", "0", "--insecure"});
  const pid_t process = node.process().id();
  REQUIRE(becomes_true([&] { return of_process(process, "comm") == "shingle-node\n"; }));
  // Its threads come after all that it does with its options, and after it hears signals.
  REQUIRE(becomes_true([&] {
    const std::string status = of_process(process, "status");
    return has(status, "Threads:") && !has(status, "Threads:\t1\n");
  }));
  CHECK_FALSE(has(of_process(process, "maps"), "opencv"));
  node.process().ask_to_stop();
  CHECK(node.end() == "exit code 0");
}

TEST_CASE("a node's help and errors speak of the verb") {
  Program help({"node", "--help"});
  CHECK(help.end() == "exit code 0");
  CHECK(has(help.out(), "Usage: shingle node"));
  Program typo({"node", "--clustre", "x"});
  check_refusal(typo, "exit code 2", "did you mean '--cluster'?");
}

TEST_CASE("shingle-node says which package has the verbs that it lacks") {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", "model.onnx", "clip.mp4"}, {"model", "model.onnx"}}) {
    Program other(words, {}, node_program());
    check_refusal(other, "exit code 2", "shingle-node has no verb '" + words[0] + "'");
    CHECK(has(other.err(), "the package shingle"));
  }
  Program own({"config", "--help"}, {}, node_program());
  CHECK(own.end() == "exit code 0");
}
