// SPDX-License-Identifier: GPL-2.0-only
#include "sim/ns3/description.hpp"

#include <algorithm>

#include "sim/ns3/lines.hpp"

namespace shingle_ns3 {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::size_t most_nodes = 512, most_links = 1024, most_connections = 4096,
                      most_stations = 64;
constexpr std::int64_t least_rate = 1'000, most_rate = 100'000'000'000;
constexpr std::int64_t longest_delay_ns = 10'000'000'000;
constexpr std::int64_t surely_lost = 1'000'000;

template <class List>
bool has(const List& list, Id id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

Id id_in(std::string_view word) { return number(word, "an id", 0, largest_id); }

Cell* cell_in(Description& all, Id id) {
  for (Cell& each : all.cells)
    if (each.id == id) return &each;
  return nullptr;
}

bool is_named(Description& all, Id id) {
  return has(all.hosts, id) || has(all.switches, id) || cell_in(all, id) != nullptr;
}

Id new_id(Description& all, std::string_view word) {
  const Id id = id_in(word);
  if (is_named(all, id)) throw Refusal{"there are two of id " + std::to_string(id)};
  if (all.hosts.size() + all.switches.size() + all.cells.size() >= most_nodes)
    throw Refusal{"there are more than " + std::to_string(most_nodes) +
                  " hosts, switches and cells"};
  return id;
}

Id host_in(Description& all, std::string_view word) {
  const Id id = id_in(word);
  if (!has(all.hosts, id)) throw Refusal{"there is no host " + std::to_string(id)};
  return id;
}

void set_seed(Description& all, const Words& words) {
  all.seed = number(words[1], "a seed", 0, 1'000'000'000);
}

void add_host(Description& all, const Words& words) { all.hosts.push_back(new_id(all, words[1])); }

void add_switch(Description& all, const Words& words) {
  all.switches.push_back(new_id(all, words[1]));
}

void add_link(Description& all, const Words& words) {
  if (all.links.size() >= most_links)
    throw Refusal{"there are more than " + std::to_string(most_links) + " links"};
  Link link{{id_in(words[1]), id_in(words[2])},
            {number(words[3], "a rate", least_rate, most_rate),
             number(words[4], "a rate", least_rate, most_rate)},
            number(words[5], "a delay", 0, longest_delay_ns),
            {number(words[6], "a loss", 0, surely_lost - 1),
             number(words[7], "a loss", 0, surely_lost - 1)}};
  for (const Id end : link.ends) {
    const Cell* cell = cell_in(all, end);
    if (!is_named(all, end) || (cell != nullptr && !cell->infrastructure))
      throw Refusal{"a link ends at " + std::to_string(end) +
                    ", which is no host, switch or access point"};
  }
  if (link.ends[0] == link.ends[1])
    throw Refusal{"a link leads from " + std::to_string(link.ends[0]) + " to itself"};
  all.links.push_back(link);
}

void add_cell(Description& all, const Words& words) {
  if (words[2] != "infrastructure" && words[2] != "adhoc")
    throw Refusal{"a cell is 'infrastructure' or 'adhoc', not '" + std::string(words[2]) + "'"};
  all.cells.push_back({new_id(all, words[1]), words[2] == "infrastructure", mode_of(words[3]), {}});
}

void add_station(Description& all, const Words& words) {
  const Id host = host_in(all, words[1]);
  Cell* cell = cell_in(all, id_in(words[2]));
  if (cell == nullptr) throw Refusal{"there is no cell " + std::string(words[2])};
  for (const Cell& each : all.cells)
    if (has(each.stations, host))
      throw Refusal{"host " + std::to_string(host) + " is a station twice"};
  if (cell->stations.size() >= most_stations)
    throw Refusal{"a cell has more than " + std::to_string(most_stations) + " stations"};
  cell->stations.push_back(host);
}

void add_connection(Description& all, const Words& words) {
  if (all.connections.size() >= most_connections)
    throw Refusal{"there are more than " + std::to_string(most_connections) + " connections"};
  const std::pair<Id, Id> pair = std::minmax({host_in(all, words[1]), host_in(all, words[2])});
  if (pair.first == pair.second)
    throw Refusal{"host " + std::to_string(pair.first) + " has a connection with itself"};
  if (std::find(all.connections.begin(), all.connections.end(), pair) != all.connections.end())
    throw Refusal{"there are two connections between " + std::to_string(pair.first) + " and " +
                  std::to_string(pair.second)};
  all.connections.push_back(pair);
}

struct Rule {
  std::string_view word;
  std::size_t count;  // of words
  void (*apply)(Description&, const Words&);
  std::string_view form;
};
constexpr Rule rules[] = {
    {"seed", 2, set_seed, "seed NUMBER"},
    {"host", 2, add_host, "host ID"},
    {"switch", 2, add_switch, "switch ID"},
    {"link", 8, add_link, "link A B RATE_AB RATE_BA DELAY LOSS_AB LOSS_BA"},
    {"cell", 4, add_cell, "cell ID infrastructure|adhoc MODE"},
    {"station", 3, add_station, "station HOST CELL"},
    {"connect", 3, add_connection, "connect A B"},
};

int one_of(std::string_view word, std::string_view what, const std::vector<int>& choices) {
  const std::int64_t value = number(word, what, 0, 1000);
  if (!has(choices, static_cast<int>(value)))
    throw Refusal{std::string(what) + " " + std::string(word) + " does not exist"};
  return static_cast<int>(value);
}

std::vector<std::string_view> parts_of(std::string_view word) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = word.find('-', begin);
    parts.push_back(word.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

}  // namespace

Mode mode_of(std::string_view word) {
  const std::vector<std::string_view> parts = parts_of(word);
  if (parts.size() == 2 && parts[0] == "b") {
    const int rate = one_of(parts[1], "a rate of 802.11b of Mb/s", {1, 2, 5, 11});
    const std::string name = rate == 5 ? "5_5" : std::to_string(rate);
    return {Mode::Standard::b, "DsssRate" + name + "Mbps", "DsssRate1Mbps"};
  }
  if (parts.size() == 2 && parts[0] == "g") {
    const int rate = one_of(parts[1], "a rate of 802.11g of Mb/s", {6, 9, 12, 18, 24, 36, 48, 54});
    return {Mode::Standard::g, "ErpOfdmRate" + std::to_string(rate) + "Mbps", "ErpOfdmRate6Mbps"};
  }
  if (parts.size() == 4 && parts[0] == "n") {
    Mode mode{Mode::Standard::n, "", "ErpOfdmRate6Mbps"};
    mode.mcs = static_cast<int>(number(parts[1], "an MCS of 802.11n", 0, 31));
    mode.width_mhz = one_of(parts[2], "a channel of MHz", {20, 40});
    mode.short_guard = one_of(parts[3], "a guard interval of ns", {400, 800}) == 400;
    mode.data = "HtMcs" + std::to_string(mode.mcs);
    return mode;
  }
  throw Refusal{"there is no mode '" + std::string(word.substr(0, 40)) +
                "'; modes are b-RATE, g-RATE and n-MCS-WIDTH-GUARD"};
}

void describe(Description& description, const Words& words) {
  for (const Rule& rule : rules) {
    if (rule.word != words[0]) continue;
    if (words.size() != rule.count)
      throw Refusal{"the request is '" + std::string(rule.form) + "'"};
    return rule.apply(description, words);
  }
  throw Refusal{"there is no request '" + std::string(words[0].substr(0, 40)) + "' before 'start'"};
}

}  // namespace shingle_ns3
