// Plans and memory caps from outside: what runs, and what is refused in which words.
#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/apps/verbs.hpp"

using namespace shingle;
using Json = nlohmann::json;

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

TEST_CASE("plans that were written one after the other are taken in turn, bit for bit") {
  const ScratchFolder folder;
  const std::string model = model_in(folder), whole = folder / "one.plan",
                    tiled = folder / "two.plan";
  const auto plan = [&](const std::string& nodes, const std::string& grid, const std::string& out) {
    Program writing({"plan", model, "--nodes", nodes, "--grid", grid, "--out", out});
    REQUIRE(writing.end() == "exit code 0");
    std::ifstream written(out);
    return std::string(std::istreambuf_iterator<char>(written), {});
  };
  const std::string one = plan("1", "1x1", whole), two = plan("2", "2x2", tiled);
  const std::string turns = folder.with_text("turns.plan", "share 2\n" + one + two);
  Program run(
      {"run", model, clip_in(folder, 6), "--workers", "2", "--plan", turns, "--verify", "--json"});
  REQUIRE_MESSAGE(run.end() == "exit code 0", run.err());
  const Json summary = Json::parse(run.out_lines().back());
  CHECK(summary["identical"] == true);
  uint64_t tiles = 0;
  for (const auto& count : summary["tiles_per_node"]) tiles += count.get<uint64_t>();
  CHECK(tiles == 4 * 1 + 2 * 4);
  // What is no rotation is refused, with the plan's number; a compiled file holds one plan
  const std::string twice = folder.with_text("twice.plan", one + one);
  Program same({"run", model, image_in(folder), "--workers", "2", "--plan", twice});
  check_refusal(same, "exit code 3",
                "'" + twice + "' does not fit: plan 2 of 2: it is plan 1 once more");
  Program compile({"compile", model, "--plan", turns, "-o", folder / "turns.shingle"});
  check_refusal(compile, "exit code 3",
                "has 2 plans in turn, but a compiled file holds only one plan");
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

TEST_CASE("a cap that nothing fits names the smallest that would, and that one fits" *
          doctest::test_suite("long")) {
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
  check_refusal(nonsense, "exit code 3", "'lots' is not an amount of memory");
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
