#include "sim/pipe/piped_topology.hpp"

#include <cmath>

namespace shingle::sim {
namespace {

constexpr double packet_bytes = 1500, payload_bytes = 1448;

template <class... Parts>
std::string request(const std::string& word, const Parts&... parts) {
  std::string line = word;
  ((line.append(" ").append(std::to_string(parts))), ...);
  return line;
}

void describe_cell(const PipedCell& cell, std::vector<std::string>& lines) {
  const char* kind = cell.kind == PipedCellKind::infrastructure ? "infrastructure" : "adhoc";
  lines.push_back(request("cell", cell.id).append(" ").append(kind).append(" ").append(cell.mode));
  for (const uint32_t station : cell.stations)
    lines.push_back(request("station", station, cell.id));
}

std::vector<uint32_t> first_ids(uint32_t count) {
  std::vector<uint32_t> ids(count);
  for (uint32_t i = 0; i < count; ++i) ids[i] = i;
  return ids;
}

}  // namespace

std::vector<std::string> requests_for(const PipedTopology& topology) {
  std::vector<std::string> lines{request("seed", topology.seed)};
  for (const uint32_t host : topology.hosts) lines.push_back(request("host", host));
  for (const uint32_t id : topology.switches) lines.push_back(request("switch", id));
  for (const PipedCell& cell : topology.cells) describe_cell(cell, lines);
  for (const PipedLink& link : topology.links)
    lines.push_back(request("link", link.from, link.to, link.forward_bits_per_second,
                            link.back_bits_per_second, link.delay.count(),
                            link.forward_lost_per_million, link.back_lost_per_million));
  for (const PipedConnection& pair : topology.connections)
    lines.push_back(request("connect", pair.from, pair.to));
  lines.emplace_back("start");
  return lines;
}

std::vector<PipedConnection> all_pairs(uint32_t hosts) {
  std::vector<PipedConnection> pairs;
  for (uint32_t from = 0; from < hosts; ++from)
    for (uint32_t to = from + 1; to < hosts; ++to) pairs.push_back({from, to});
  return pairs;
}

PipedTopology piped_star(const std::vector<PipedPort>& ports) {
  const auto hosts = static_cast<uint32_t>(ports.size());
  PipedTopology topology{.hosts = first_ids(hosts), .connections = all_pairs(hosts)};
  topology.switches = {hosts};
  for (uint32_t i = 0; i < hosts; ++i)
    topology.links.push_back({.from = i,
                              .to = hosts,
                              .forward_bits_per_second = ports[i].up_bits_per_second,
                              .back_bits_per_second = ports[i].down_bits_per_second,
                              .delay = ports[i].delay});
  return topology;
}

PipedTopology piped_cell(uint32_t stations, PipedCellKind kind, const std::string& mode) {
  PipedTopology topology{.hosts = first_ids(stations), .connections = all_pairs(stations)};
  topology.cells = {{.id = stations, .kind = kind, .mode = mode, .stations = topology.hosts}};
  return topology;
}

int64_t packet_bits_per_second(double payload_bytes_per_second) {
  return std::llround(payload_bytes_per_second * 8 * packet_bytes / payload_bytes);
}

}  // namespace shingle::sim
