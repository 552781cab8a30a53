#include "devices/files/settings_file.hpp"

#include <doctest/doctest.h>

using namespace shingle;

TEST_CASE("settings keep the order of their lines, and values read as on a command line") {
  const auto read = parse_settings(
      "# a node\n"
      "id = 3\n"
      "models = [\"/srv/a.onnx\", \"/srv/b.onnx\"]\n"
      "\n"
      "patience = 2.5\n"
      "insecure = false\n"
      "memory = \"48MiB\"\n",
      "node.toml");
  REQUIRE(read.ok());
  const std::vector<FileSetting> wanted = {
      {.key = "id", .values = {"3"}, .line = 2},
      {.key = "models", .values = {"/srv/a.onnx", "/srv/b.onnx"}, .line = 3},
      {.key = "patience", .values = {"2.5"}, .line = 5},
      {.key = "insecure", .values = {"false"}, .line = 6},
      {.key = "memory", .values = {"48MiB"}, .line = 7}};
  CHECK(*read == wanted);
}

TEST_CASE("an empty settings file has no settings") {
  const auto read = parse_settings("\n# nothing\n", "node.toml");
  REQUIRE(read.ok());
  CHECK(read->empty());
}

TEST_CASE("what is no setting is refused with its line") {
  const auto refused = [](const char* text) { return parse_settings(text, "node.toml").error(); };
  CHECK(refused("id = 1\n[node]\nid = 2\n").find("node.toml:2: 'node' is a table") == 0);
  CHECK(refused("id = 1\nwhen = 2026-01-01\n").find("node.toml:2: 'when' must be a text") == 0);
  CHECK(refused("models = [[\"a\"]]\n").find("node.toml:1: 'models' must be a list of texts") == 0);
  CHECK(refused("id = \n").find("node.toml:1: ") == 0);
  CHECK(refused("id = 1\nid = 2\n").find("node.toml:2: ") == 0);
}

TEST_CASE("a settings file that is absent is named") {
  const auto read = load_settings("/nowhere/node.toml");
  REQUIRE_FALSE(read.ok());
  CHECK(read.error().find("/nowhere/node.toml") != std::string::npos);
}
