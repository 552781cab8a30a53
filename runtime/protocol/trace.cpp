#include "runtime/protocol/trace.hpp"

#include <array>
#include <cassert>
#include <cinttypes>
#include <cstdio>
#include <type_traits>

namespace shingle {

namespace {

std::string thousandths(int64_t count) {  // "12.345" for 12345
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%" PRId64 ".%03" PRId64, count / 1000, count % 1000);
  return text.data();
}

bool has_frame(const TraceEvent& event) { return event.key != FrameKey{}; }

// What a line says about a report after its name and frame. REQUIRES: a reported event.
std::string report_details(const TraceEvent& event) {
  assert(event.kind == TraceEvent::Kind::reported);
  const std::string tile = " tile " + std::to_string(event.tile.value);
  const std::string peer = " node " + std::to_string(event.peer.value);
  switch (facts_of(event.report).details) {
    case ReportFacts::Details::peer:
      return peer;
    case ReportFacts::Details::tile_by_peer:
      return tile + " by" + peer;
    case ReportFacts::Details::tile_to_peer:
      return tile + " to" + peer;
    case ReportFacts::Details::elapsed:
      return " after " + milliseconds(event.length) + " ms";
    case ReportFacts::Details::sentence:
      break;
  }
  return event.sentence.empty() ? "" : ": " + event.sentence;
}

}  // namespace

std::string frame_name(const FrameKey& key) {
  const std::string name = std::to_string(key.owner.value) + ":" + std::to_string(key.frame);
  return key.attempt == 0 ? name : name + " attempt " + std::to_string(key.attempt);
}

TraceEvent trace_of_message(TraceEvent::Kind kind, const Message& message, int64_t bytes) {
  assert(kind == TraceEvent::Kind::sent || kind == TraceEvent::Kind::received);
  assert(bytes >= 0);
  TraceEvent event;
  event.kind = kind;
  event.what = name_of(message);
  event.bytes = bytes;
  std::visit(
      [&](const auto& body) {
        if constexpr (requires { body.key; }) event.key = body.key;
        if constexpr (requires { body.tile; }) event.tile = body.tile;
        if constexpr (requires { body.why_not; }) event.sentence = body.why_not;
        if constexpr (requires { body.index; }) event.index = body.index;
        if constexpr (requires { body.role; }) event.role = body.role;
        if constexpr (requires { body.session; }) event.index = body.session;
        if constexpr (requires { body.credit_bytes; }) event.credit_bytes = body.credit_bytes;
        if constexpr (requires { body.assign; })
          event.key = body.assign.key, event.tile = body.assign.tile;
        if constexpr (requires { body.lent; }) {
          if (body.lent) event.key = body.lent->key, event.tile = body.lent->tile;
        }
      },
      message);
  return event;
}

TraceEvent trace_of_message(TraceEvent::Kind kind, NodeId peer, const Envelope& envelope,
                            const Message& message, int64_t bytes) {
  TraceEvent event = trace_of_message(kind, message, bytes);
  event.peer = peer;
  event.ready_tiles = envelope.ready_tiles;
  event.running_tiles = envelope.running_tiles;
  event.taken_in_bytes = envelope.pasted_bytes;
  return event;
}

TraceEvent trace_of_report(const Report& report) {
  TraceEvent event;
  event.kind = TraceEvent::Kind::reported;
  event.report = report.kind;
  event.what = facts_of(report.kind).name;
  event.peer = report.node;
  event.key = report.key;
  event.tile = report.tile;
  event.length = report.elapsed;
  event.sentence = report.sentence;
  return event;
}

TraceEvent trace_of_capture(const FrameKey& key, const PlanHash& plan) {
  TraceEvent event;
  event.kind = TraceEvent::Kind::captured;
  event.key = key;
  event.plan = plan;
  return event;
}

TraceEvent trace_of_proposal(const PlanProposed& proposal) {
  TraceEvent event;
  event.kind = TraceEvent::Kind::planned;
  event.plan = proposal.plan;
  event.model = proposal.model;
  event.sentence = proposal.text;
  return event;
}

TraceEvent trace_of_tile(const TileComputed& computed) {
  TraceEvent event;
  event.kind = TraceEvent::Kind::computed;
  event.length = computed.compute_time;
  event.key = computed.key;
  event.tile = computed.tile;
  event.place = computed.place;
  return event;
}

std::string milliseconds(Duration duration) {
  return thousandths(duration / std::chrono::microseconds(1));
}

std::string line_of(const TraceEvent& event) {
  std::array<char, 64> head{};
  std::snprintf(head.data(), head.size(), "%10s ms  node %u  ",
                milliseconds(event.at.time_since_epoch()).c_str(), event.node.value);
  const std::string line = head.data();
  const std::string frame = has_frame(event) ? " frame " + frame_name(event.key) : "";
  const std::string tile = " tile " + std::to_string(event.tile.value);
  const std::string peer = " node " + std::to_string(event.peer.value);
  const std::string size = event.bytes > 0 ? " of " + std::to_string(event.bytes) + " bytes" : "";
  switch (event.kind) {
    case TraceEvent::Kind::sent:
      return line + "sends " + event.what + frame + size + " to" + peer;
    case TraceEvent::Kind::received:
      return line + "gets " + event.what + frame + size + " from" + peer;
    case TraceEvent::Kind::computed:
      return line + "computed" + frame + tile + " in " + milliseconds(event.length) + " ms";
    case TraceEvent::Kind::delivered:
      return line + "delivers" + frame;
    case TraceEvent::Kind::failed:
      return line + "FAILS: " + event.sentence;
    case TraceEvent::Kind::captured:
      return line + "captures" + frame;
    case TraceEvent::Kind::planned:
      return line + "proposes plan " + short_name(event.plan);
    case TraceEvent::Kind::counted:
      return line + event.what + " " + thousandths(static_cast<int64_t>(event.value * 1000.0));
    case TraceEvent::Kind::resent:
      return line + "has sent " + std::to_string(static_cast<int64_t>(event.value)) +
             " packets again to" + peer;
    case TraceEvent::Kind::reported:
      break;
  }
  return line + event.what + frame + report_details(event);
}

// FNV-1a over 64-bit words, each mixed first.
void TraceHash::add(uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
  value_ = (value_ ^ word ^ (word >> 31)) * 0x100000001b3U;
}

void TraceHash::add(const TraceEvent& event) {
  add(static_cast<uint64_t>(event.at.time_since_epoch().count()));
  add(static_cast<uint64_t>(event.length.count()));
  add(uint64_t{event.node.value} << 32 | event.peer.value);
  add(uint64_t{event.tile.value} << 8 | static_cast<uint64_t>(event.kind));
  add(event.key.owner.value);
  add(event.key.life);
  add(event.key.frame);
  add(event.key.attempt);
  add(static_cast<uint64_t>(event.bytes));
  for (const char* letter = event.what; *letter != 0; ++letter) add(static_cast<uint64_t>(*letter));
  for (const char letter : event.sentence) add(static_cast<uint64_t>(letter));
}

}  // namespace shingle
