#include "apps/trace/trace_diff.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

namespace shingle {

namespace {

constexpr double least_deviation = 4.0;  // spreads
// Spreads are never taken to be smaller than these, which is what models and clocks leave.
constexpr double speed_floor = 0.02, rate_floor = 0.10, delay_floor_ms = 0.25;
// Smaller differences are no cause, however certain.
const double least_speed = std::log(1.1), least_rate = std::log(1.4);
const double least_beyond = std::log(1.05);
constexpr double least_delay_ms = 1.0;
constexpr double least_lost = 3.0, least_loss = 0.002;
constexpr double least_compute = 0.001;  // of a frame's time

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
}

struct Contrast {
  double effect = 0.0, deviation = 0.0;
};

// values[i] against the others. `floor`: of their spread.
Contrast contrast(std::vector<double> values, size_t i, double floor) {
  const double value = values[i];
  values.erase(values.begin() + static_cast<ptrdiff_t>(i));
  constexpr size_t enough = 2;
  if (values.size() < enough) return {value, value / (2.0 * floor)};
  const double center = median(values);
  for (double& each : values) each = std::abs(each - center);
  std::ranges::sort(values);
  // Of a normal distribution, 80 % lie within 1.28 spreads. The rest may have causes of their own.
  constexpr double most = 0.8, spreads = 1.28;
  const double wide = values[static_cast<size_t>(most * static_cast<double>(values.size() - 1))];
  const double spread = std::hypot(floor, wide / spreads);
  return {value - center, (value - center) / spread};
}

// Counted events of each way against what the other ways have, by trial; counts spread by their
// root.
struct Counted {
  TracedWay way;
  double count = 0.0, trials = 1.0;
  double share() const { return count / trials; }
};

struct Comparison {
  const TraceMeasures& real;
  const TraceMeasures& simulated;
  std::vector<Cause> causes{};

  double frames() const { return static_cast<double>(real.frames); }
  void find_nodes();
  void find_rates();
  void find_delays();
  void find_losses();
  std::vector<Counted> resent() const;
  std::vector<Counted> late() const;
  void find_credits();
  void join_both_ways();

  // The ways of both traces.
  std::vector<std::tuple<TracedWay, const WayMeasures*, const WayMeasures*>> ways() const {
    std::vector<std::tuple<TracedWay, const WayMeasures*, const WayMeasures*>> all;
    for (const auto& [way, measures] : real.ways)
      if (const auto place = simulated.ways.find(way); place != simulated.ways.end())
        all.emplace_back(way, &measures, &place->second);
    return all;
  }
};

// The tiles that a node computed in both.
std::optional<double> log_slowness(const NodeMeasures& real, const NodeMeasures& simulated) {
  std::vector<double> ratios;
  for (const auto& [tile, took_ms] : real.tile_ms) {
    const auto place = simulated.tile_ms.find(tile);
    if (place != simulated.tile_ms.end() && took_ms > 0.0 && place->second > 0.0)
      ratios.push_back(std::log(took_ms / place->second));
  }
  if (ratios.empty()) return {};
  return median(std::move(ratios));
}

void Comparison::find_nodes() {
  std::vector<NodeId> ids;
  std::vector<double> slowness;
  for (const auto& [id, node] : real.nodes) {
    const auto place = simulated.nodes.find(id);
    if (place == simulated.nodes.end()) continue;
    if (const auto found = log_slowness(node, place->second)) {
      ids.push_back(id);
      slowness.push_back(*found);
    }
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    const Contrast found = contrast(slowness, i, speed_floor);
    if (std::abs(found.deviation) < least_deviation || std::abs(found.effect) < least_speed)
      continue;
    const double more = real.nodes.at(ids[i]).compute_ms * (1.0 - std::exp(-found.effect));
    // Tiles of a tenth of a millisecond, as thieves get them, tell how threads wake up.
    if (std::abs(more) < least_compute * real.latency_p50_ms * frames()) continue;
    causes.push_back({.kind = Cause::Kind::node_speed,
                      .node = ids[i],
                      .to = {},
                      .size = std::exp(found.effect),
                      .deviation = std::abs(found.deviation),
                      .per_frame_ms = more / frames()});
  }
}

// A way is slow if the tenth of its pieces that crossed it fastest took longer, by byte, than three
// quarters of the simulated ones. So neither traffic on the ports nor a simulation that is too slow
// makes an alarm; one that is much too fast does it everywhere, and the other ways show that.
void Comparison::find_rates() {
  std::vector<TracedWay> ids;
  std::vector<double> beyond, slower;
  for (const auto& [way, measured, expected] : ways()) {
    if (measured->fast_ns_per_way_byte <= 0.0 || expected->fast_ns_per_way_byte <= 0.0) continue;
    ids.push_back(way);
    beyond.push_back(std::log(measured->fast_ns_per_way_byte / expected->slow_ns_per_way_byte));
    slower.push_back(std::log(measured->ns_per_way_byte / expected->ns_per_way_byte));
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    const double effect = contrast(beyond, i, rate_floor).effect;
    if (beyond[i] < least_beyond || effect < least_rate) continue;
    const double size = std::exp(std::max(0.0, contrast(slower, i, rate_floor).effect));
    const WayMeasures& way = real.ways.at(ids[i]);
    const double more_ns = way.ns_per_way_byte * (1.0 - 1.0 / size);
    causes.push_back({.kind = Cause::Kind::link_rate,
                      .node = ids[i].first,
                      .to = ids[i].second,
                      .size = size,
                      .deviation = least_deviation + beyond[i] / rate_floor,
                      .per_frame_ms = more_ns * static_cast<double>(way.bytes) / 1e6 / frames()});
  }
}

void Comparison::find_delays() {
  std::vector<TracedWay> ids;
  std::vector<double> more_ms;
  for (const auto& [way, measured, expected] : ways()) {
    ids.push_back(way);
    more_ms.push_back(measured->delay_ms - expected->delay_ms);
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    const Contrast found = contrast(more_ms, i, delay_floor_ms);
    if (found.deviation < least_deviation || found.effect < least_delay_ms) continue;
    causes.push_back({.kind = Cause::Kind::link_delay,
                      .node = ids[i].first,
                      .to = ids[i].second,
                      .size = found.effect,
                      .deviation = found.deviation,
                      .per_frame_ms = found.effect *
                                      static_cast<double>(real.ways.at(ids[i]).pieces) / frames()});
  }
}

double excess_of(const std::vector<Counted>& all, size_t i) {
  std::vector<double> shares;
  for (const Counted& each : all) shares.push_back(each.share());
  const double usual = (shares[i] - contrast(shares, i, 1.0).effect) * all[i].trials;
  return (all[i].count - usual) / std::sqrt(std::max(0.0, usual) + 1.0);
}

// What TCP sent again, where the trace has it.
std::vector<Counted> Comparison::resent() const {
  std::vector<Counted> all;
  for (const auto& [way, measured, expected] : ways())
    if (measured->resent >= 0)
      all.push_back({way, static_cast<double>(measured->resent), measured->packets()});
  return all;
}

// Else: how many messages came later than every one of the simulation, and than a stall of a
// process takes. The stalls of TCP are up to 200 ms and more.
std::vector<Counted> Comparison::late() const {
  constexpr double stall_ms = 15.0, beyond_simulation = 2.0;
  double latest_ms = 0.0;
  for (const auto& [way, measures] : simulated.ways)
    latest_ms = std::max(latest_ms, measures.excess_ms.empty() ? 0.0 : measures.excess_ms.front());
  const double late_ms = std::max(stall_ms, beyond_simulation * latest_ms);
  std::vector<Counted> all;
  for (const auto& [way, measured, expected] : ways()) {
    const auto is_late = [&](double each) { return each > late_ms; };
    all.push_back({way, static_cast<double>(std::ranges::count_if(measured->excess_ms, is_late)),
                   static_cast<double>(measured->messages)});
  }
  return all;
}

void Comparison::find_losses() {
  std::vector<Counted> counts = resent();
  if (counts.empty()) counts = late();
  for (size_t i = 0; i < counts.size(); ++i) {
    const double deviation = excess_of(counts, i);
    if (counts[i].count < least_lost || deviation < least_deviation ||
        counts[i].share() < least_loss)
      continue;
    const WayMeasures& way = real.ways.at(counts[i].way);
    double waited_ms = 0.0;
    constexpr double of_wires_ms = 5.0;
    for (const double each : way.excess_ms) waited_ms += each > of_wires_ms ? each : 0.0;
    causes.push_back({.kind = Cause::Kind::loss,
                      .node = counts[i].way.first,
                      .to = counts[i].way.second,
                      .size = counts[i].share(),
                      .deviation = deviation,
                      .per_frame_ms = waited_ms / frames()});
  }
}

// The credit of a connection is the smaller one of its ends. It matters where the simulation has
// more under way, or the real ways are at their limit.
void Comparison::find_credits() {
  for (const auto& [id, node] : real.nodes) {
    const auto place = simulated.nodes.find(id);
    if (place == simulated.nodes.end() || node.credit_bytes < 0 || place->second.credit_bytes < 0 ||
        node.credit_bytes == place->second.credit_bytes)
      continue;
    const double smaller =
        static_cast<double>(std::min(node.credit_bytes, place->second.credit_bytes));
    double fullest = 0.0;
    for (const auto& [way, measured, expected] : ways())
      if (way.first == id || way.second == id)
        fullest = std::max({fullest, static_cast<double>(measured->most_in_flight_bytes) / smaller,
                            static_cast<double>(expected->most_in_flight_bytes) / smaller});
    constexpr double full = 0.8, certain = 20.0;
    if (fullest < full) continue;
    causes.push_back({.kind = Cause::Kind::credit,
                      .node = id,
                      .to = {},
                      .size = static_cast<double>(node.credit_bytes),
                      .deviation = certain});
  }
}

// A finding for each direction of a pair is one finding.
void Comparison::join_both_ways() {
  for (Cause& cause : causes) {
    if (!cause.of_way() || cause.both_ways) continue;
    const auto back = std::ranges::find_if(causes, [&](const Cause& other) {
      return other.kind == cause.kind && other.node == cause.to && other.to == cause.node;
    });
    if (back == causes.end()) continue;
    cause.both_ways = true;
    cause.size = (cause.size + back->size) / 2.0;
    cause.deviation = std::max(cause.deviation, back->deviation);
    cause.per_frame_ms += back->per_frame_ms;
    back->deviation = 0.0;
    back->kind = Cause::Kind::node_speed;  // marked to go
  }
  std::erase_if(causes, [](const Cause& cause) { return cause.deviation == 0.0; });
}

// What a cause does to other figures of its place is not a cause of its own: packets that come
// again take the time of bytes, and a low rate makes messages late.
void forget_consequences(std::vector<Cause>& causes) {
  const auto explained = [&](const Cause& cause) {
    return std::ranges::any_of(causes, [&](const Cause& other) {
      const bool same_way = other.of_way() && cause.of_way() && other.node == cause.node &&
                            other.to == cause.to && other.kind != cause.kind;
      const bool by_credit = other.kind == Cause::Kind::credit && cause.of_way() &&
                             (other.node == cause.node || other.node == cause.to);
      return (same_way || by_credit) && other.deviation > cause.deviation;
    });
  };
  std::vector<Cause> left;
  for (const Cause& cause : causes)
    if (!explained(cause)) left.push_back(cause);
  causes = std::move(left);
}

}  // namespace

// A deviation of 4 spreads of a distribution with long tails is no certainty.
double Cause::confidence() const { return 1.0 - std::exp(-deviation / 4.0); }

const char* name_of(Cause::Kind kind) {
  constexpr std::array<const char*, 5> names{"node_speed", "link_rate", "link_delay", "loss",
                                             "credit"};
  return names[static_cast<size_t>(kind)];
}

std::string place_of(const Cause& cause) {
  const std::string node = std::to_string(cause.node.value);
  if (!cause.of_way()) return node;
  return node + (cause.both_ways ? "-" : ":") + std::to_string(cause.to.value);
}

std::vector<Cause> causes_between(const TraceMeasures& real, const TraceMeasures& simulated) {
  Comparison comparison{real, simulated};
  comparison.find_nodes();
  comparison.find_rates();
  comparison.find_delays();
  comparison.find_losses();
  comparison.find_credits();
  comparison.join_both_ways();
  forget_consequences(comparison.causes);
  std::ranges::stable_sort(comparison.causes, std::greater<>(), &Cause::deviation);
  return std::move(comparison.causes);
}

}  // namespace shingle
