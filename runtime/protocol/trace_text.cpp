#include "runtime/protocol/trace_text.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cinttypes>
#include <cstdio>

namespace shingle {

namespace {

// Threads of a process. 0 is the idle thread to Perfetto, as process 0 is the idle process.
constexpr uint64_t frames_thread = 1, reports_thread = 2, first_slot = 10, first_link = 1000;

uint64_t process_of(NodeId node) { return uint64_t{node.value} + 1; }
uint64_t thread_to(NodeId peer) { return first_link + 2 * uint64_t{peer.value}; }
uint64_t thread_from(NodeId peer) { return thread_to(peer) + 1; }

std::string microseconds(Duration duration) {
  std::array<char, 40> text{};
  const int64_t count = duration.count(), size = count < 0 ? -count : count;
  std::snprintf(text.data(), text.size(), "%s%" PRId64 ".%03" PRId64, count < 0 ? "-" : "",
                size / 1000, size % 1000);
  return text.data();
}

std::string hex(uint64_t number) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "\"0x%" PRIx64 "\"", number);
  return text.data();
}

// What follows each line's comma: "{"name":...,"ph":"X","pid":1,"tid":10,"ts":0.000".
std::string head(const std::string& name, const char* category, char phase, NodeId node,
                 uint64_t thread, Time at) {
  std::string out = ",\n{\"name\":" + in_json_quotes(name);
  if (category[0] != 0) out.append(",\"cat\":\"").append(category).append("\"");
  out.append(",\"ph\":\"") += phase;
  out.append("\",\"pid\":").append(std::to_string(process_of(node)));
  out.append(",\"tid\":").append(std::to_string(thread));
  return out.append(",\"ts\":").append(microseconds(at.time_since_epoch()));
}

std::string metadata(const char* name, NodeId node, uint64_t thread, const std::string& value) {
  return std::string(",\n{\"name\":\"") + name +
         "\",\"ph\":\"M\",\"pid\":" + std::to_string(process_of(node)) +
         ",\"tid\":" + std::to_string(thread) + ",\"args\":{" + value + "}}";
}

std::string counter(const std::string& name, NodeId node, Time at, const std::string& values) {
  return head(name, "", 'C', node, frames_thread, at) + ",\"args\":{" + values + "}}";
}

const char* name_of(Piece::Role role) {
  switch (role) {
    case Piece::Role::promised:
      return "promised";
    case Piece::Role::lent_input:
      return "lent_input";
    case Piece::Role::lent_output:
      return "lent_output";
    case Piece::Role::audit_input:
      return "audit_input";
  }
  return "";
}

bool is_piece(const TraceEvent& event) { return std::string_view(event.what) == "Piece"; }
bool is_hello(const TraceEvent& event) { return std::string_view(event.what) == "Hello"; }
bool has_frame(const TraceEvent& event) { return event.key != FrameKey{}; }

std::string tile_args(const TraceEvent& event) {
  return "\"frame\":" + in_json_quotes(frame_name(event.key)) +
         ",\"tile\":" + std::to_string(event.tile.value);
}

std::string message_args(const TraceEvent& event) {
  std::string out = "\"peer\":" + std::to_string(event.peer.value);
  if (has_frame(event)) out += "," + tile_args(event);
  if (is_piece(event))
    out.append(",\"role\":\"").append(name_of(event.role)).append("\",\"index\":") +=
        std::to_string(event.index);
  if (is_hello(event))
    out += ",\"session\":" + std::to_string(event.index) +
           ",\"credit_bytes\":" + std::to_string(event.credit_bytes);
  out += ",\"bytes\":" + std::to_string(event.bytes) +
         ",\"taken_in_bytes\":" + std::to_string(event.taken_in_bytes);
  if (!event.sentence.empty()) out += ",\"text\":" + in_json_quotes(event.sentence);
  return out;
}

// Both ends of a message compute the same number from what each of them knows.
uint64_t mixed(uint64_t a, uint64_t b) {
  uint64_t word = a * 0x9e3779b97f4a7c15U + b;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31);
}

}  // namespace

std::string in_json_quotes(const std::string& text) {
  std::string json = "\"";
  for (const char letter : text) {
    std::array<char, 8> code{};
    if (letter == '"' || letter == '\\')
      json += std::string{'\\', letter};
    else if (static_cast<unsigned char>(letter) < 0x20)
      json.append(code.data(),
                  static_cast<size_t>(std::snprintf(code.data(), code.size(), "\\u%04x",
                                                    static_cast<unsigned>(letter))));
    else
      json += letter;
  }
  return json + '"';
}

std::string TracePrinter::begin(const TraceHeader& header) {
  const bool real = header.source == TraceHeader::Source::node;
  std::string out = "[\n{\"name\":\"shingle_trace\",\"ph\":\"M\",\"pid\":" +
                    std::to_string(process_of(header.node)) +
                    ",\"tid\":" + std::to_string(frames_thread) +
                    ",\"args\":{\"schema\":" + std::to_string(trace_schema) +
                    ",\"source\":" + (real ? "\"node\"" : "\"simulation\"");
  if (real) out += ",\"node\":" + std::to_string(header.node.value);
  out += ",\"program\":" + in_json_quotes(header.program) +
         ",\"model\":" + in_json_quotes(header.model) +
         ",\"cluster\":" + in_json_quotes(header.cluster);
  if (!header.facts.empty()) out += "," + header.facts;
  return out + "}}";
}

TracePrinter::Process& TracePrinter::process(NodeId node, std::string& out) {
  const auto [place, is_new] = processes_.try_emplace(node);
  if (is_new) {
    const std::string id = std::to_string(node.value);
    out += metadata("process_name", node, frames_thread, "\"name\":\"node " + id + "\"");
    out += metadata("process_sort_index", node, frames_thread, "\"sort_index\":" + id);
  }
  return place->second;
}

void TracePrinter::name_thread(Process& process, const TraceEvent& event, uint64_t thread,
                               const std::string& name, std::string& out) {
  if (!process.threads.insert(thread).second) return;
  out += metadata("thread_name", event.node, thread, "\"name\":" + in_json_quotes(name));
  out +=
      metadata("thread_sort_index", event.node, thread, "\"sort_index\":" + std::to_string(thread));
}

std::string TracePrinter::lines(const TraceEvent& event) {
  std::string out;
  Process& its = process(event.node, out);
  switch (event.kind) {
    case TraceEvent::Kind::sent:
    case TraceEvent::Kind::received:
      print_message(its, event, out);
      break;
    case TraceEvent::Kind::computed:
      print_tile(its, event, out);
      break;
    case TraceEvent::Kind::captured:
      print_frame(its, event, true, out);
      break;
    case TraceEvent::Kind::delivered:
      print_frame(its, event, false, out);
      break;
    case TraceEvent::Kind::reported:
      print_instant(its, event, out);
      if (facts_of(event.report).ends_frame) print_frame(its, event, false, out);
      break;
    case TraceEvent::Kind::failed:
    case TraceEvent::Kind::planned:
      print_instant(its, event, out);
      break;
    case TraceEvent::Kind::counted:
      out += counter(event.what, event.node, event.at, "\"value\":" + std::to_string(event.value));
      break;
    case TraceEvent::Kind::resent:
      out += counter("sent again to node " + std::to_string(event.peer.value), event.node, event.at,
                     "\"packets\":" + std::to_string(static_cast<int64_t>(event.value)));
      break;
  }
  return out;
}

uint64_t TracePrinter::flow_of(Process& process, const TraceEvent& event) {
  const bool sends = event.kind == TraceEvent::Kind::sent;
  Link& link = sends ? process.to[event.peer] : process.from[event.peer];
  if (is_hello(event) && event.index != link.session) link = {event.index, 0};
  const NodeId from = sends ? event.node : event.peer, to = sends ? event.peer : event.node;
  const uint64_t pair = mixed(from.value, to.value);
  return mixed(mixed(pair, link.session), ++link.messages);
}

void TracePrinter::print_message(Process& process, const TraceEvent& event, std::string& out) {
  const bool sends = event.kind == TraceEvent::Kind::sent;
  const uint64_t thread = sends ? thread_to(event.peer) : thread_from(event.peer);
  name_thread(process, event, thread,
              (sends ? "to node " : "from node ") + std::to_string(event.peer.value), out);
  const std::string flow = hex(flow_of(process, event));
  out += head(event.what, sends ? "send" : "receive", 'X', event.node, thread, event.at) +
         ",\"dur\":0.000,\"args\":{" + message_args(event) + ",\"flow\":" + flow + "}}";
  out += head("message", "wire", sends ? 's' : 'f', event.node, thread, event.at) +
         (sends ? "" : ",\"bp\":\"e\"") + ",\"id\":" + flow + "}";
  print_credit(process, event, out);
  if (sends) print_queue(process, event, out);
}

// How many payload bytes are on their way to the peer: those that were sent, less those that it has
// taken in.
void TracePrinter::print_credit(Process& process, const TraceEvent& event, std::string& out) {
  Credit& credit = process.credits[event.peer];
  if (is_hello(event) && event.kind == TraceEvent::Kind::sent) credit = {0, 0, credit.shown_bytes};
  if (event.kind == TraceEvent::Kind::sent)
    credit.sent_bytes += event.bytes;
  else
    credit.taken_in_bytes = static_cast<int64_t>(event.taken_in_bytes);
  const int64_t bytes = std::max<int64_t>(0, credit.sent_bytes - credit.taken_in_bytes);
  if (bytes == std::max<int64_t>(0, credit.shown_bytes)) return;
  credit.shown_bytes = bytes;
  out += counter("in flight to node " + std::to_string(event.peer.value), event.node, event.at,
                 "\"bytes\":" + std::to_string(bytes));
}

void TracePrinter::print_queue(Process& process, const TraceEvent& event, std::string& out) {
  const std::pair<uint32_t, uint32_t> queue{event.ready_tiles, event.running_tiles};
  if (queue == process.queue) return;
  process.queue = queue;
  out += counter("queue", event.node, event.at,
                 "\"ready_tiles\":" + std::to_string(queue.first) +
                     ",\"running_tiles\":" + std::to_string(queue.second));
}

// Tiles come in the order of their ends. The slot that became free last, before this tile began, is
// the right choice: as many slots are used as tiles overlapped.
uint64_t TracePrinter::slot_for(Process& process, Time begin, Time end) {
  size_t best = process.slots.size();
  for (size_t i = 0; i < process.slots.size(); ++i)
    if (process.slots[i] <= begin &&
        (best == process.slots.size() || process.slots[best] < process.slots[i]))
      best = i;
  if (best == process.slots.size()) process.slots.push_back(end);
  process.slots[best] = end;
  return best;
}

void TracePrinter::print_tile(Process& process, const TraceEvent& event, std::string& out) {
  assert(event.length >= Duration(0));
  const Time begin = event.at - event.length;
  const uint64_t slot = slot_for(process, begin, event.at);
  name_thread(process, event, first_slot + slot, "slot " + std::to_string(slot), out);
  out += head("tile " + std::to_string(event.tile.value), "compute", 'X', event.node,
              first_slot + slot, begin) +
         ",\"dur\":" + microseconds(event.length) + ",\"args\":{" + tile_args(event) +
         ",\"place\":" + (event.place == Place::lent ? "\"lent\"" : "\"home\"") + "}}";
}

void TracePrinter::print_frame(Process& process, const TraceEvent& event, bool begins,
                               std::string& out) {
  FrameKey name = event.key;
  name.attempt = 0;
  name_thread(process, event, frames_thread, "frames", out);
  if (begins && !process.open_frames.insert(name).second) return;
  if (!begins && process.open_frames.erase(name) == 0) return;
  const std::string id = frame_name(name);
  out += head("frame " + id, "frame", begins ? 'b' : 'e', event.node, frames_thread, event.at) +
         ",\"id\":" + in_json_quotes(id) + ",\"args\":{";
  if (begins)
    out += "\"plan\":\"" + to_string(event.plan) + "\"";
  else
    out += std::string("\"ending\":\"") +
           (event.kind == TraceEvent::Kind::delivered ? "delivered" : event.what) + "\"";
  out += "}}";
}

void TracePrinter::print_instant(Process& process, const TraceEvent& event, std::string& out) {
  name_thread(process, event, reports_thread, "reports", out);
  const bool plan = event.kind == TraceEvent::Kind::planned;
  const std::string name =
      plan ? "plan" : (event.kind == TraceEvent::Kind::failed ? "failed" : event.what);
  out += head(name, plan ? "plan" : "report", 'i', event.node, reports_thread, event.at) +
         ",\"s\":\"t\",\"args\":{";
  if (plan)
    out +=
        "\"plan\":\"" + to_string(event.plan) + "\",\"model\":\"" + to_string(event.model) + "\",";
  else
    out += tile_args(event) + ",\"peer\":" + std::to_string(event.peer.value) + ",";
  out += "\"text\":" + in_json_quotes(event.sentence) + "}}";
}

std::string print_trace(const TraceHeader& header, const std::vector<TraceEvent>& events) {
  TracePrinter printer;
  std::string out = TracePrinter::begin(header);
  for (const TraceEvent& event : events) out += printer.lines(event);
  return out + TracePrinter::end();
}

}  // namespace shingle
