// `run --trace` and `node --trace` from outside: a file that chrome://tracing and Perfetto open.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "apps/system/reserved_ports.hpp"
#include "tests/apps/verbs.hpp"

using namespace shingle;
using Json = nlohmann::json;

namespace {

size_t events_of_kind(const Json& trace, const std::string& phase, const std::string& name) {
  return static_cast<size_t>(std::count_if(trace.begin(), trace.end(), [&](const Json& event) {
    return event["ph"] == phase && has(event["name"].get<std::string>(), name);
  }));
}

}  // namespace

TEST_CASE("a traced run and a traced node say what they sent, computed and delivered") {
  const ScratchFolder folder;
  const std::string model = model_in(folder);
  auto ports = ReservedPorts::on_loopback(2);
  REQUIRE(ports.ok());
  const std::string cluster = folder.with_text("cluster.toml", cluster_text(ports->ports()));
  Program node({"node", "--cluster", cluster, "--id", "0", "--models", folder.path(), "--insecure",
                "--trace", folder / "node.json"});
  Program run({"run", model, clip_in(folder, 3), "--cluster", cluster, "--id", "1", "--insecure",
               "--trace", folder / "run.json"});
  REQUIRE_MESSAGE(run.end() == "exit code 0", run.err());
  node.process().ask_to_stop();
  REQUIRE_MESSAGE(node.end() == "exit code 0", node.err());
  const Json owner = Json::parse(contents(folder / "run.json"));
  const Json worker = Json::parse(contents(folder / "node.json"));
  CHECK(events_of_kind(owner, "i", "frame closed") == 3);
  const size_t computed = events_of_kind(worker, "X", "tile");
  CHECK(computed == Json::parse(node.out())["tiles_computed"].get<size_t>());
  CHECK(computed >= 3);
  for (const Json& event : worker) CHECK(event["pid"] == 0);
}

TEST_CASE("a trace that cannot be written is refused before anything is computed") {
  const ScratchFolder folder;
  Program run({"run", model_in(folder), image_in(folder), "--trace", folder / "none/trace.json"});
  check_refusal(run, "exit code 2", "cannot write the trace");
}
