#include "apps/trace/trace_measures.hpp"

#include <algorithm>
#include <optional>

#include "apps/trace/matched_messages.hpp"

namespace shingle {

namespace {

constexpr double delay_quantile = 0.01;
constexpr int64_t least_bytes = 4096;  // on a way, for a time per byte: less passes in a burst
constexpr size_t least_pieces = 8;

double milliseconds_in(Duration duration) { return in_nanoseconds(duration) / 1e6; }

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0.0;
  const auto place = static_cast<ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, values.begin() + place);
  return values[static_cast<size_t>(place)];
}

struct Period {
  Time begin = Time::max(), end = Time::min();
  bool holds(Time at) const { return at >= begin && at <= end; }
};

// The bytes that arrived at one place, by time.
class Arrivals {
 public:
  void add(Time at, int64_t bytes) { arrivals_.emplace_back(at, bytes); }
  void sum_up() {
    std::ranges::sort(arrivals_);
    int64_t sum = 0;
    for (auto& [at, bytes] : arrivals_) bytes = sum += bytes;
  }
  // After `begin`, until `end`. REQUIRES: sum_up() was called.
  int64_t between(Time begin, Time end) const { return until(end) - until(begin); }

 private:
  int64_t until(Time at) const {
    const auto next = std::ranges::upper_bound(arrivals_, at, {}, &std::pair<Time, int64_t>::first);
    return next == arrivals_.begin() ? 0 : (next - 1)->second;
  }
  std::vector<std::pair<Time, int64_t>> arrivals_;
};

struct Crossing {
  const MatchedMessage* message = nullptr;
  int64_t shared_bytes = 0;  // that one of its ports carried meanwhile, itself included
  int64_t way_bytes = 0;     // the same of its way
};

// Pieces count that meet nearly as many bytes on their way as pieces of it ever do.
double enough_bytes(const std::vector<Crossing>& crossings) {
  constexpr double most = 0.9, nearly = 0.75;
  std::vector<double> bytes;
  for (const Crossing& crossing : crossings)
    if (crossing.message->bytes > 0) bytes.push_back(static_cast<double>(crossing.way_bytes));
  return std::max(static_cast<double>(least_bytes), nearly * quantile(std::move(bytes), most));
}

WayMeasures measure_way(const std::vector<Crossing>& crossings) {
  WayMeasures way;
  std::vector<double> delays, per_byte, per_way_byte;
  const auto time_ms = [](const Crossing& crossing) {
    return milliseconds_in(crossing.message->received - crossing.message->sent);
  };
  for (const Crossing& crossing : crossings) {
    ++way.messages;
    way.bytes += crossing.message->bytes;
    way.most_in_flight_bytes = std::max(way.most_in_flight_bytes, crossing.way_bytes);
    if (crossing.message->bytes == 0) delays.push_back(time_ms(crossing));
    if (crossing.message->bytes > 0) ++way.pieces;
  }
  if (delays.empty())
    for (const Crossing& crossing : crossings) delays.push_back(time_ms(crossing));
  way.delay_ms = quantile(delays, delay_quantile);
  const double many_bytes = enough_bytes(crossings);
  for (const Crossing& crossing : crossings)
    if (crossing.message->bytes > 0 && crossing.way_bytes > 0 &&
        static_cast<double>(crossing.way_bytes) >= many_bytes) {
      const double beyond_ns = (time_ms(crossing) - way.delay_ms) * 1e6;
      per_byte.push_back(beyond_ns / static_cast<double>(crossing.shared_bytes));
      per_way_byte.push_back(beyond_ns / static_cast<double>(crossing.way_bytes));
    }
  if (per_byte.size() >= least_pieces) {
    constexpr double fast = 0.1, slow = 0.75;
    way.ns_per_byte = quantile(per_byte, 0.5);
    way.ns_per_way_byte = quantile(per_way_byte, 0.5);
    way.fast_ns_per_way_byte = quantile(per_way_byte, fast);
    way.slow_ns_per_way_byte = quantile(per_way_byte, slow);
  }
  for (const Crossing& crossing : crossings) {
    const double of_ports = way.ns_per_byte * static_cast<double>(crossing.shared_bytes);
    const double of_way = way.slow_ns_per_way_byte * static_cast<double>(crossing.way_bytes);
    way.excess_ms.push_back(time_ms(crossing) - way.delay_ms - std::max(of_ports, of_way) / 1e6);
  }
  std::ranges::sort(way.excess_ms, std::greater<>());
  return way;
}

void measure_ways(const RecordedTrace& trace, const Period& period, TraceMeasures& measures) {
  std::vector<MatchedMessage> messages = matched_messages(std::span(&trace, 1));
  std::erase_if(messages, [&](const MatchedMessage& each) { return !period.holds(each.sent); });
  std::map<NodeId, Arrivals> out_of, into;
  std::map<TracedWay, Arrivals> on_way;
  for (const MatchedMessage& each : messages) {
    out_of[each.from].add(each.received, each.bytes);
    into[each.to].add(each.received, each.bytes);
    on_way[{each.from, each.to}].add(each.received, each.bytes);
  }
  for (auto* all : {&out_of, &into})
    for (auto& [node, arrivals] : *all) arrivals.sum_up();
  for (auto& [way, arrivals] : on_way) arrivals.sum_up();
  std::map<TracedWay, std::vector<Crossing>> crossings;
  for (const MatchedMessage& each : messages) {
    const auto meanwhile = [&](const Arrivals& port) {
      return port.between(each.sent, std::max(each.sent, each.received));
    };
    const TracedWay way{each.from, each.to};
    crossings[way].push_back(
        {.message = &each,
         .shared_bytes = std::max(meanwhile(out_of.at(each.from)), meanwhile(into.at(each.to))),
         .way_bytes = meanwhile(on_way.at(way))});
  }
  for (const auto& [way, its] : crossings) measures.ways[way] = measure_way(its);
}

// Counters begin anew with each connection.
void count_resent(const RecordedTrace& trace, TraceMeasures& measures) {
  std::map<TracedWay, int64_t> last;
  for (const RecordedEvent& event : trace.events) {
    const TracedWay way{event.node, event.peer};
    if (event.kind != RecordedEvent::Kind::resent || !measures.ways.contains(way)) continue;
    int64_t& total = measures.ways[way].resent;
    int64_t& before = last[way];
    total =
        std::max<int64_t>(0, total) + (event.bytes >= before ? event.bytes - before : event.bytes);
    before = event.bytes;
  }
}

void measure_nodes(const RecordedTrace& trace, const Period& period, TraceMeasures& measures) {
  std::map<FrameKey, PlanHash> plans;
  std::map<NodeId, std::map<std::pair<PlanHash, TileId>, std::vector<double>>> times;
  for (const RecordedEvent& event : trace.events) {
    if (event.kind == RecordedEvent::Kind::captured)
      plans[event.frame] = trace.plans[event.plan].hash;
    if (event.kind == RecordedEvent::Kind::sent && event.credit_bytes >= 0)
      measures.nodes[event.node].credit_bytes = event.credit_bytes;
    if (event.kind != RecordedEvent::Kind::computed || !period.holds(event.at)) continue;
    const double took_ms = milliseconds_in(event.length);
    measures.nodes[event.node].compute_ms += took_ms;
    if (const auto plan = plans.find(event.frame); plan != plans.end())
      times[event.node][{plan->second, event.tile}].push_back(took_ms);
  }
  for (auto& [node, tiles] : times)
    for (auto& [tile, its] : tiles)
      measures.nodes[node].tile_ms[tile] = quantile(std::move(its), 0.5);
}

}  // namespace

double WayMeasures::packets() const {
  constexpr double payload = 1448.0;
  return static_cast<double>(messages) + static_cast<double>(bytes) / payload;
}

Result<TraceMeasures> measure(const RecordedTrace& trace) {
  std::map<FrameKey, Time> captured;
  Period period;
  std::vector<double> latencies;
  Time first_end = Time::max();
  for (const RecordedEvent& event : trace.events) {
    if (event.kind == RecordedEvent::Kind::captured) {
      captured[event.frame] = event.at;
      period.begin = std::min(period.begin, event.at);
    }
    if (event.kind != RecordedEvent::Kind::ended || trace.what(event) != "delivered") continue;
    const auto begin = captured.find(event.frame);
    if (begin == captured.end()) continue;
    latencies.push_back(milliseconds_in(event.at - begin->second));
    first_end = std::min(first_end, event.at);
    period.end = std::max(period.end, event.at);
  }
  if (latencies.empty())
    return bad_input("'" + trace.file +
                     "' has no frame that was captured and delivered; it lacks the trace of the "
                     "frames' owner");
  TraceMeasures measures;
  measures.frames = latencies.size();
  measures.latency_p50_ms = quantile(latencies, 0.5);
  if (latencies.size() > 1)
    measures.period_ms =
        milliseconds_in(period.end - first_end) / static_cast<double>(latencies.size() - 1);
  measure_ways(trace, period, measures);
  count_resent(trace, measures);
  measure_nodes(trace, period, measures);
  return measures;
}

}  // namespace shingle
