// The program from outside: help, mistyped words, bad input, and what it says of a model.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/verbs.hpp"

using namespace shingle;
using Json = nlohmann::json;

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
  CHECK(Json::parse(plan.out())["plans"][0]["blocks"][0]["tiles"].size() == 6);
  const std::string first = facts["layers"][0]["name"];
  Program cut({"plan", model, "--nodes", "3", "--cut-after", first, "--json"});
  CHECK(cut.end() == "exit code 0");
  CHECK(Json::parse(cut.out())["plans"][0]["blocks"][0]["last_layer"] == first);
  CHECK(Json::parse(cut.out())["plans"][0]["blocks"][0]["tiles"].size() == 6);
  Program drawing({"plan", model, "--nodes", "3"});
  CHECK(drawing.end() == "exit code 0");
  CHECK(drawing.out_lines().size() > 3);
  Program grid({"plan", model, "--grid", "2by3"});
  check_refusal(grid, "exit code 2", "'2by3' is not a grid");
  Program layer({"plan", model, "--cut-after", "nowhere"});
  check_refusal(layer, "exit code 2", "the model has no layer 'nowhere'");
}
