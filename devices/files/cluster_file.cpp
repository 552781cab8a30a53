#include "devices/files/cluster_file.hpp"

#include <arpa/inet.h>

#include <algorithm>

#include "devices/files/toml_table.hpp"

namespace shingle {

namespace {

// A cluster of a thousand nodes is a tenth of this.
constexpr size_t largest_text = 1 << 20;
constexpr size_t most_nodes = 1024;
constexpr Bounds speeds{1e-3, 1e9};

const std::vector<std::string> node_keys{"id",     "name",    "address", "port",
                                         "gflops", "profile", "cores",   "link_mbps",
                                         "memory", "pace",    "cpus"};
const std::vector<std::string> network_keys{"kind", "mbps", "delay_ms"};

Result<ClusterNetwork> read_network(const toml::table& table, std::string_view file) {
  TomlTable in(table, file, "[network]");
  in.refuse_keys_besides(network_keys);
  ClusterNetwork network;
  network.kind = static_cast<NetworkKind>(in.choice("kind", network_kinds(), 0));
  if (network.kind == NetworkKind::shared && !in.has("mbps"))
    in.fail("kind", "a shared medium needs its 'mbps'");
  network.mbps = in.number("mbps", speeds, network.mbps);
  network.delay_ms = in.number("delay_ms", {0.0, 10'000.0}, network.delay_ms);
  if (!in.status()) return in.status().failure();
  return network;
}

std::string folder_of(std::string_view file) {
  const size_t slash = file.rfind('/');
  return slash == std::string_view::npos ? "" : std::string(file.substr(0, slash));
}

// Other texts are names or IPv6 addresses, which only the network knows.
bool is_broken_ipv4(const std::string& address) {
  in_addr v4{};
  return address.find_first_not_of("0123456789.") == std::string::npos &&
         inet_pton(AF_INET, address.c_str(), &v4) != 1;
}

void read_speed(TomlTable& in, const std::string& folder, ClusterFileNode& node) {
  node.profile = in.text("profile", std::string());
  if (in.has("profile") && in.status().ok()) {
    Result<DeviceProfile> device = find_profile(node.profile, folder);
    if (!device) return in.fail("profile", device.error());
    node.device = std::move(*device);
    node.cores = node.device->cores;
  }
  node.cores = static_cast<int32_t>(in.whole("cores", {1, 4096}, node.cores));
  if (node.device)
    node.gflops =
        std::clamp(gflops_of(costs_on(*node.device, node.cores)), speeds.minimum, speeds.maximum);
  node.gflops = in.number("gflops", speeds, node.gflops);
}

Result<ClusterFileNode> read_node(const toml::table& table, std::string_view file,
                                  const ClusterNetwork& network) {
  TomlTable in(table, file, "[[node]]");
  in.refuse_keys_besides(node_keys);
  if (network.kind == NetworkKind::shared && in.has("link_mbps"))
    in.fail("link_mbps",
            "'link_mbps' has no meaning on a shared medium; its speed is 'mbps' in "
            "[network]");
  ClusterFileNode node;
  node.id = {static_cast<uint32_t>(in.whole("id", {0, 65535}, std::nullopt))};
  node.port = static_cast<uint16_t>(in.whole("port", {1, 65535}, std::nullopt));
  node.name = in.text("name", std::string("node") + std::to_string(node.id.value));
  node.address = in.text("address", node.address);
  if (is_broken_ipv4(node.address))
    in.fail("address", in_quotes(node.address) +
                           " is no IPv4 address; write four numbers from 0 to 255, as 10.0.0.7");
  read_speed(in, folder_of(file), node);
  node.link_mbps = in.number("link_mbps", speeds, network.mbps);
  node.memory_bytes = in.memory("memory", node.memory_bytes);
  node.pace = in.truth("pace", node.pace);
  node.cpus = in.number("cpus", {0.01, 4096.0}, node.cpus);
  if (node.pace && node.cpus > 0.0)
    in.fail("cpus", "a node has either 'pace' or 'cpus': both would slow it twice");
  if (!in.status()) return in.status().failure();
  return node;
}

Status check_distinct(const ClusterFile& file, std::string_view file_name) {
  for (size_t i = 0; i < file.nodes.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const ClusterFileNode &a = file.nodes[j], &b = file.nodes[i];
      if (a.id == b.id) {
        return Error{std::string(file_name) + ": two nodes have the id " +
                     std::to_string(a.id.value)};
      }
      if (a.address == b.address && a.port == b.port) {
        return Error{std::string(file_name) + ": nodes " + std::to_string(a.id.value) + " and " +
                     std::to_string(b.id.value) + " share " + a.address + " port " +
                     std::to_string(a.port)};
      }
    }
  }
  return success();
}

std::string at(const std::string& file, const toml::source_region& where) {
  return file + ":" + std::to_string(where.begin.line) + ": ";
}

Status check_root(const toml::table& root, const std::string& file) {
  for (const auto& [key, value] : root) {
    if (key.str() == "node" || key.str() == "network") continue;
    return Error{at(file, key.source()) + "unknown key " + in_quotes(key.str()) +
                 "; a cluster file is a list of [[node]], with a [network] or without"};
  }
  const toml::node* network = root.get("network");
  if (network != nullptr && !network->is_table())
    return Error{at(file, network->source()) + "'network' must be a table: write [network]"};
  const toml::node* nodes = root.get("node");
  if (nodes != nullptr && !nodes->is_array())
    return Error{at(file, nodes->source()) + "'node' must be a list: write [[node]]"};
  if (nodes == nullptr || nodes->as_array()->empty())
    return Error{file + ": the cluster has no node; write at least one [[node]] with id and port"};
  if (nodes->as_array()->size() > most_nodes)
    return Error{file + ": more than " + std::to_string(most_nodes) + " nodes"};
  return success();
}

Result<ClusterFile> read(const toml::table& root, std::string_view file_name) {
  const std::string file(file_name);
  if (const Status sound = check_root(root, file); !sound) return sound.failure();
  ClusterFile result;
  if (const toml::node* table = root.get("network")) {
    const Result<ClusterNetwork> network = read_network(*table->as_table(), file_name);
    if (!network) return network.failure();
    result.network = *network;
  }
  for (const toml::node& element : *root.get("node")->as_array()) {
    const toml::table* table = element.as_table();
    if (table == nullptr)
      return Error{at(file, element.source()) + "'node' must hold tables: write [[node]]"};
    Result<ClusterFileNode> node = read_node(*table, file_name, result.network);
    if (!node) return node.failure();
    result.nodes.push_back(std::move(node).value());
  }
  if (const Status sound = check_distinct(result, file_name); !sound) return sound.failure();
  std::sort(result.nodes.begin(), result.nodes.end(),
            [](const ClusterFileNode& a, const ClusterFileNode& b) { return a.id < b.id; });
  return result;
}

}  // namespace

const std::vector<std::string>& network_kinds() {
  static const std::vector<std::string> kinds{"switched", "shared"};
  return kinds;
}

Result<ClusterFile> parse_cluster(std::string_view text, std::string_view file_name) {
  if (text.size() > largest_text)
    return bad_input(std::string(file_name) + " is larger than 1 MiB: it is no cluster file");
  return as_bad_input(
      parse_toml(text, file_name, [&](const toml::table& root) { return read(root, file_name); }));
}

Result<ClusterFile> load_cluster(const std::string& path) {
  const Result<std::string> text = read_text(path, "cluster file", largest_text);
  if (!text) return text.failure();
  return parse_cluster(*text, path);
}

}  // namespace shingle
