#include "apps/client/node_wires.hpp"

#include <algorithm>

namespace shingle {
namespace {

const ClusterFileNode* member(const ClusterFile& cluster, NodeId id) {
  const auto found = std::ranges::find(cluster.nodes, id, &ClusterFileNode::id);
  return found == cluster.nodes.end() ? nullptr : &*found;
}

Announcement about(const ClusterFileNode& self, bool computes) {
  Announcement announcement;
  announcement.node = self;
  announcement.computes = computes;
  return figures_of(announcement);
}

ZmqOptions sockets_of(const NodeWiresOptions& options, const ClusterFileNode& self) {
  ZmqOptions sockets{.id = self.id,
                     .name = self.name,
                     .host = self.address,
                     .port = self.port,
                     .peers = {},
                     .about = options.announced ? print(about(self, options.computes)) : "",
                     .keys = options.keys,
                     .insecure = options.insecure,
                     .sets_up_process = options.sets_up_process,
                     .silence_allowed = options.silence_allowed,
                     .on_note = [log = options.log](const std::string& note) {
                       note_to(log, LogLevel::info, note);
                     }};
  if (options.cluster.network.kind == NetworkKind::shared) sockets.heartbeat = beat_on_medium;
  for (const ClusterFileNode& node : options.cluster.nodes)
    if (node.id != self.id) sockets.peers.push_back({node.id, node.name, node.address, node.port});
  return sockets;
}

std::string name_of(NodeId id) { return "node " + std::to_string(id.value); }

}  // namespace

Result<std::unique_ptr<NodeWires>> NodeWires::open(NodeWiresOptions options) {
  std::unique_ptr<NodeWires> wires(new NodeWires(std::move(options)));
  wires->self_ = member(wires->options_.cluster, wires->options_.id);
  if (wires->self_ == nullptr)
    return Error{"the cluster file has no " + name_of(wires->options_.id)};
  auto transport = ZmqTransport::open(sockets_of(wires->options_, *wires->self_), wires->inbox_);
  if (!transport) return transport.failure();
  wires->transport_ = std::move(*transport);
  return wires;
}

NodeWires::~NodeWires() { follow_no_more(); }

void NodeWires::announce() {
  if (!options_.announced) return;
  Membership& membership = *options_.announced->membership;
  membership.follow(
      [this](const Announcement& peer) { transport_->announced(peer.node.id, peer.addresses); });
  announce_at(options_.announced->addresses(self_->address, transport_->port(),
                                            Announcement::max_addresses));
}

void NodeWires::look_at_addresses() {
  if (!options_.announced) return;
  std::vector<Address> now = options_.announced->addresses(self_->address, transport_->port(),
                                                           Announcement::max_addresses);
  // Without a network for a moment it stays announced where it will be again.
  const bool is_cut_off = now.size() == 1 && now.front().host == "127.0.0.1";
  if (now == announced_at_ || is_cut_off) return;
  note_to(options_.log, LogLevel::info,
          "this machine's addresses have changed: the node is announced again");
  announce_at(std::move(now));
}

void NodeWires::announce_at(std::vector<Address> addresses) {
  announced_at_ = addresses;
  options_.announced->membership->announce({.node = *self_,
                                            .session = {},
                                            .addresses = std::move(addresses),
                                            .computes = options_.computes,
                                            .models = options_.announced->models});
}

void NodeWires::follow_no_more() {
  if (options_.announced) options_.announced->membership->follow({});
}

std::map<NodeId, Result<Announcement>> NodeWires::words() const {
  std::map<NodeId, Result<Announcement>> words;
  for (const ClusterFileNode& node : options_.cluster.nodes) {
    const auto text = transport_->about(node.id);
    if (!text) continue;
    auto word = parse_announcement(*text);
    if (word && word->node.id != node.id) word = Error{"it belongs to another node"};
    words.emplace(node.id, std::move(word));
  }
  return words;
}

Announcement figures_of(const Announcement& announcement) {
  Announcement figures;
  const ClusterFileNode& node = announcement.node;
  figures.node.id = node.id;
  figures.node.name = node.name;
  figures.node.gflops = node.gflops;
  figures.node.cores = node.cores;
  figures.node.link_mbps = node.link_mbps;
  figures.node.memory_bytes = node.memory_bytes;
  figures.node.pace = node.pace;
  figures.node.device = node.device;
  figures.node.profile = node.device ? node.device->name : "";
  figures.computes = announcement.computes;
  return figures;
}

Confirmed confirmed(const std::map<NodeId, Result<Announcement>>& words,
                    const std::vector<Announcement>& announced) {
  Confirmed found;
  for (const auto& [id, word] : words) {
    if (word)
      found.members.emplace(id, *word);
    else
      found.doubts.push_back("the announcement of " + name_of(id) + " cannot be read (" +
                             word.error() + "): the plan leaves it out");
  }
  for (const Announcement& said : announced) {
    const auto word = words.find(said.node.id);
    if (word == words.end() && said.computes)
      found.doubts.push_back(name_of(said.node.id) +
                             " was announced, but has not confirmed it itself: the plan leaves it "
                             "out");
    else if (word != words.end() && word->second && figures_of(*word->second) != figures_of(said))
      found.doubts.push_back("the broker's figures for the speed and memory of " +
                             name_of(said.node.id) +
                             " differ from the node's own: the plan uses its own");
  }
  return found;
}

}  // namespace shingle
