// `shingle keys`, and what the program does without them.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/apps/program.hpp"
#include "transport/keys/keys.hpp"

using namespace shingle;
using Json = nlohmann::json;

namespace {

bool has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

void check_refusal(Program& program, const std::string& code, const std::string& words) {
  CHECK(program.end() == code);
  CHECK_MESSAGE(has(program.err(), words), program.err());
}

constexpr const char* two_nodes = "[[node]]\nid = 0\nport = 7001\n[[node]]\nid = 1\nport = 7002\n";

TEST_CASE("keys are made, listed, added and revoked, and kept from others") {
  const ScratchFolder folder;
  const std::string keys = folder / "keys";
  const std::string cluster = folder.with_text("cluster.toml", two_nodes);
  const auto ids = [&] {
    Program list({"keys", "list", "--keys", keys, "--json"});
    REQUIRE_MESSAGE(list.end() == "exit code 0", list.err());
    std::vector<int> found;
    const Json json = Json::parse(list.out());
    for (const Json& node : json["nodes"]) found.push_back(node["id"].get<int>());
    return found;
  };
  Program init({"keys", "init", "--cluster", cluster, "--keys", keys});
  REQUIRE_MESSAGE(init.end() == "exit code 0", init.err());
  CHECK(has(init.out(), "node-1.secret"));
  CHECK(ids() == std::vector<int>{0, 1});
  struct stat facts {};
  REQUIRE(::stat((keys + "/node-1.secret").c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777) == 0600);
  REQUIRE(::stat(keys.c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777) == 0700);
  Program again({"keys", "init", "--keys", keys});
  check_refusal(again, "exit code 3", "'shingle keys add NODE'");
  Program add({"keys", "add", "7", "--keys", keys});
  CHECK(add.end() == "exit code 0");
  Program twice({"keys", "add", "7", "--keys", keys});
  check_refusal(twice, "exit code 3", "node 7 has a key already");
  Program elsewhere({"keys", "add", "8", "--keys", keys, "--public", new_key_pair().open.z85});
  CHECK(elsewhere.end() == "exit code 0");
  CHECK(ids() == std::vector<int>{0, 1, 7, 8});
  Program revoke({"keys", "revoke", "7", "--keys", keys});
  CHECK(revoke.end() == "exit code 0");
  CHECK(::access((keys + "/node-7.secret").c_str(), F_OK) != 0);
  Program stranger({"keys", "revoke", "7", "--keys", keys});
  check_refusal(stranger, "exit code 3", "node 7 is not in");
  CHECK(ids() == std::vector<int>{0, 1, 8});
  std::filesystem::copy(keys + "/node-1.secret", keys + "/node-7.secret");  // of no list
  Program blocked({"keys", "add", "7", "--keys", keys});
  check_refusal(blocked, "exit code 3", "revoke node 7 first");
  Program freed({"keys", "revoke", "7", "--keys", keys});
  CHECK(freed.end() == "exit code 0");
  CHECK(has(freed.out(), "node-7.secret' is removed"));
  Program afresh({"keys", "add", "7", "--keys", keys});
  CHECK(afresh.end() == "exit code 0");
  Program shorter({"keys", "add", "9", "--keys", keys, "--public", "abc"});
  check_refusal(shorter, "exit code 2", "40 characters");
}

TEST_CASE("without keys a node joins nobody, unless it is told to do without") {
  const ScratchFolder folder;
  const std::string cluster = folder.with_text("cluster.toml", two_nodes);
  Program node({"node", "--cluster", cluster, "--id", "0", "--keys", folder / "none"});
  check_refusal(node, "exit code 3", "'shingle keys init'");
  CHECK(has(node.err(), "--insecure"));
  Program both(
      {"node", "--cluster", cluster, "--id", "0", "--keys", folder / "none", "--insecure"});
  CHECK(both.end() == "exit code 2");
}

}  // namespace
