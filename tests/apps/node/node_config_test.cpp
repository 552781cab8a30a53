// The node's settings through the real program: files, variables, and the service manager.
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <optional>

#include "apps/system/reserved_ports.hpp"
#include "tests/apps/notify_socket.hpp"
#include "tests/apps/verbs.hpp"

using namespace shingle;

namespace {

struct OneNode {
  ScratchFolder folder;
  std::optional<ReservedPorts> ports;
  std::string cluster;

  OneNode() {
    auto reserved = ReservedPorts::on_loopback(1);
    REQUIRE(reserved.ok());
    ports.emplace(std::move(*reserved));
    cluster = folder.with_text("cluster.toml", cluster_text(ports->ports()));
  }
  std::string settings(const std::string& more) const {
    return folder.with_text("node.toml",
                            "cluster = \"" + cluster + "\"\nid = 0\ninsecure = true\n" + more);
  }
};

}  // namespace

TEST_CASE("config show says where each value comes from") {
  const OneNode node;
  const std::string file = node.settings("memory = \"64MiB\"\nlog-level = \"info\"\n");
  const Variable memory("SHINGLE_MEMORY", "48MiB");
  Program show({"config", "show", file, "--origin"});
  REQUIRE(show.end() == "exit code 0");
  CHECK(has(show.out(), "memory = 48MiB"));
  CHECK(has(show.out(), "SHINGLE_MEMORY"));
  CHECK(has(show.out(), file + ":5"));
  Program json({"config", "show", file, "--json"});
  REQUIRE(json.end() == "exit code 0");
  CHECK(has(json.out(), R"("log-level":{"values":["info"],"origin":)"));
}

TEST_CASE("config check says whether a node could start") {
  const OneNode node;
  Program good({"config", "check", node.settings("")});
  CHECK(good.end() == "exit code 0");
  CHECK(has(good.out(), "node 0 of 1 can start with it"));
  Program wrong({"config", "check", node.settings("memory = \"much\"\n")});
  check_refusal(wrong, "exit code 3", "node.toml:4: ");
  Program alone({"config", "check", node.folder.with_text("node.toml", "id = 0\n")});
  check_refusal(alone, "exit code 3", "says with neither cluster nor broker");
  Program absent({"config", "check", "/nowhere/node.toml"});
  check_refusal(absent, "exit code 3", "/nowhere/node.toml");
}

TEST_CASE("insecure is never taken from the environment") {
  const OneNode node;
  const Variable insecure("SHINGLE_INSECURE", "true");
  const Variable cluster("SHINGLE_CLUSTER", node.cluster), id("SHINGLE_ID", "0");
  const Variable keys("SHINGLE_KEYS", node.folder / "no-keys");
  Program program({"node"});
  CHECK(program.end() == "exit code 3");  // the service does not start again
  CHECK(has(program.err(), "no-keys"));
}

TEST_CASE("a service says when it is ready, that it is alive, and reads its settings again") {
  const OneNode node;
  const std::string file = node.settings("log-level = \"info\"\n");
  NotifySocket manager(node.folder / "notify");
  const Variable socket("NOTIFY_SOCKET", node.folder / "notify"),
      watchdog("WATCHDOG_USEC", "400000");
  Program program({"node", "--config", file});
  const std::string ready = manager.next();
  CHECK(has(ready, "READY=1"));
  CHECK(has(ready, "STATUS=node 0 listens on port"));
  CHECK(manager.next_like("WATCHDOG=1") == "WATCHDOG=1");
  CHECK(manager.next_like("WATCHDOG=1") == "WATCHDOG=1");

  node.settings("log-level = \"error\"\n");
  const pid_t process = program.process().id();
  ::kill(process, SIGHUP);
  CHECK(manager.next_like("RELOADING=1") == "RELOADING=1");
  CHECK(has(manager.next_like("READY=1"), "READY=1"));
  node.settings("log-level = \"loud\"\n");  // stays as it is
  ::kill(process, SIGHUP);
  CHECK(manager.next_like("RELOADING=1") == "RELOADING=1");
  CHECK(has(manager.next_like("READY=1"), "READY=1"));

  program.process().ask_to_stop();
  CHECK(manager.next_like("STOPPING=1") == "STOPPING=1");
  CHECK(program.end() == "exit code 0");
}
