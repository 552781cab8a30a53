// `shingle simulate` from outside: the examples, its outputs, and what it refuses in which words.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/apps/verbs.hpp"
#include "tests/places.hpp"

using namespace shingle;
using Json = nlohmann::json;

namespace {

std::string example(const std::string& name) {
  return source_folder() + "/examples/experiments/" + name;
}

Json simulated(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "simulate");
  arguments.emplace_back("--json");
  Program program(arguments);
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  return Json::parse(program.out());
}

constexpr const char* two_nodes = R"(
duration = "3 s"
warm_up = "1 s"
seeds = 3
[[node]]
id = 1
gflops = 1.0
pace = true
[[node]]
id = 2
gflops = 1.0
pace = true
[[model]]
name = "net"
input = "64x64x3"
layers = ["conv3:16", "pool2", "conv3:16", "conv1:8"]
)";

std::string camera(const std::string& more = "") {
  return std::string(two_nodes) + "[[source]]\nowner = 1\nrate = \"20 /s\"\n" + more;
}

void check_file_refusal(const std::string& text, const std::string& part) {
  const ScratchFolder folder;
  Program program({"simulate", folder.with_text("try.toml", text)});
  check_refusal(program, "exit code 3", part);
}

}  // namespace

TEST_CASE("each example answers its question" * doctest::test_suite("long")) {
  const Json two = simulated({example("two_pis.toml")});
  CHECK(two["sources"][0]["frames_per_second"]["mean"].get<double>() ==
        doctest::Approx(2.0).epsilon(0.03));
  CHECK(two["sources"][0]["dropped"]["mean"] == 0.0);
  const Json wifi = simulated({example("six_on_wifi.toml")});
  CHECK(wifi["nodes"].size() == 6);
  CHECK(wifi["sources"][0]["cause_ms"]["wire"]["mean"].get<double>() > 0.0);
  CHECK(wifi["drawn"].size() == 4);
  const Json jetson = simulated({example("jetson_among_pis.toml")});
  CHECK(jetson["sources"][0]["frames_per_second"]["mean"].get<double>() > 8.0);
  const Json kill = simulated({example("a_kill.toml")});
  CHECK(kill["sources"][0]["lost"]["mean"] == 0.0);
  CHECK(kill["sources"][0]["cause_ms"]["recovery"]["mean"].get<double>() > 0.0);
  for (const Json& each : {two, wifi, jetson, kill}) {
    CHECK(each["breaches"].empty());
    CHECK(each["provenance"]["experiment"].get<std::string>().size() == 64);
    CHECK_FALSE(each["warnings"].empty());
  }
}

TEST_CASE("results depend on seeds, not on how many runs go on at a time") {
  const ScratchFolder folder;
  const std::string file = folder.with_text("two.toml", camera());
  const Json one = simulated({file, "--threads", "1"}), three = simulated({file, "--threads", "3"});
  CHECK(one == three);
  CHECK(one["runs"].size() == 3);
  const Json later = simulated({file, "--seed", "2", "--seeds", "2"});
  CHECK(later["runs"][0] == one["runs"][1]);
  CHECK(later["runs"][1] == one["runs"][2]);
  CHECK(one["runs"][0]["trace_hash"] != one["runs"][1]["trace_hash"]);
}

TEST_CASE("the table says what was drawn, and the page loads nothing from elsewhere") {
  const ScratchFolder folder;
  const std::string file = folder.with_text("two.toml", "title = \"A <small> try\"\n" + camera()),
                    page = folder / "two.html", trace = folder / "two.json";
  Program program({"simulate", file, "--page", page, "--trace", trace});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  CHECK(has(program.out(), "p99 needs 1000 frames"));
  CHECK(has(program.out(), "Drawn from the seed: the phase of source 1."));
  CHECK(has(program.out(), "+/-"));
  const std::string html = contents(page);
  CHECK(has(html, "<svg"));
  CHECK(has(html, "A &lt;small&gt; try"));
  for (const char* load : {"http:", "https:", "src=", "@import", "url("})
    CHECK_FALSE(has(html, load));
  const Json events = Json::parse(contents(trace));
  CHECK(events.size() > 100);
  CHECK(events[0]["name"] == "shingle_trace");
}

TEST_CASE("where nothing is drawn there is one run, and it says so") {
  const ScratchFolder folder;
  const std::string file = folder.with_text(
      "full.toml", std::string(two_nodes) + "[[source]]\nowner = 1\narrivals = \"back_to_back\"\n");
  Program program({"simulate", file});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  CHECK(has(program.out(), "1 run of 3 s"));
  CHECK(has(program.out(), "Nothing is drawn: every seed gives this run."));
  CHECK_FALSE(has(program.out(), "+/-"));
}

TEST_CASE("flows run without a model") {
  const ScratchFolder folder;
  const std::string file = folder.with_text("flows.toml", R"(
duration = "10 s"
[network]
mbps = 100.0
[[node]]
id = 1
[[node]]
id = 2
[[node]]
id = 3
[[flow]]
from = 1
to = 3
bytes = "5 MB"
[[flow]]
from = 2
to = 3
bytes = "5 MB"
)");
  const Json json = simulated({file});
  REQUIRE(json["flows"].size() == 2);
  // Both share the port of node 3: 10 MB at 94 Mb/s of payload.
  CHECK(json["flows"][0]["seconds"]["mean"].get<double>() == doctest::Approx(0.85).epsilon(0.03));
}

TEST_CASE("DeepThings' scheme is simulated in place of a plan") {
  const ScratchFolder folder;
  const std::string model = R"(
duration = "100 s"
[[node]]
id = 1
[[node]]
id = 2
[[model]]
input = "96x96x3"
layers = ["conv3:16", "pool2", "conv3:32", "pool2", "conv1:8"]
plan = "ftp:3x3:4"
[[source]]
owner = 1
rate = "1 /s"
)";
  const Json json = simulated({folder.with_text("ftp.toml", model)});
  CHECK(json["sources"][0]["p50_ms"]["mean"].get<double>() > 0.0);
  CHECK(json["events"][0].get<std::string>().starts_with("DeepThings' scheme: "));
}

TEST_CASE("what cannot be simulated is refused with one sentence") {
  check_file_refusal(camera("rat = 1\n"), "unknown key 'rat' in [[source]]; did you mean 'rate'?");
  check_file_refusal(camera("deadline = 2\n"), "'deadline' has no unit");
  check_file_refusal(std::string(two_nodes) + "[[source]]\nowner = 1\nrate = \"0 /s\"\n",
                     "'rate' is 0");
  check_file_refusal(camera("[[fault]]\nat = \"1 s\"\nkind = \"crash\"\nnode = 7\n"),
                     "node 7 is not in the cluster, which has 1, 2");
  check_file_refusal(R"(
duration = "1 s"
[[switch]]
name = "attic"
[[switch]]
name = "cellar"
[[node]]
id = 1
at = "attic"
[[node]]
id = 2
at = "cellar"
[[flow]]
from = 1
to = 2
bytes = "1 MB"
)",
                     "nothing joins nodes 1 and 2; write a [[trunk]] between 'attic' and 'cellar'");
  Program missing({"simulate", "no_such_experiment.toml"});
  check_refusal(missing, "exit code 3", "no_such_experiment.toml");
}

TEST_CASE("a plan of another model is refused with the hash of each") {
  const ScratchFolder folder;
  const std::string model = model_in(folder), plan = plan_in(folder, model, "2");
  const std::string file = folder.with_text("other.toml", R"(
duration = "1 s"
[[node]]
id = 0
[[node]]
id = 1
[[model]]
input = "64x64x3"
layers = ["conv3:16"]
plan = ")" + plan + R"("
[[source]]
owner = 0
rate = "1 /s"
)");
  Program program({"simulate", file});
  check_refusal(program, "exit code 3", "and this one is ");
}

TEST_CASE("--frames writes a line for each frame of each run") {
  const ScratchFolder folder;
  const std::string file = folder.with_text("try.toml", camera());
  const std::string table = folder / "frames.csv";
  const Json json = simulated({file, "--frames", table});
  std::ifstream lines(table);
  std::string line;
  REQUIRE(std::getline(lines, line));
  CHECK(line == "seed,source,captured_ms,latency_ms,fate");
  size_t frames = 0;
  while (std::getline(lines, line)) {
    ++frames;
    CHECK(line.find(",1,") == 1);
    CHECK(line.ends_with(",delivered"));
  }
  CHECK(frames == json["sources"][0]["frames"].get<size_t>());
}
