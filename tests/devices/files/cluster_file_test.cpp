// Cluster files: what people write is read, what they mistype is named with its line.
#include "devices/files/cluster_file.hpp"

#include <doctest/doctest.h>

#include "partition/base/text.hpp"
#include "tests/networks/networks.hpp"
#include "tests/places.hpp"

namespace shingle::tests {

namespace {

std::string error_of(std::string_view text) {
  const Result<ClusterFile> file = parse_cluster(text, "cluster.toml");
  return file ? "no error" : file.error();
}

bool says(const std::string& error, std::string_view part) {
  CAPTURE(error);
  return error.find(part) != std::string::npos;
}

std::string numbered(std::string text, int32_t number) {
  text += std::to_string(number);
  return text;
}

std::string repeated(std::string text, char letter, std::string_view end) {
  text.append(100'000, letter).append(end);
  return text;
}

constexpr std::string_view two_nodes = R"(
[[node]]
id = 7
name = "attic"
address = "127.0.0.2"
port = 7001
gflops = 2.5
cores = 4
link_mbps = 100
memory = "512 MiB"

[[node]]
id = 3
port = 7002
)";

}  // namespace

TEST_CASE("A cluster file's nodes are read, defaults filled in, ordered by id") {
  const Result<ClusterFile> file = parse_cluster(two_nodes, "cluster.toml");
  REQUIRE_MESSAGE(file.ok(), (file ? "" : file.error()));
  REQUIRE(file->nodes.size() == 2);
  CHECK(file->nodes[0] == ClusterFileNode{.id = {3},
                                          .name = "node3",
                                          .address = "127.0.0.1",
                                          .port = 7002,
                                          .profile = "",
                                          .device = std::nullopt,
                                          .gflops = 4.0,
                                          .cores = 1,
                                          .link_mbps = 1000.0,
                                          .memory_bytes = 0,
                                          .pace = false,
                                          .cpus = 0.0});
  CHECK(file->nodes[1] == ClusterFileNode{.id = {7},
                                          .name = "attic",
                                          .address = "127.0.0.2",
                                          .port = 7001,
                                          .profile = "",
                                          .device = std::nullopt,
                                          .gflops = 2.5,
                                          .cores = 4,
                                          .link_mbps = 100.0,
                                          .memory_bytes = 512 << 20,
                                          .pace = false,
                                          .cpus = 0.0});
}

TEST_CASE("The planner sees speed, link and memory of every node") {
  const Cluster cluster = planner_cluster(parse_cluster(two_nodes, "cluster.toml").value());
  REQUIRE(cluster.nodes.size() == 2);
  CHECK(cluster.nodes[1].id == NodeId{7});
  CHECK(cluster.nodes[1].gflops == 2.5);
  CHECK(cluster.nodes[1].link_mbps == doctest::Approx(94.15).epsilon(1e-3));  // goodput
  CHECK(cluster.nodes[1].memory_bytes == 512 << 20);
}

TEST_CASE("The planner sees one medium where nodes share it, the delay, and who is paced") {
  ClusterFile file = parse_cluster(two_nodes, "cluster.toml").value();
  CHECK(!planner_cluster(file).medium_mbps);
  const double without = planner_cluster(file).nodes[0].link_latency_us;
  file.network = {.kind = NetworkKind::shared, .mbps = 10.0, .delay_ms = 2.0};
  file.nodes[0].pace = true;
  const Cluster cluster = planner_cluster(file);
  CHECK(cluster.medium_mbps.value() == doctest::Approx(9.147).epsilon(1e-3));
  CHECK(cluster.nodes[0].link_latency_us == doctest::Approx(without + 2000.0));
  CHECK(cluster.nodes[0].profile == paced_profile(file.nodes[0].gflops));
  CHECK(cluster.nodes[1].profile == costs_of(file.nodes[1]));
}

TEST_CASE("An address of digits and points must be an IPv4 address") {
  for (const char* address : {"192.168.1.300", "10.0.0", "10.0.0.7."}) {
    CAPTURE(address);
    const std::string text =
        "[[node]]\nid = 1\nport = 7100\naddress = \"" + std::string(address) + "\"\n";
    const Result<ClusterFile> file = parse_cluster(text, "c.toml");
    REQUIRE(!file.ok());
    CHECK(file.error().find("c.toml:4: ") == 0);
    CHECK(file.error().find("is no IPv4 address") != std::string::npos);
  }
  CHECK(parse_cluster("[[node]]\nid = 1\nport = 7100\naddress = \"pi-3.local\"\n", "c").ok());
  CHECK(parse_cluster("[[node]]\nid = 1\nport = 7100\naddress = \"fe80::1\"\n", "c").ok());
}

TEST_CASE("Parsing what was printed gives the same value") {
  networks::Random random(11);
  for (int i = 0; i < 200; ++i) {
    ClusterFile file;
    const bool shared = random.chance(0.3);
    if (random.chance(0.7))
      file.network = {.kind = shared ? NetworkKind::shared : NetworkKind::switched,
                      .mbps = static_cast<double>(random.uniform(0.1F, 2000.0F)),
                      .delay_ms = static_cast<double>(random.uniform(0.0F, 20.0F))};
    for (int32_t n = random.between(1, 6), id = 0; n > 0; --n) {
      id += random.between(1, 9);
      file.nodes.push_back(
          {.id = {static_cast<uint32_t>(id)},
           .name = numbered("n", random.between(0, 99)),
           .address = numbered("10.0.0.", random.between(1, 254)),
           .port = static_cast<uint16_t>(1000 + id),
           .profile = id % 2 == 0 ? "pi4" : "",
           .device = id % 2 == 0 ? std::optional(find_profile("pi4", "").value()) : std::nullopt,
           .gflops = static_cast<double>(random.uniform(0.1F, 500.0F)),
           .cores = random.between(1, 64),
           .link_mbps = file.network.kind == NetworkKind::shared
                            ? file.network.mbps
                            : static_cast<double>(random.between(1, 10000)),
           .memory_bytes = int64_t{random.between(0, 1 << 20)} * (random.chance(0.5) ? 1 : 1 << 20),
           .pace = id % 3 == 0,
           .cpus = id % 3 == 1 ? 0.25 : 0.0});
    }
    const Result<ClusterFile> again = parse_cluster(print(file), "printed");
    REQUIRE_MESSAGE(again.ok(), (again ? "" : again.error()));
    CHECK(*again == file);
  }
}

TEST_CASE("Every cluster file of the repository is sound") {
  const auto files = {"four_local", "four", "pi3x6", "pi3x6_unequal", "pi3x6_shared"};
  for (const std::string name : files) {
    CAPTURE(name);
    const Result<ClusterFile> file =
        load_cluster(source_folder() + "/devices/clusters/" + name + ".toml");
    REQUIRE_MESSAGE(file.ok(), (file ? "" : file.error()));
    CHECK(file->nodes.size() >= 4);
  }
}

TEST_CASE("The network's speed is every port's that names none of its own") {
  const Result<ClusterFile> file = parse_cluster(R"(
[network]
mbps = 50
delay_ms = 1.5
[[node]]
id = 0
port = 7000
[[node]]
id = 1
port = 7001
link_mbps = 10
pace = true
)",
                                                 "cluster.toml");
  REQUIRE_MESSAGE(file.ok(), (file ? "" : file.error()));
  CHECK(file->network == ClusterNetwork{NetworkKind::switched, 50.0, 1.5});
  CHECK(file->nodes[0].link_mbps == 50.0);
  CHECK_FALSE(file->nodes[0].pace);
  CHECK(file->nodes[1].link_mbps == 10.0);
  CHECK(file->nodes[1].pace);
}

TEST_CASE("A node's profile says what it can do, and the node's own keys say where it differs") {
  const Result<ClusterFile> file = parse_cluster(R"(
[[node]]
id = 0
port = 7000
profile = "pi3b"
[[node]]
id = 1
port = 7001
profile = "pi3b"
cores = 1
[[node]]
id = 2
port = 7002
profile = "pi3b"
gflops = 1.0
[[node]]
id = 3
port = 7003
gflops = 1.0
)",
                                                 "cluster.toml");
  REQUIRE_MESSAGE(file.ok(), (file ? "" : file.error()));
  const DeviceProfile pi = find_profile("pi3b", "").value();
  CHECK(file->nodes[0].gflops == doctest::Approx(gflops_of(pi.costs)));
  CHECK(file->nodes[0].cores == 4);
  CHECK(costs_of(file->nodes[0]) == pi.costs);
  CHECK(file->nodes[1].gflops == doctest::Approx(gflops_of(pi.costs) / 2.66));
  CHECK(gflops_of(costs_of(file->nodes[2])) == doctest::Approx(1.0));
  CHECK(costs_of(file->nodes[2]).at(WorkKind::pooling).ns_per_element ==
        doctest::Approx(pi.costs.at(WorkKind::pooling).ns_per_element * gflops_of(pi.costs)));
  CHECK(costs_of(file->nodes[3]) == profile_of(1.0));
}

TEST_CASE("An unknown key is named with its line and the nearest known key") {
  const std::string error = error_of("[[node]]\nid = 1\nport = 7001\nlink_mpbs = 100\n");
  CHECK(says(error, "cluster.toml:4:"));
  CHECK(says(error, "'link_mpbs'"));
  CHECK(says(error, "did you mean 'link_mbps'?"));
}

TEST_CASE("An unknown key that resembles none gets the list of keys") {
  CHECK(says(error_of("[[node]]\nid = 1\nport = 7001\nzzzzzzzzzz = 1\n"), "known are id name"));
}

TEST_CASE("What is wrong with a cluster file is said in one sentence that names the line") {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "has no node"},
      {"node = []", "has no node"},
      {"node = 3", "cluster.toml:1: 'node' must be a list"},
      {"node = [1]", "cluster.toml:1: 'node' must hold tables"},
      {"[node]\nid = 1\nport = 1\n", "'node' must be a list"},
      {"[[nodes]]\nid = 1\n", "cluster.toml:1: unknown key 'nodes'"},
      {"[[node]]\nport = 7001\n", "has no 'id'"},
      {"[[node]]\nid = 1\n", "has no 'port'"},
      {"[[node]]\nid = -1\nport = 7001\n", "cluster.toml:2: 'id' must be a whole number"},
      {"[[node]]\nid = 1\nport = 70000\n", "cluster.toml:3: 'port'"},
      {"[[node]]\nid = 1\nport = \"a\"\n", "cluster.toml:3: 'port'"},
      {"[[node]]\nid = 1\nport = 7001\ncores = 1.5\n", "cluster.toml:4: 'cores'"},
      {"[[node]]\nid = 1\nport = 7001\ngflops = 0\n", "cluster.toml:4: 'gflops'"},
      {"[[node]]\nid = 1\nport = 7001\ngflops = nan\n", "cluster.toml:4: 'gflops'"},
      {"[[node]]\nid = 1\nport = 7001\nname = \"a b\"\n", "cluster.toml:4: 'name'"},
      {"[[node]]\nid = 1\nport = 7001\nmemory = \"1 TB\"\n", "cluster.toml:4: 'memory'"},
      {"[[node]]\nid = 1\nport = 7001\nmemory = \"99999999999 GiB\"\n", "'memory'"},
      {"[[node]]\nid = 1\nport = 7001\nmemory = -1\n", "'memory'"},
      {"[[node]]\nid = 1\nport = 7001\n[[node]]\nid = 1\nport = 7002\n", "two nodes have the id 1"},
      {"[[node]]\nid = 1\nport = 7001\n[[node]]\nid = 2\nport = 7001\n", "nodes 1 and 2 share"},
      {"[[node]]\nid = 1\nport = 7001\npace = 3\n", "cluster.toml:4: 'pace' must be true or false"},
      {"[[node]]\nid = 1\nport = 7001\ncpus = 0\n", "cluster.toml:4: 'cpus'"},
      {"[[node]]\nid = 1\nport = 7001\npace = true\ncpus = 1\n", "either 'pace' or 'cpus'"},
      {"[[node]]\nid = 1\nport = 7001\nprofile = \"pi6\"\n",
       "cluster.toml:4: there is no ready-made profile 'pi6'; there are jetson_nano"},
      {"[[node]]\nid = 1\nport = 7001\nprofile = \"nowhere/board.toml\"\n", "nowhere/board.toml"},
      {"network = 3\n", "cluster.toml:1: 'network' must be a table"},
      {"[[network]]\nmbps = 3\n", "'network' must be a table"},
      {"[network]\nkind = \"token ring\"\n[[node]]\nid = 1\nport = 1\n",
       "cluster.toml:2: 'kind' must be one of switched shared"},
      {"[network]\nkind = \"shared\"\n[[node]]\nid = 1\nport = 1\n",
       "cluster.toml:2: a shared medium needs its 'mbps'"},
      {"[network]\nmbps = 0\n[[node]]\nid = 1\nport = 1\n", "cluster.toml:2: 'mbps'"},
      {"[network]\ndelay_ms = -1\n[[node]]\nid = 1\nport = 1\n", "cluster.toml:2: 'delay_ms'"},
      {"[network]\nkidn = 1\n[[node]]\nid = 1\nport = 1\n", "did you mean 'kind'?"},
      {"[network]\nkind = \"shared\"\nmbps = 9\n[[node]]\nid = 1\nport = 1\nlink_mbps = 5\n",
       "cluster.toml:7: 'link_mbps' has no meaning on a shared medium"},
      {"[[node]\nid = 1\n", "cluster.toml:1:"},
      {"id = = 1", "cluster.toml:1:"},
  };
  for (const auto& [text, expected] : cases) {
    CAPTURE(text);
    CHECK(says(error_of(text), expected));
  }
}

TEST_CASE("Hostile cluster files are refused without harm") {
  CHECK(says(error_of(std::string(2 << 20, 'x')), "larger than 1 MiB"));
  CHECK(error_of(repeated("a = ", '[', "")) != "no error");
  CHECK(error_of(std::string("\0\0\0", 3)) != "no error");
  CHECK(error_of(repeated("[[node]]\n\"", 'q', "\" = 1\n")).size() < 400);
  networks::Random random(5);
  for (int i = 0; i < 2000;
       ++i) {  // a sound file with a few bytes changed: any outcome but a crash
    std::string text(two_nodes);
    for (int32_t n = random.between(1, 4); n > 0; --n) {
      const auto at = static_cast<size_t>(random.between(0, static_cast<int32_t>(text.size()) - 1));
      text[at] = static_cast<char>(random.between(0, 255));
    }
    const auto read = parse_cluster(text, "mutated");
    if (!read) CHECK(read.failure().kind == ErrorKind::bad_input);
  }
}

TEST_CASE("A refusal is one line that a terminal can bear, whatever the file holds") {
  // toml++ quotes what it could not read as it is.
  for (const std::string value : {"i\nport", "0x\x1b[2J", "\"\\\x1b[2J\""}) {
    CAPTURE(value);
    const std::string error = error_of("[[node]]\nid = " + value + "\n");
    CHECK(error != "no error");
    CHECK(error == readable(error, error.size()));
  }
}

TEST_CASE("A cluster file that is not there is an error that names it") {
  const Result<ClusterFile> file = load_cluster("/nowhere/cluster.toml");
  REQUIRE(!file.ok());
  CHECK(says(file.error(), "/nowhere/cluster.toml"));
  CHECK(file.failure().kind == ErrorKind::bad_input);
}

}  // namespace shingle::tests

TEST_CASE("a cell has a radio mode, which is one that was measured") {
  const std::string nodes = "[[node]]\nid = 1\nport = 7001\nat = \"home\"\n";
  const std::string cell = "[[cell]]\nname = \"home\"\nmode = ";
  const auto file = shingle::parse_cluster(cell + "\"n-31-40-400\"\n" + nodes, "wifi.toml");
  REQUIRE_MESSAGE(file.ok(), file.error());
  CHECK(file->points.at(0).mode == "n-31-40-400");
  CHECK(shingle::parse_cluster(shingle::print(*file), "wifi.toml").value() == *file);
  const auto unknown = shingle::parse_cluster(cell + "\"ax-11\"\n" + nodes, "wifi.toml");
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.error().find("wifi.toml:3: 'mode' must be one of b-11") != std::string::npos);
}
