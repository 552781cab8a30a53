// Nodes, a real broker between them, and what becomes of the work when it is away.
#include "apps/members/membership.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/apps/program.hpp"
#include "tests/apps/topic_listener.hpp"
#include "tests/clips/clips.hpp"
#include "tests/networks/networks.hpp"

using namespace shingle;
using Json = nlohmann::json;

namespace {

// Listens to everything of a cluster.
class Listener : public TopicListener {
 public:
  explicit Listener(const Broker& broker, const std::string& name = "listener")
      : TopicListener(broker, "shingle/cluster/#", name) {}
  std::vector<std::string> heard(const std::string& leaf) const {
    return TopicListener::heard("shingle/cluster/node/" + leaf);
  }
  bool last_has(const std::string& leaf, const std::string& part) const {
    const auto all = heard(leaf);
    return !all.empty() && all.back().find(part) != std::string::npos;
  }
  bool any_has(const std::string& leaf, const std::string& part) const {
    const auto all = heard(leaf);
    return std::any_of(all.begin(), all.end(), [&](const std::string& text) {
      return text.find(part) != std::string::npos;
    });
  }
};

// A model, keys for three nodes, and no cluster file: nodes 0 and 1 compute, 2 owns frames.
class House {
 public:
  House() {
    auto model = networks::make("tiny", 0, 1);
    REQUIRE(model.ok());
    folder_.with_text("tiny.onnx", networks::to_onnx(*model));
    Program init({"keys", "init", "--keys", keys()});
    REQUIRE(init.end() == "exit code 0");
    for (const char* node : {"0", "1", "2"}) {
      Program add({"keys", "add", node, "--keys", keys()});
      REQUIRE(add.end() == "exit code 0");
    }
  }
  // Both compute, though one alone would be as fast.
  std::string plan() const {
    const std::string path = folder_ / "both.plan";
    Program plan({"plan", folder_ / "tiny.onnx", "--nodes", "2", "--grid", "2x4", "--out", path});
    REQUIRE_MESSAGE(plan.end() == "exit code 0", plan.err());
    return path;
  }
  std::string keys() const { return folder_ / "keys"; }
  std::string clip(int frames) const {
    const std::string path = folder_ / "clip.mp4";
    REQUIRE(clips::render(path, frames, {160, 120}, 25.0).ok());
    return path;
  }
  Program node(const Broker& broker, const char* id) const {
    return Program({"node", "--broker", broker.uri(), "--id", id, "--listen", "127.0.0.1:0",
                    "--models", folder_.path(), "--keys", keys()});
  }
  Program run(const Broker& broker, const std::string& clip, std::vector<std::string> more = {}) {
    std::vector<std::string> words{
        "run",      folder_ / "tiny.onnx", clip,     "--broker", broker.uri(), "--id",    "2",
        "--listen", "127.0.0.1:0",         "--keys", keys(),     "--json",     "--verify"};
    words.insert(words.end(), more.begin(), more.end());
    return Program(words);
  }

 private:
  ScratchFolder folder_;
};

std::string announcement_of(uint32_t node, uint16_t port) {
  Announcement lie;
  lie.node.id = NodeId{node};
  lie.node.name = "liar";
  lie.session = "lie";
  lie.addresses = {{"127.0.0.1", port}};
  return print(lie);
}

void check_identical(Program& run) {
  REQUIRE_MESSAGE(run.end() == "exit code 0", run.err());
  CHECK(Json::parse(run.out_lines().back())["identical"] == true);
}

}  // namespace

TEST_CASE("nodes find each other by announcements alone, and results are told") {
  const Broker broker;
  Listener listener(broker);
  House house;
  Program first = house.node(broker, "0"), second = house.node(broker, "1");
  for (const char* leaf : {"0/announcement", "1/announcement"})
    REQUIRE(becomes_true([&] { return listener.last_has(leaf, "tiny.onnx"); }));
  Program run = house.run(broker, house.clip(6));
  check_identical(run);
  CHECK(becomes_true([&] { return listener.heard("2/result").size() == 6; }));
  CHECK(becomes_true([&] { return listener.any_has("2/event", "\"plan_ready\""); }));
  // Who takes his leave is offline, as who is killed.
  CHECK(becomes_true([&] { return listener.last_has("2/state", "offline"); }));
  CHECK(listener.last_has("0/state", "online"));
  ::kill(first.process().id(), SIGKILL);
  CHECK(becomes_true([&] { return listener.last_has("0/state", "offline"); }));
  CHECK(becomes_true([&] { return listener.any_has("1/event", "\"peer_lost\""); }));
}

TEST_CASE("frames go on while the broker is away, and nodes announce themselves again") {
  Broker broker;
  House house;
  Program first = house.node(broker, "0"), second = house.node(broker, "1");
  auto listener = std::make_unique<Listener>(broker);
  for (const char* leaf : {"0/announcement", "1/announcement"})
    REQUIRE(becomes_true([&] { return listener->last_has(leaf, "tiny.onnx"); }));
  Program run = house.run(broker, house.clip(60), {"--open", "1", "--plan", house.plan()});
  REQUIRE(becomes_true([&] { return run.out_lines().size() >= 3; }));
  broker.kill();
  listener.reset();
  check_identical(run);
  CHECK(Json::parse(run.out_lines().back())["frames"] == 60);
  broker.start();
  Listener again(broker, "again");
  for (const char* leaf : {"0/announcement", "1/announcement"})
    CHECK(becomes_true([&] { return again.last_has(leaf, "tiny.onnx"); }));
  CHECK(becomes_true([&] { return again.last_has("0/state", "online"); }));
}

TEST_CASE("a run that waits for nodes at a broker ends when it is asked to") {
  const Broker broker;
  House house;
  Program run = house.run(broker, house.clip(2));
  REQUIRE(becomes_true([&] { return run.err().find("waiting") != std::string::npos; }));
  ::kill(run.process().id(), SIGINT);
  CHECK(run.end() == "exit code 1");
  CHECK(run.err().find("stopped before the nodes were there") != std::string::npos);
}

TEST_CASE("a stranger's announcements give him nothing, and members work all the same") {
  const Broker broker;
  Listener stranger(broker, "stranger");
  House house;
  // He announces himself, something that is nothing, and an address of his own for a member.
  auto own = ReservedPorts::on_loopback(1);
  REQUIRE(own.ok());
  const uint16_t his_port = own->ports().front();
  const auto lie = [&] {
    stranger.link().keep("shingle/cluster/node/9/announcement", announcement_of(9, his_port));
    stranger.link().keep("shingle/cluster/node/1/announcement", announcement_of(1, his_port));
    stranger.link().keep("shingle/cluster/node/7/announcement", "{\"node\":");
  };
  lie();
  Program first = house.node(broker, "0"), second = house.node(broker, "1");
  // The member whose name he took corrects him.
  REQUIRE(becomes_true([&] { return stranger.last_has("1/announcement", "tiny.onnx"); }));
  REQUIRE(becomes_true([&] { return stranger.last_has("0/announcement", "tiny.onnx"); }));
  Program run = house.run(broker, house.clip(20), {"--open", "1", "--plan", house.plan()});
  REQUIRE(becomes_true([&] { return !run.out_lines().empty(); }));
  lie();  // connections that stand are not touched
  check_identical(run);
  const Json summary = Json::parse(run.out_lines().back());
  CHECK(summary["tiles_per_node"].size() == 2);
}

TEST_CASE("a stranger who announces a fast member that is away gets it into no plan") {
  const Broker broker;
  Listener stranger(broker, "stranger");
  House house;
  auto own = ReservedPorts::on_loopback(1);
  REQUIRE(own.ok());
  Announcement lie = parse_announcement(announcement_of(1, own->ports().front())).value();
  lie.node.gflops = 100'000.0;
  stranger.link().keep("shingle/cluster/node/1/announcement", print(lie));
  REQUIRE(becomes_true([&] { return stranger.last_has("1/announcement", "100000"); }));
  Program first = house.node(broker, "0");
  Program run = house.run(broker, house.clip(4));
  check_identical(run);
  CHECK(run.err().find("node 1 was announced, but has not confirmed it itself") !=
        std::string::npos);
  const Json summary = Json::parse(run.out_lines().back());
  CHECK(summary["tiles_per_node"].size() == 1);
}

TEST_CASE("a broker that is not there keeps nobody from working by a cluster file") {
  const ScratchFolder folder;
  auto ports = ReservedPorts::on_loopback(3);
  REQUIRE(ports.ok());
  auto model = networks::make("tiny", 0, 1);
  REQUIRE(model.ok());
  const std::string file = folder.with_text("tiny.onnx", networks::to_onnx(*model));
  std::string text;
  for (int id = 0; id < 2; ++id)
    text += "[[node]]\nid = " + std::to_string(id) +
            "\nport = " + std::to_string(ports->ports()[static_cast<size_t>(id)]) + "\n";
  const std::string cluster = folder.with_text("cluster.toml", text), clip = folder / "clip.mp4";
  REQUIRE(clips::render(clip, 4, {160, 120}, 25.0).ok());
  const std::string nobody = "mqtt://127.0.0.1:" + std::to_string(ports->ports()[2]);
  Program node({"node", "--cluster", cluster, "--id", "0", "--models", folder.path(), "--insecure",
                "--broker", nobody});
  Program run({"run", file, clip, "--cluster", cluster, "--id", "1", "--insecure", "--broker",
               nobody, "--json", "--verify"});
  check_identical(run);
  CHECK(run.err().find(nobody + " is not there, the work goes on without it") != std::string::npos);
}

TEST_CASE("what a broker needs is said in one sentence") {
  const ScratchFolder folder;
  Program insecure({"node", "--broker", "mqtt://127.0.0.1:1", "--id", "0", "--insecure"});
  CHECK(insecure.end() == "exit code 3");
  CHECK(insecure.err().find("give --cluster FILE") != std::string::npos);
  Program nothing({"node", "--id", "0"});
  CHECK(nothing.end() == "exit code 2");
  CHECK(nothing.err().find("--cluster or --broker") != std::string::npos);
  Program init({"keys", "init", "--keys", folder / "keys"});
  REQUIRE(init.end() == "exit code 0");
  Program add({"keys", "add", "0", "--keys", folder / "keys"});
  REQUIRE(add.end() == "exit code 0");
  const auto refused = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"node", "--id", "0", "--keys", folder / "keys"};
    words.insert(words.end(), more.begin(), more.end());
    Program program(words);
    CHECK(program.end() == "exit code 2");
    return program.err();
  };
  CHECK(refused({"--broker", "127.0.0.1"}).find("write mqtt://ADDRESS:PORT") != std::string::npos);
  CHECK(refused({"--broker", "mqtt://a:1", "--cluster-name", "a/b"}).find("in a topic") !=
        std::string::npos);
  CHECK(refused({"--broker", "mqtt://a:1", "--listen", "7"}).find("is not ADDRESS:PORT") !=
        std::string::npos);
}
