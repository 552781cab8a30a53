// What a running node does when its list of keys changes: revoked, unreadable, damaged, old.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/transport/guarded.hpp"

namespace shingle {
namespace {

using namespace testing;

TEST_CASE("a revoked member is cut off within 5 s by whom it dialled, and let in again later") {
  const KeyScene here({1, 2}), there({});
  REQUIRE(there.folder().save(here.folder().allowed().value()).ok());
  REQUIRE(there.folder().save({1}, here.folder().pair_of({1}).value()).ok());
  Guarded node(here, options_of(2, {1, 2}));
  Guarded member(there, dialling(1, {1, 2}, 2, node.port()));
  REQUIRE(next<PeerSeen>(node.inbox).has_value());
  const PublicKey key = *here.folder().allowed()->key_of({1});
  const auto revoked = std::chrono::steady_clock::now();
  here.revoke({1});
  const auto lost = next<PeerLost>(node.inbox);
  REQUIRE(lost.has_value());
  CHECK(std::chrono::steady_clock::now() - revoked < std::chrono::seconds(5));
  CHECK(std::get<PeerLost>(lost->event).why == "its key was revoked");
  CHECK(next<PeerLost>(member.inbox).has_value());
  CHECK(member.notes.mention("its list has another key for this node, or none"));
  here.allow({1}, key);
  CHECK(next<PeerSeen>(node.inbox).has_value());
}

TEST_CASE("a revoked member is cut off by whoever dials it too") {
  const KeyScene here({1, 2}), there({});
  REQUIRE(there.folder().save(here.folder().allowed().value()).ok());
  REQUIRE(there.folder().save({2}, here.folder().pair_of({2}).value()).ok());
  Guarded member(there, options_of(2, {1, 2}));
  Guarded node(here, dialling(1, {1, 2}, 2, member.port()));
  REQUIRE(next<PeerSeen>(node.inbox).has_value());
  here.revoke({2});
  CHECK(next<PeerLost>(node.inbox).has_value());
  CHECK(node.notes.mention("has no key of it"));
}

TEST_CASE("a list that can no longer be read stays as it was") {
  const KeyScene keys({1, 2});
  Guarded node(keys, options_of(2, {1, 2}));
  Guarded member(keys, dialling(1, {1, 2}, 2, node.port()));
  REQUIRE(next<PeerSeen>(node.inbox).has_value());
  std::filesystem::remove(keys.folder().allowed_path());
  CHECK(node.notes.mention("The list of keys stays as it was"));
  member.transport->send({2}, {.from = {1}}, Beat{}, {});
  CHECK(next<MessageReceived>(node.inbox).has_value());
}

// Node 2 and node 1, which dials it; each has its own folder of keys.
struct TwoFolders {
  KeyScene here{{1, 2}}, there{{}};
  std::optional<Guarded> node, member;
  TwoFolders() {
    REQUIRE(there.folder().save(list()).ok());
    REQUIRE(there.folder().save({1}, here.folder().pair_of({1}).value()).ok());
  }
  void connect() {
    node.emplace(here, options_of(2, {1, 2}));
    member.emplace(there, dialling(1, {1, 2}, 2, node->port()));
    REQUIRE(next<PeerSeen>(node->inbox).has_value());
  }
  Allowed list() const { return here.folder().allowed().value(); }
  void write(const std::string& text) const {
    const std::string path = here.folder().allowed_path();
    std::ofstream(path + ".copy") << text;
    std::filesystem::rename(path + ".copy", path);
  }
  // Node 2 receives a message of node 1 next, so the connection still stands.
  bool still_connected() {
    member->transport->send({2}, {.from = {1}}, Beat{}, {});
    const auto item = node->inbox.wait(std::chrono::steady_clock::now() + long_enough);
    return item.has_value() && std::holds_alternative<MessageReceived>(item->event);
  }
};

TEST_CASE("a list that is cut short, corrupted, empty or without the node itself cuts nobody off") {
  struct Bad {
    const char* why;
    std::function<std::string(const std::string&)> of;
  };
  const std::vector<Bad> bad{
      {"does not name node 2", [](const std::string&) { return ""; }},
      {"the end line is missing",
       [](const std::string& text) { return text.substr(0, text.rfind("2 ")); }},
      {"the end does not fit the list",
       [](std::string text) { return text.replace(text.find("\n1 "), 3, "\n5 "); }},
      {"does not name node 2", [](const std::string& text) {
         Allowed others = Allowed::parse(text).value();
         others.remove({2});
         return others.text();
       }}};
  for (const Bad& each : bad) {
    CAPTURE(each.why);
    TwoFolders scene;
    scene.connect();
    scene.write(each.of(scene.list().text()));
    CHECK(scene.node->notes.mention("The list of keys stays as it was"));
    CHECK(scene.node->notes.mention(each.why));
    CHECK(scene.still_connected());
  }
}

TEST_CASE("a folder that others may write changes nothing until it is one's own again") {
  TwoFolders scene;
  scene.connect();
  Allowed without = scene.list();
  REQUIRE(without.remove({1}));
  REQUIRE(::chmod(scene.here.path().c_str(), 0777) == 0);
  CHECK(scene.node->notes.mention("chmod go-w '" + scene.here.path() + "'"));
  scene.write(without.text());
  CHECK(scene.still_connected());
  REQUIRE(::chmod(scene.here.path().c_str(), 0700) == 0);
  CHECK(next<PeerLost>(scene.node->inbox).has_value());
}

TEST_CASE("a list of an earlier version lets its members in, and is warned of") {
  TwoFolders scene;
  std::string lines;
  const Allowed members = scene.list();
  for (const auto& [id, key] : members.keys())
    lines += std::to_string(id.value) + " " + key.z85 + "\n";
  scene.write(lines);
  scene.connect();
  CHECK(scene.node->notes.mention("has no end line"));
  CHECK(scene.node->notes.mention("'shingle keys seal'"));
}

}  // namespace
}  // namespace shingle
