#include "apps/trace/matched_messages.hpp"

#include <deque>
#include <unordered_map>

namespace shingle {

namespace {

struct End {
  const RecordedTrace* trace = nullptr;
  const RecordedEvent* event = nullptr;
};

bool same_message(const End& sent, const RecordedTrace& trace, const RecordedEvent& received) {
  const RecordedEvent& event = *sent.event;
  return event.node == received.peer && event.peer == received.node &&
         event.frame == received.frame && event.tile == received.tile &&
         event.bytes == received.bytes && sent.trace->what(event) == trace.what(received);
}

}  // namespace

std::vector<MatchedMessage> matched_messages(std::span<const RecordedTrace> traces) {
  std::unordered_map<uint64_t, std::deque<End>> open;  // a node that starts anew counts anew
  for (const RecordedTrace& trace : traces)
    for (const RecordedEvent& event : trace.events)
      if (event.kind == RecordedEvent::Kind::sent) open[event.flow].push_back({&trace, &event});
  std::vector<MatchedMessage> matched;
  for (const RecordedTrace& trace : traces)
    for (const RecordedEvent& event : trace.events) {
      if (event.kind != RecordedEvent::Kind::received) continue;
      const auto ends = open.find(event.flow);
      if (ends == open.end() || ends->second.empty()) continue;
      const End sent = ends->second.front();
      ends->second.pop_front();
      if (!same_message(sent, trace, event)) continue;
      matched.push_back({.from = event.peer,
                         .to = event.node,
                         .sent = sent.event->at,
                         .received = event.at,
                         .frame = event.frame,
                         .tile = event.tile,
                         .bytes = event.bytes});
    }
  return matched;
}

}  // namespace shingle
