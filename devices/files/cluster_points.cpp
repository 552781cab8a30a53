// The switches, cells and trunks of a cluster file.
#include "devices/files/cluster_points.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "devices/files/cluster_table.hpp"
#include "partition/network/wifi_table.hpp"

namespace shingle {

namespace {

const auto& cell_kinds = *new std::vector<std::string>{"access_point", "ad_hoc"};

class PointReader {
 public:
  PointReader(const toml::table& root, std::string file, ClusterFile& cluster)
      : root_(root), file_(std::move(file)), cluster_(cluster) {}

  Status read() {
    for (const auto& [key, read] :
         {std::pair("switch", &PointReader::add_switch), std::pair("cell", &PointReader::add_cell),
          std::pair("trunk", &PointReader::add_trunk)})
      if (const Status status = each(key, read); !status) return status;
    return check();
  }

 private:
  using Add = void (PointReader::*)(TomlTable&);

  Status each(const char* key, Add add) {
    const toml::node* list = root_.get(key);
    if (list == nullptr) return success();
    const std::string what = std::string("[[") + key + "]]";
    const Error refusal{file_ + ":" + std::to_string(list->source().begin.line) + ": '" + key +
                        "' must be a list of tables: write " + what};
    if (!list->is_array_of_tables()) return refusal;
    for (const toml::node& element : *list->as_array()) {
      TomlTable in(*element.as_table(), file_, what);
      (this->*add)(in);
      if (!in.status()) return in.status();
    }
    return success();
  }

  void add_point(TomlTable& in, NetworkPoint point) {
    if (in.status().ok() && place_of(point.name))
      in.fail("name", "two switches or cells have the name " + in_quotes(point.name));
    cluster_.points.push_back(std::move(point));
  }
  void add_switch(TomlTable& in) {
    in.refuse_keys_besides({"name"});
    add_point(in, {.name = in.text("name", std::nullopt)});
  }
  void add_cell(TomlTable& in) {
    in.refuse_keys_besides({"name", "kind", "mode"});
    const bool ad_hoc = in.choice("kind", cell_kinds, 0) == 1;
    add_point(in, {.name = in.text("name", std::nullopt),
                   .kind = ad_hoc ? NetworkPoint::Kind::ad_hoc : NetworkPoint::Kind::access_point,
                   .mode = read_mode(in)});
  }
  std::string read_mode(TomlTable& in) {
    const std::vector<std::string_view> known = wifi_modes();
    const std::vector<std::string> modes(known.begin(), known.end());
    return in.has("mode") ? modes[in.choice("mode", modes, 0)] : std::string();
  }
  void add_trunk(TomlTable& in) {
    in.refuse_keys_besides({"from", "to", "mbps", "delay_ms"});
    NetworkTrunk trunk{.from = in.text("from", std::nullopt), .to = in.text("to", std::nullopt)};
    for (const auto& [key, name] : {std::pair("from", &trunk.from), std::pair("to", &trunk.to)}) {
      const auto place = place_of(*name);
      if (in.status().ok() && !place)
        in.fail(key, "no switch and no cell has the name " + in_quotes(*name));
      if (place && cluster_.points[*place].kind == NetworkPoint::Kind::ad_hoc)
        in.fail(key, "an ad hoc cell has no access point that a trunk could end at");
    }
    if (trunk.from == trunk.to) in.fail("to", "a trunk joins two different points");
    trunk.mbps = in.number("mbps", {1e-3, 1e9}, trunk.mbps);
    trunk.delay_ms = in.number("delay_ms", {0.0, 10'000.0}, trunk.delay_ms);
    cluster_.trunks.push_back(std::move(trunk));
  }

  std::optional<size_t> place_of(const std::string& name) const {
    const auto point = std::ranges::find(cluster_.points, name, &NetworkPoint::name);
    if (point == cluster_.points.end()) return std::nullopt;
    return static_cast<size_t>(point - cluster_.points.begin());
  }

  Status check() const {
    for (const ClusterFileNode& node : cluster_.nodes) {
      const std::string who = file_ + ": node " + std::to_string(node.id.value);
      if (cluster_.points.empty() && !node.at.empty())
        return Error{who + " is at " + in_quotes(node.at) +
                     ", and there is no [[switch]] or [[cell]]"};
      if (!cluster_.points.empty() && node.at.empty())
        return Error{who +
                     " has no 'at': with a [[switch]] or [[cell]] each node says where it is"};
      if (!cluster_.points.empty() && !place_of(node.at))
        return Error{who + " is at " + in_quotes(node.at) +
                     ", which no [[switch]] and no [[cell]] is"};
    }
    if (!cluster_.points.empty() && cluster_.network.kind == NetworkKind::shared)
      return Error{file_ +
                   ": a shared medium has no switches and cells; leave kind = \"shared\" out"};
    return check_joined();
  }

  // Points that trunks join get the same number.
  Status check_joined() const {
    std::vector<size_t> group(cluster_.points.size());
    std::iota(group.begin(), group.end(), size_t{0});
    for (const NetworkTrunk& trunk : cluster_.trunks) {
      const size_t one = group[*place_of(trunk.from)], other = group[*place_of(trunk.to)];
      std::ranges::replace(group, one, other);
    }
    if (cluster_.points.empty()) return success();
    const ClusterFileNode& first = cluster_.nodes.front();
    for (const ClusterFileNode& node : cluster_.nodes)
      if (group[*place_of(node.at)] != group[*place_of(first.at)])
        return Error{file_ + ": nothing joins nodes " + std::to_string(first.id.value) + " and " +
                     std::to_string(node.id.value) + "; write a [[trunk]] between " +
                     in_quotes(first.at) + " and " + in_quotes(node.at)};
    return success();
  }

  const toml::table& root_;
  const std::string file_;
  ClusterFile& cluster_;
};

}  // namespace

const NetworkPoint* only_cell(const ClusterFile& file) {
  const std::string& name = file.nodes.front().at;
  const auto point = std::ranges::find(file.points, name, &NetworkPoint::name);
  if (point == file.points.end() || point->kind == NetworkPoint::Kind::plain_switch) return nullptr;
  const auto is_there = [&](const ClusterFileNode& node) { return node.at == name; };
  return std::ranges::all_of(file.nodes, is_there) ? &*point : nullptr;
}

namespace {

AirKind kind_of(const NetworkPoint& cell) {
  assert(cell.kind != NetworkPoint::Kind::plain_switch);
  return cell.kind == NetworkPoint::Kind::ad_hoc ? AirKind::ad_hoc : AirKind::access_point;
}

}  // namespace

AirTable air_of(const NetworkPoint& cell) {
  return cell.mode.empty() ? air_802_11n(kind_of(cell))
                           : air_table(cell.mode, kind_of(cell)).value();
}

RadioTiming radio_of(const NetworkPoint& cell) {
  return radio_timing(cell.mode.empty() ? usual_radio_mode : cell.mode, kind_of(cell)).value();
}

double air_mbps(const NetworkPoint& cell) {
  constexpr uint32_t senders = 2;  // of a few nodes that exchange strips
  const bool ad_hoc = cell.kind == NetworkPoint::Kind::ad_hoc;
  // Through the access point each byte crosses the air twice.
  return air_rate(air_of(cell), senders).bytes_per_second / 125'000.0 / (ad_hoc ? 1.0 : 2.0);
}

Status read_points(const toml::table& root, const std::string& file, ClusterFile& cluster) {
  return PointReader(root, file, cluster).read();
}

}  // namespace shingle
