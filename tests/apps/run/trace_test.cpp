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

// Both programs of a cluster, traced: NODE.json and RUN.json in the folder. Returns what the node
// printed.
std::string traced_run_in(const ScratchFolder& folder, const std::string& model) {
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
  return node.out();
}

}  // namespace

TEST_CASE("a traced run and a traced node say what they sent, computed and delivered") {
  const ScratchFolder folder;
  const std::string model = model_in(folder);
  const std::string printed = traced_run_in(folder, model);
  const Json owner = Json::parse(contents(folder / "run.json"));
  const Json worker = Json::parse(contents(folder / "node.json"));
  CHECK(events_of_kind(owner, "i", "frame closed") == 3);
  const size_t computed = events_of_kind(worker, "X", "tile");
  CHECK(computed == Json::parse(printed)["tiles_computed"].get<size_t>());
  CHECK(computed >= 3);
  for (const Json& event : worker) CHECK(event["pid"] == 1);  // its id and one
}

TEST_CASE("traces of a run are merged, replayed and compared") {
  const ScratchFolder folder;
  const std::string model = model_in(folder);
  traced_run_in(folder, model);

  Program merge({"trace", "merge", folder / "run.json", folder / "node.json", "--out",
                 folder / "all.json", "--json"});
  REQUIRE_MESSAGE(merge.end() == "exit code 0", merge.err());
  const Json clocks = Json::parse(merge.out())["clocks"];
  REQUIRE(clocks.size() == 2);
  CHECK(std::abs(clocks[1]["offset_us"].get<double>()) <= clocks[1]["error_us"].get<double>());
  const Json all = Json::parse(contents(folder / "all.json"));
  CHECK(events_of_kind(all, "b", "frame") == 3);
  CHECK(events_of_kind(all, "f", "message") > 10);

  Program replay({"trace", "replay", folder / "all.json", "--cluster", folder / "cluster.toml",
                  "--predicted", "--out", folder / "expected.json", "--json"});
  REQUIRE_MESSAGE(replay.end() == "exit code 0", replay.err());
  const Json figures = Json::parse(replay.out());
  CHECK(figures["recorded"]["delivered"] == 3);
  CHECK(figures["predicted"]["delivered"] == 3);

  Program diff({"trace", "diff", folder / "all.json", folder / "expected.json", "--json"});
  REQUIRE_MESSAGE(diff.end() == "exit code 0", diff.err());
  CHECK(Json::parse(diff.out())["real"]["frames"] == 3);
}

TEST_CASE("traces that cannot be used are refused in one sentence") {
  const ScratchFolder folder;
  Program absent({"trace", "merge", folder / "none.json"});
  check_refusal(absent, "exit code 3", "cannot read the trace");
  const std::string wrong = folder.with_text("wrong.json", "[\n{\"name\":1}\n]\n");
  Program merge({"trace", "merge", wrong});
  check_refusal(merge, "exit code 3", "wrong.json:2: this is no trace of shingle");
  Program diff({"trace", "diff", wrong, wrong});
  check_refusal(diff, "exit code 3", "wrong.json:2:");
  Program replay({"trace", "replay", wrong, "--cluster", "none.toml"});
  check_refusal(replay, "exit code 3", "wrong.json:2:");
}

TEST_CASE("a trace that cannot be written is refused before anything is computed") {
  const ScratchFolder folder;
  Program run({"run", model_in(folder), image_in(folder), "--trace", folder / "none/trace.json"});
  check_refusal(run, "exit code 2", "cannot write the trace");
}
