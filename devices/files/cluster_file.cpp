#include "devices/files/cluster_file.hpp"

#include <arpa/inet.h>

#include <algorithm>

#include "devices/files/cluster_table.hpp"
#include "devices/files/toml_table.hpp"

namespace shingle {

namespace {

// A cluster of a thousand nodes is a tenth of this.
constexpr size_t largest_text = 1 << 20;
constexpr size_t most_nodes = 1024;
constexpr Bounds speeds{1e-3, 1e9};
constexpr size_t first_port = 7000;  // of nodes that nobody connects to

const auto& node_keys = *new std::vector<std::string>{
    "id",   "name", "address", "port", "gflops",  "profile",   "cores", "link_mbps",  "memory",
    "pace", "cpus", "board",   "fan",  "up_mbps", "down_mbps", "loss",  "rate_trace", "at"};
const auto& switched_only =
    *new std::vector<std::string>{"link_mbps", "up_mbps", "down_mbps", "rate_trace"};
const auto& network_keys = *new std::vector<std::string>{"kind", "mbps", "delay_ms"};

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

void read_board(TomlTable& in, const std::string& folder, ClusterFileNode& node) {
  node.board = in.text("board", std::string());
  node.fan = in.truth("fan", node.fan);
  if (!in.has("board") || !in.status()) return;
  Result<DeviceSpec> spec = find_device(node.board, folder);
  if (!spec) return in.fail("board", spec.error());
  node.spec = std::move(*spec);
}

void read_speed(TomlTable& in, const std::string& folder, ClusterFileNode& node) {
  const std::string usual = node.spec ? node.spec->profile : std::string();
  node.profile = in.text("profile", usual);
  if (!node.profile.empty() && in.status().ok()) {
    Result<DeviceProfile> device = find_profile(node.profile, folder);
    if (!device) return in.fail(in.has("profile") ? "profile" : "board", device.error());
    node.device = std::move(*device);
    node.cores = node.device->cores;
  }
  node.cores = static_cast<int32_t>(in.whole("cores", {1, 4096}, node.cores));
  if (node.device)
    node.gflops =
        std::clamp(gflops_of(costs_on(*node.device, node.cores)), speeds.minimum, speeds.maximum);
  node.gflops = in.number("gflops", speeds, node.gflops);
}

void read_link(TomlTable& in, const std::string& folder, const ClusterNetwork& network,
               ClusterFileNode& node) {
  for (const std::string& key : switched_only)
    if (network.kind == NetworkKind::shared && in.has(key))
      in.fail(key, in_quotes(key) +
                       " has no meaning on a shared medium; its speed is 'mbps' in [network]");
  node.link_mbps = in.number("link_mbps", speeds, network.mbps);
  if (in.has("up_mbps")) node.up_mbps = in.number("up_mbps", speeds, std::nullopt);
  if (in.has("down_mbps")) node.down_mbps = in.number("down_mbps", speeds, std::nullopt);
  node.loss = in.number("loss", {0.0, 0.5}, node.loss);
  node.at = in.text("at", std::string());
  node.rate_trace = in.text("rate_trace", std::string(), true);
  if (node.rate_trace.empty() || !in.status()) return;
  auto rates = load_rates(folder.empty() ? node.rate_trace : folder + "/" + node.rate_trace);
  if (!rates) return in.fail("rate_trace", rates.error());
  node.rates = std::move(*rates);
}

Result<ClusterFileNode> read_node(const toml::table& table, std::string_view file,
                                  const ClusterNetwork& network, std::optional<uint16_t> port) {
  TomlTable in(table, file, "[[node]]");
  in.refuse_keys_besides(node_keys);
  ClusterFileNode node;
  node.id = {static_cast<uint32_t>(in.whole("id", {0, 65535}, std::nullopt))};
  node.port = static_cast<uint16_t>(in.whole("port", {1, 65535}, port));
  node.name = in.text("name", std::string("node") + std::to_string(node.id.value));
  node.address = in.text("address", node.address);
  if (is_broken_ipv4(node.address))
    in.fail("address", in_quotes(node.address) +
                           " is no IPv4 address; write four numbers from 0 to 255, as 10.0.0.7");
  read_board(in, folder_of(file), node);
  read_speed(in, folder_of(file), node);
  read_link(in, folder_of(file), network, node);
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

Status check_keys(const toml::table& root, const std::string& file) {
  for (const auto& [key, value] : root) {
    if (std::ranges::find(cluster_keys(), key.str()) != cluster_keys().end()) continue;
    return Error{at(file, key.source()) + "unknown key " + in_quotes(key.str()) +
                 "; a cluster file is a list of [[node]], with a [network] or without"};
  }
  return success();
}

Status check_tables(const toml::table& root, const std::string& file) {
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

}  // namespace

Result<ClusterFile> read_cluster(const toml::table& root, std::string_view file_name, Ports ports) {
  const std::string file(file_name);
  if (const Status sound = check_tables(root, file); !sound) return sound.failure();
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
    std::optional<uint16_t> port;
    if (ports == Ports::optional) port = static_cast<uint16_t>(first_port + result.nodes.size());
    Result<ClusterFileNode> node = read_node(*table, file_name, result.network, port);
    if (!node) return node.failure();
    result.nodes.push_back(std::move(node).value());
  }
  if (const Status sound = check_distinct(result, file_name); !sound) return sound.failure();
  if (const Status read = read_points(root, file, result); !read) return read.failure();
  std::sort(result.nodes.begin(), result.nodes.end(),
            [](const ClusterFileNode& a, const ClusterFileNode& b) { return a.id < b.id; });
  return result;
}

const std::vector<std::string>& cluster_keys() {
  static const auto& keys =
      *new std::vector<std::string>{"network", "node", "switch", "cell", "trunk"};
  return keys;
}

const std::vector<std::string>& network_kinds() {
  static const auto& kinds = *new std::vector<std::string>{"switched", "shared"};
  return kinds;
}

Result<ClusterFile> parse_cluster(std::string_view text, std::string_view file_name) {
  if (text.size() > largest_text)
    return bad_input(std::string(file_name) + " is larger than 1 MiB: it is no cluster file");
  const auto read = [&](const toml::table& root) -> Result<ClusterFile> {
    if (const Status known = check_keys(root, std::string(file_name)); !known)
      return known.failure();
    return read_cluster(root, file_name, Ports::required);
  };
  return as_bad_input(parse_toml(text, file_name, read));
}

Result<ClusterFile> load_cluster(const std::string& path) {
  const Result<std::string> text = read_text(path, "cluster file", largest_text);
  if (!text) return text.failure();
  return parse_cluster(*text, path);
}

}  // namespace shingle
