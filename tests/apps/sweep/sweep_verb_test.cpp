// `shingle sweep` from outside: the example, what is kept and merged, and what it refuses.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/apps/verbs.hpp"
#include "tests/places.hpp"

using namespace shingle;
using Json = nlohmann::json;

namespace {

// DeepThings' scheme on up to four boards, with two axes that make 24 designs.
constexpr const char* small_sweep = R"(
objectives = ["latency", "energy"]
seeds = 3
most_nodes = 4
[experiment]
duration = "1 ms"
warm_up = "0 ms"
[[experiment.cell]]
name = "home"
[[experiment.node]]
id = 1
board = "pi3b"
cores = 1
at = "home"
[[experiment.node]]
id = 2
board = "pi3b"
cores = 1
at = "home"
[[experiment.model]]
input = "96x96x3"
layers = ["conv3:8", "pool2", "conv3:16", "conv1:8"]
plan = "ftp:3x3:3+reuse+pi3"
[[experiment.source]]
owner = 1
arrivals = "back_to_back"
[[axis]]
name = "others"
of = "count"
node = 2
values = [0, 1, 2, 3, 4, 5]
[[axis]]
name = "grid"
of = "ftp_grid"
values = ["2x2", "3x3"]
[[axis]]
of = "radio"
values = ["g-54", "n-7-20-400", "n-31-40-400"]
)";

struct Sweep {
  ScratchFolder folder;
  std::string file = folder.with_text("small.toml", small_sweep);

  std::vector<std::string> words(const std::string& results,
                                 std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"sweep", file, "--folder", folder / results};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Json run(const std::string& results, std::vector<std::string> more = {}) const {
    more.emplace_back("--json");
    Program program(words(results, std::move(more)));
    REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
    return Json::parse(program.out());
  }
  // The one file of results in the folder, its lines sorted.
  std::vector<std::string> lines(const std::string& results) const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(folder / results)) {
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) all.push_back(line);
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
  std::string result_file(const std::string& results) const {
    return std::filesystem::directory_iterator(folder / results)->path().string();
  }
};

}  // namespace

TEST_CASE("the example answers with a front and a page" * doctest::test_suite("long")) {
  const ScratchFolder folder;
  Program program({"sweep", source_folder() + "/examples/experiments/a_sweep.toml", "--folder",
                   folder / "results", "--page", folder / "page.html", "--json"});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  const Json answer = Json::parse(program.out());
  CHECK(answer["designs"] == 18);
  CHECK(answer["without_result"] == 0);
  CHECK(answer["front"].size() >= 1);
  const std::string page = contents(folder / "page.html");
  CHECK(has(page, "What matters most: latency, ms"));
  CHECK(has(page, "<svg"));
  CHECK_FALSE(has(page, "http"));  // nothing is loaded
}

TEST_CASE("a grid runs each design that has at most so many nodes") {
  const Sweep sweep;
  const Json answer =
      sweep.run("one", {"--csv", sweep.folder / "out.csv", "--lines", sweep.folder / "out.jsonl"});
  CHECK(answer["designs"] == 4 * 2 * 3);
  CHECK(answer["without_result"] == 0);
  CHECK(answer["hypervolume"].get<double>() > 0.0);
  CHECK(answer["front"][0]["latency"]["runs"] == 3);
  const std::string csv = contents(sweep.folder / "out.csv");
  CHECK(std::ranges::count(csv, '\n') == 1 + 24);
  CHECK(has(csv, "\"others\",\"grid\",\"radio\",latency,latency_half_width,energy"));
  std::ifstream lines(sweep.folder / "out.jsonl");
  int count = 0, on_front = 0;
  for (std::string line; std::getline(lines, line); ++count)
    on_front += Json::parse(line)["front"].get<bool>() ? 1 : 0;
  CHECK(count == 24);
  CHECK(on_front == static_cast<int>(answer["front"].size()));
}

TEST_CASE("results do not depend on how many designs run at a time") {
  const Sweep sweep;
  sweep.run("one", {"--threads", "1"});
  sweep.run("three", {"--threads", "3"});
  CHECK(sweep.lines("one") == sweep.lines("three"));
}

TEST_CASE("a sweep that was interrupted goes on, and what was cut off is run again") {
  const Sweep sweep;
  const Json whole = sweep.run("whole");
  sweep.run("part");
  const std::string file = sweep.result_file("part"), text = contents(file);
  const size_t tenth = [&] {
    size_t at = 0;
    for (int i = 0; i < 10; ++i) at = text.find('\n', at) + 1;
    return at;
  }();
  std::ofstream(file, std::ios::trunc) << text.substr(0, tenth + 17);  // 9 results and a half
  Program program(sweep.words("part", {"--json"}));
  REQUIRE(program.end() == "exit code 0");
  CHECK(has(program.err(), "9 results come from before"));
  CHECK(Json::parse(program.out()) == whole);
  CHECK(sweep.lines("part") == sweep.lines("whole"));
}

TEST_CASE("a signal ends a sweep, and the same command goes on from there") {
  const Sweep sweep;
  std::string text = small_sweep;
  text.replace(text.find("seeds = 3"), 9, "seeds = 9999");
  const std::string file = sweep.folder.with_text("long.toml", text);
  Program program({"sweep", file, "--folder", sweep.folder / "long"});
  const auto has_result = [&] {
    return std::filesystem::exists(sweep.folder / "long") && sweep.lines("long").size() > 1;
  };
  REQUIRE(becomes_true(has_result));
  ::kill(program.process().id(), SIGINT);
  const std::string end = program.end();
  if (end == "exit code 0") return;  // it was faster
  CHECK(end == "exit code 1");
  CHECK(has(program.err(), "the same command goes on from there"));
}

TEST_CASE("shards put together are the one sweep") {
  const Sweep sweep;
  const Json whole = sweep.run("whole");
  for (const char* shard : {"1/3", "2/3", "3/3"}) {
    Program program(sweep.words("parts", {"--shard", shard}));
    REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
    CHECK(has(program.err(), "8 of 8 designs"));
    CHECK(program.out().empty());
  }
  Program merged({"sweep", "--merge", sweep.folder / "parts", "--json"});
  REQUIRE_MESSAGE(merged.end() == "exit code 0", merged.err());
  CHECK(Json::parse(merged.out()) == whole);
  CHECK(sweep.lines("parts") == sweep.lines("whole"));
}

TEST_CASE("a merge says which designs are missing") {
  const Sweep sweep;
  Program shard(sweep.words("parts", {"--shard", "1/3"}));
  REQUIRE(shard.end() == "exit code 0");
  Program merged({"sweep", "--merge", sweep.folder / "parts", "--json"});
  REQUIRE(merged.end() == "exit code 0");
  CHECK(has(merged.err(), "8 of 24 designs"));
}

TEST_CASE("results of another version are not used, and a sentence says so") {
  const Sweep sweep;
  const Json whole = sweep.run("one");
  const std::string file = sweep.result_file("one");
  std::string text = contents(file);
  const std::string program_name = "\"program\":\"";
  text.insert(text.find(program_name) + program_name.size(), "older ");
  std::ofstream(file, std::ios::trunc) << text;
  Program program(sweep.words("one", {"--json"}));
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  CHECK(has(program.err(), "come from older shingle"));
  CHECK_FALSE(has(program.err(), "come from before"));
  CHECK(Json::parse(program.out()) == whole);
}

TEST_CASE("another sweep of the same experiment takes what is known") {
  const Sweep sweep;
  sweep.run("one");
  const std::string random = sweep.folder.with_text(
      "random.toml", "method = \"random\"\ndesigns = 10\n" + std::string(small_sweep));
  Program program({"sweep", random, "--folder", sweep.folder / "one", "--json"});
  REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
  CHECK(has(program.err(), "10 results come from before"));
  CHECK(Json::parse(program.out())["designs"] == 10);
}

TEST_CASE("a genetic search gives the same bytes for the same seed") {
  const Sweep sweep;
  const std::string text =
      "method = \"nsga2\"\nevaluations = 12\npopulation = 4\nseed = 5\n" + std::string(small_sweep);
  const std::string file = sweep.folder.with_text("search.toml", text);
  std::vector<std::string> outputs;
  for (const char* folder : {"first", "second"}) {
    Program program({"sweep", file, "--folder", sweep.folder / folder, "--json"});
    REQUIRE_MESSAGE(program.end() == "exit code 0", program.err());
    outputs.push_back(program.out());
  }
  CHECK(outputs[0] == outputs[1]);
  CHECK(Json::parse(outputs[0])["designs"] == 12);
}

TEST_CASE("what a table does not have is marked as extrapolated") {
  const Json answer = Sweep().run("one");
  for (const Json& row : answer["front"])
    CHECK(row.contains("extrapolated") == (row["design"]["grid"] == "2x2"));
}

TEST_CASE("no feasible design is one sentence") {
  const ScratchFolder folder;
  std::string text = small_sweep;
  text.replace(text.find("ftp:3x3:3"), 9, "ftp:3x3:9");
  Program none({"sweep", folder.with_text("none.toml", text), "--folder", folder / "results"});
  check_refusal(none, "exit code 3", "no feasible design");
  std::string large = small_sweep;
  large.replace(large.find("values = [0, 1, 2, 3, 4, 5]"), 27, "values = [4, 5]");
  Program nodes({"sweep", folder.with_text("large.toml", large), "--folder", folder / "other"});
  check_refusal(nodes, "exit code 3", "no feasible design: each has more than most_nodes = 4");
}

TEST_CASE("what cannot be run is refused") {
  const ScratchFolder folder;
  Program nothing({"sweep"});
  check_refusal(nothing, "exit code 2", "what to sweep?");
  Program absent({"sweep", folder / "absent.toml"});
  check_refusal(absent, "exit code 3", "cannot be opened");
  Program empty({"sweep", "--merge", folder.path()});
  check_refusal(empty, "exit code 3", "holds no results of a sweep");
  const Sweep sweep;
  Program shard(sweep.words("one", {"--shard", "4/3"}));
  check_refusal(shard, "exit code 2", "write 1/4 to 4/4");
}

TEST_CASE("a full disk is one sentence, and nothing that was done is lost") {
  if (!std::filesystem::exists("/dev/full")) return;
  const Sweep sweep;
  sweep.run("one");
  const std::string file = sweep.result_file("one"),
                    name = std::filesystem::path(file).filename().string();
  std::filesystem::create_directory(sweep.folder / "full");
  std::filesystem::create_symlink("/dev/full", sweep.folder / ("full/" + name));
  Program program(sweep.words("full"));
  check_refusal(program, "exit code 1", "No space left on device");
}
