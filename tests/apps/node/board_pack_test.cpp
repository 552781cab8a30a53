// Board packs: what one board needs, from the machine where keys are made to the board.
#include "apps/node/board_pack.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "devices/files/profile_file.hpp"
#include "tests/apps/program.hpp"

using namespace shingle;
using Json = nlohmann::json;

namespace {

constexpr const char* two_nodes = "[[node]]\nid = 0\nport = 7001\n[[node]]\nid = 1\nport = 7002\n";

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

mode_t mode_of(const std::string& path) {
  struct stat facts {};
  REQUIRE(::stat(path.c_str(), &facts) == 0);
  return facts.st_mode & 0777;
}

// Keys of two nodes, and the pack of node 1.
struct Home {
  ScratchFolder folder;
  std::string keys = folder / "keys";
  std::string cluster = folder.with_text("boards.toml", two_nodes);
  std::string file = folder / "node-1.board";
  Home() {
    Program init({"keys", "init", "--cluster", cluster, "--keys", keys});
    REQUIRE_MESSAGE(init.end() == "exit code 0", init.err());
  }
  void pack() {
    Program packs({"keys", "pack", "1", "--cluster", cluster, "--keys", keys, "-o", file});
    REQUIRE_MESSAGE(packs.end() == "exit code 0", packs.err());
  }
};

}  // namespace

TEST_CASE("a pack sets a board up, and the board's node starts with it") {
  Home home;
  home.pack();
  CHECK(mode_of(home.file) == 0600);
  const ScratchFolder board;
  board.with_text("node.toml", "id = 0    # this board\nthreads = 1\n");
  Program take({"keys", "take", home.file, "--settings", board.path()});
  REQUIRE_MESSAGE(take.end() == "exit code 0", take.err());
  CHECK(has(take.out(), "Node 1 of 2"));
  const std::string settings = text_of(board / "node.toml");
  CHECK(has(settings, "id = 1    # this board\nthreads = 1\n"));
  CHECK(text_of(board / "cluster.toml") == two_nodes);
  CHECK(mode_of(board / "keys") == 0700);
  CHECK(mode_of(board / "keys/node-1.secret") == 0600);
  CHECK_FALSE(std::filesystem::exists(board / "keys/node-0.secret"));
  Program check({"config", "check", board / "node.toml"});
  CHECK_MESSAGE(check.end() == "exit code 0", check.err());
  CHECK(has(check.out(), "node 1 of 2 can start"));
  std::filesystem::rename(board / "keys/node-1.secret", board / "elsewhere");
  Program keyless({"config", "check", board / "node.toml"});
  CHECK(keyless.end() == "exit code 3");
  CHECK(has(keyless.err(), "there is no key of node 1"));
  std::filesystem::rename(board / "elsewhere", board / "keys/node-1.secret");
  // Once more, after another board has joined: the list and the cluster file are replaced.
  Program add({"keys", "add", "7", "--keys", home.keys});
  REQUIRE(add.end() == "exit code 0");
  std::filesystem::remove(home.file);
  home.pack();
  Program again({"keys", "take", home.file, "--settings", board.path()});
  CHECK_MESSAGE(again.end() == "exit code 0", again.err());
  CHECK(has(again.out(), "Node 1 of 3"));
}

TEST_CASE("settings that are empty get the pack's lines, and nothing else is left beside them") {
  Home home;
  home.pack();
  const ScratchFolder board;
  board.with_text("node.toml", "");
  Program take({"keys", "take", home.file, "--settings", board.path()});
  REQUIRE_MESSAGE(take.end() == "exit code 0", take.err());
  CHECK(has(text_of(board / "node.toml"), "id = 1\n"));
  CHECK(mode_of(board / "node.toml") == 0640);
  CHECK_FALSE(std::filesystem::exists(board / "node.toml.new"));
}

TEST_CASE("profiles and traces that a cluster file names are in the pack") {
  Home home;
  home.folder.with_text("mine.toml", std::string(profile_text("pi4").value()));
  home.folder.with_text(
      "boards.toml",
      "[[node]]\nid = 0\nport = 7001\nprofile = \"mine.toml\"\n"
      "[[node]]\nid = 1\nport = 7002\nprofile = \"pi4\"\nrate_trace = \"walk.txt\"\n");
  home.folder.with_text("walk.txt", "0 s 20 Mb/s\n12.5 s 90 Mb/s\n");
  home.pack();
  const ScratchFolder board;
  Program take({"keys", "take", home.file, "--settings", board.path()});
  REQUIRE_MESSAGE(take.end() == "exit code 0", take.err());
  for (const char* name : {"mine.toml", "walk.txt"})
    CHECK(text_of(board / name) == text_of(home.folder / name));
}

TEST_CASE("packs that are none, of others, or that lead out of the folder are refused") {
  Home home;
  home.pack();
  const Json good = Json::parse(text_of(home.file));
  const auto refusal = [&](const std::function<void(Json&)>& fault) {
    Json broken = good;
    fault(broken);
    const auto read = parse_pack(broken.dump());
    return read ? std::string() : read.error();
  };
  CHECK(refusal([](Json&) {}).empty());
  CHECK(has(refusal([](Json& json) { json.erase("shingle_board"); }), "no board pack"));
  CHECK(has(refusal([](Json& json) { json["shingle_board"] = 2; }), "another version"));
  CHECK(has(refusal([](Json& json) { json.erase("cluster"); }), "incomplete"));
  CHECK(has(refusal([](Json& json) { json["node"] = 70000; }), "incomplete"));
  CHECK(has(refusal([](Json& json) { json["node"] = 0; }), "lacks the key of node 0"));
  CHECK(has(refusal([](Json& json) { json["secret"] = "none"; }), "its secret"));
  CHECK(has(refusal([](Json& json) { json["allowed"] = "members 1\n"; }), "list of keys"));
  for (const char* name : {"../id_rsa", "/etc/passwd", ".profile", "", "node.toml", "keys"})
    CHECK(has(refusal([&](Json& json) { json["files"][name] = "x"; }), "no plain name"));
  CHECK_FALSE(parse_pack("[1, 2").ok());
  CHECK_FALSE(parse_pack("").ok());
}

TEST_CASE("a board that has another key of that number keeps it") {
  Home home, other;
  home.pack();
  other.pack();
  const ScratchFolder board;
  Program take({"keys", "take", home.file, "--settings", board.path()});
  REQUIRE(take.end() == "exit code 0");
  const std::string before = text_of(board / "keys/allowed");
  Program stranger({"keys", "take", other.file, "--settings", board.path()});
  CHECK(stranger.end() == "exit code 1");
  CHECK_MESSAGE(has(stranger.err(), "is another key than the pack has"), stranger.err());
  CHECK(text_of(board / "keys/allowed") == before);
}

TEST_CASE(
    "a pack is not written over another, nor without the node's key, nor taken where nothing is") {
  Home home;
  home.pack();
  Program twice(
      {"keys", "pack", "1", "--cluster", home.cluster, "--keys", home.keys, "-o", home.file});
  CHECK(twice.end() == "exit code 3");
  CHECK(has(twice.err(), "is there already"));
  Program stranger({"keys", "pack", "5", "--cluster", home.cluster, "--keys", home.keys});
  CHECK(stranger.end() == "exit code 3");
  CHECK(has(stranger.err(), "has no node 5"));
  std::filesystem::remove(home.keys + "/node-0.secret");
  Program gone({"keys", "pack", "0", "--cluster", home.cluster, "--keys", home.keys});
  CHECK(gone.end() == "exit code 3");
  CHECK(has(gone.err(), "there is no key of node 0"));
  Program nowhere({"keys", "take", home.file, "--settings", home.folder / "none"});
  CHECK(nowhere.end() == "exit code 1");
  CHECK(has(nowhere.err(), "--settings"));
}

TEST_CASE("root gives keys to the owner of their folder, and settings to its group") {
  if (::geteuid() != 0) {
    MESSAGE("skipped: only root can give files to others");
    return;
  }
  constexpr uid_t service = 4711;
  Home home;
  home.pack();
  const ScratchFolder board;
  REQUIRE(::mkdir((board / "keys").c_str(), 0700) == 0);
  REQUIRE(::chown((board / "keys").c_str(), service, service) == 0);
  REQUIRE(::chown(board.path().c_str(), 0, service) == 0);
  Program take({"keys", "take", home.file, "--settings", board.path()});
  REQUIRE_MESSAGE(take.end() == "exit code 0", take.err());
  Program add({"keys", "add", "9", "--keys", board / "keys"});
  CHECK_MESSAGE(add.end() == "exit code 0", add.err());
  for (const char* name : {"keys/allowed", "keys/node-1.secret", "keys/node-9.secret"}) {
    struct stat facts {};
    REQUIRE(::stat((board / name).c_str(), &facts) == 0);
    CHECK(facts.st_uid == service);
    CHECK(facts.st_gid == service);
  }
  for (const char* name : {"cluster.toml", "node.toml"}) {
    struct stat facts {};
    REQUIRE(::stat((board / name).c_str(), &facts) == 0);
    CHECK(facts.st_uid == 0);
    CHECK(facts.st_gid == service);
    CHECK((facts.st_mode & 0777) == 0640);
  }
}
