#include "apps/trace/recorded_trace.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "apps/trace/trace_lines.hpp"

namespace shingle {

namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t most_bytes = int64_t{1} << 38;  // of a message; sums of many still fit
constexpr double most_microseconds = 9e12;  // a hundred days, which a double still has to the ns

// Reads fields of one event. After the first wrong one, `wrong` says what it is.
class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {}

  std::string wrong;

  double number(const char* key, double least, double most) {
    const auto place = object_.find(key);
    if (place == object_.end() || !place->is_number()) return refuse(key, "is not a number"), 0.0;
    const double value = place->get<double>();
    if (!(value >= least && value <= most)) return refuse(key, "is out of range"), least;
    return value;
  }
  int64_t whole(const char* key, int64_t least, int64_t most) {
    const auto place = object_.find(key);
    if (place == object_.end() || !place->is_number_integer())
      return refuse(key, "is not a whole number"), least;
    const bool large = place->is_number_unsigned() && place->get<uint64_t>() > INT64_MAX;
    const int64_t value = large ? -1 : place->get<int64_t>();
    if (value < least || value > most) return refuse(key, "is out of range"), least;
    return value;
  }
  std::string text(const char* key) {
    const auto place = object_.find(key);
    if (place == object_.end() || !place->is_string()) return refuse(key, "is not a text"), "";
    return place->get<std::string>();
  }
  bool has(const char* key) const { return object_.contains(key); }
  void refuse(const std::string& key, const char* why) {
    if (wrong.empty()) wrong = "'" + key + "' " + why;
  }

 private:
  const Json& object_;
};

// "0:3" or "0:3 attempt 1".
std::optional<FrameKey> frame_named(std::string_view text) {
  FrameKey key;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](auto& value) {
    const auto [next, error] = std::from_chars(at, end, value);
    const bool good = error == std::errc() && next != at;
    at = next;
    return good;
  };
  if (!number(key.owner.value) || at == end || *at++ != ':' || !number(key.frame)) return {};
  if (at == end) return key;
  constexpr std::string_view between = " attempt ";
  if (!std::string_view(at, static_cast<size_t>(end - at)).starts_with(between)) return {};
  at += between.size();
  if (!number(key.attempt) || at != end) return {};
  return key;
}

class Reader {
 public:
  Reader(std::istream& in, const std::string& file, const TraceLimits& limits)
      : lines_(in, file, limits.line_bytes), limits_(limits) {
    trace_.file = file;
    trace_.names.emplace_back();  // of events that have a number instead
  }

  Result<RecordedTrace> read() {
    for (;;) {
      const auto json = lines_.next();
      if (!json) return json.failure();
      if (!*json) break;
      const std::string wrong = header_read_ ? take(**json) : take_header(**json);
      if (!wrong.empty()) return lines_.error(wrong);
    }
    if (!header_read_)
      return lines_.error("this is no trace of shingle: it has no event 'shingle_trace'");
    trace_.whole = lines_.whole();
    return std::move(trace_);
  }

 private:
  // These return what is wrong with an event; empty: nothing.
  std::string take_header(const Json& event);
  std::string take(const Json& event);
  std::string take_message(const Json& args, RecordedEvent event);
  std::string take_tile(const Json& args, RecordedEvent event, Duration length);
  std::string take_frame(const Json& args, const std::string& id, RecordedEvent event);
  std::string take_plan(const Json& args);
  std::string take_resent(const Json& args, const std::string& peer, RecordedEvent event);
  std::string keep(Fields& fields, const RecordedEvent& event);
  uint32_t name(const std::string& text, Fields& fields);
  uint32_t plan(const std::string& hash, Fields& fields);
  static void read_frame(Fields& fields, RecordedEvent& event);

  TraceLines lines_;
  const TraceLimits limits_;
  RecordedTrace trace_;
  std::map<std::string, uint32_t> names_, plans_;
  bool header_read_ = false;
};

std::string Reader::take_header(const Json& event) {
  Fields fields(event);
  if (fields.text("name") != "shingle_trace" || !event.contains("args") ||
      !event["args"].is_object())
    return "this is no trace of shingle: its first event is not 'shingle_trace'";
  Fields args(event["args"]);
  const int64_t schema = args.whole("schema", 0, INT32_MAX);
  if (args.wrong.empty() && schema != trace_schema)
    return "this trace has schema " + std::to_string(schema) + "; this program reads schema " +
           std::to_string(trace_schema);
  const std::string source = args.text("source");
  if (source == "node")
    trace_.node = NodeId{static_cast<uint32_t>(args.whole("node", 0, UINT32_MAX))};
  else if (source == "simulation")
    trace_.source = RecordedTrace::Source::simulation;
  else if (source == "merged")
    trace_.source = RecordedTrace::Source::merged;
  else
    args.refuse("source", "is neither node, simulation nor merged");
  trace_.model = args.text("model");
  trace_.cluster = args.text("cluster");
  header_read_ = true;
  return args.wrong;
}

std::string Reader::take(const Json& json) {
  Fields fields(json);
  const std::string phase = fields.text("ph");
  constexpr std::string_view resent = "sent again to node ";
  const bool counts = phase == "C" && fields.text("name").starts_with(resent);
  if (phase == "M") return fields.wrong;
  if (phase == "s" || phase == "f" || (phase == "C" && !counts)) {
    if (fields.has("ts")) fields.number("ts", -most_microseconds, most_microseconds);
    return fields.wrong;
  }
  const std::string category = fields.has("cat") ? fields.text("cat") : std::string();
  RecordedEvent event;
  event.node = NodeId{static_cast<uint32_t>(fields.whole("pid", 1, int64_t{UINT32_MAX} + 1) - 1)};
  const double at = fields.number("ts", -most_microseconds, most_microseconds);
  event.at = Time{} + Duration(std::llround(at * 1e3));
  event.what = name(fields.text("name"), fields);
  if (!json.contains("args") || !json["args"].is_object()) fields.refuse("args", "is no object");
  if (!fields.wrong.empty()) return fields.wrong;
  const Json& args = json["args"];
  if (category == "send" || category == "receive") {
    event.kind = category == "send" ? RecordedEvent::Kind::sent : RecordedEvent::Kind::received;
    return take_message(args, event);
  }
  if (category == "compute") {
    const double length = fields.number("dur", 0.0, most_microseconds);
    if (!fields.wrong.empty()) return fields.wrong;
    event.what = 0;  // the tile stands in `tile`
    return take_tile(args, event, Duration(std::llround(length * 1e3)));
  }
  if (category == "frame" && (phase == "b" || phase == "e")) {
    const std::string id = fields.text("id");
    event.kind = phase == "b" ? RecordedEvent::Kind::captured : RecordedEvent::Kind::ended;
    return fields.wrong.empty() ? take_frame(args, id, event) : fields.wrong;
  }
  if (category == "plan") return take_plan(args);
  if (counts) return take_resent(args, trace_.names[event.what].substr(resent.size()), event);
  event.kind = RecordedEvent::Kind::reported;
  return keep(fields, event);
}

std::string Reader::keep(Fields& fields, const RecordedEvent& event) {
  if (!fields.wrong.empty()) return fields.wrong;
  if (trace_.events.size() >= limits_.events)
    return "the trace has more than " + std::to_string(limits_.events) + " events";
  trace_.events.push_back(event);
  return {};
}

uint32_t Reader::name(const std::string& text, Fields& fields) {
  if (text.starts_with("tile ") || text.starts_with("frame ")) return 0;  // numbered ones
  const auto [place, is_new] = names_.try_emplace(text, static_cast<uint32_t>(trace_.names.size()));
  if (!is_new) return place->second;
  if (trace_.names.size() >= limits_.names) return fields.refuse("name", "is one too many"), 0;
  place->second = static_cast<uint32_t>(trace_.names.size());
  trace_.names.push_back(text);
  return place->second;
}

uint32_t Reader::plan(const std::string& hash, Fields& fields) {
  const std::optional<Hash> read = read_hash(hash);
  if (!read) return fields.refuse("plan", "is no hash"), 0;
  const auto [place, is_new] = plans_.try_emplace(hash, static_cast<uint32_t>(trace_.plans.size()));
  if (is_new && trace_.plans.size() >= limits_.names)
    return fields.refuse("plan", "is one too many"), 0;
  if (is_new) trace_.plans.push_back({.hash = *read, .model = {}, .text = {}});
  return place->second;
}

void Reader::read_frame(Fields& fields, RecordedEvent& event) {
  if (!fields.has("frame")) return;
  const std::optional<FrameKey> frame = frame_named(fields.text("frame"));
  if (!frame) return fields.refuse("frame", "is no frame such as 0:3");
  event.frame = *frame;
  event.tile = TileId{static_cast<uint32_t>(fields.whole("tile", 0, UINT32_MAX))};
}

std::string Reader::take_message(const Json& json, RecordedEvent event) {
  Fields args(json);
  event.peer = NodeId{static_cast<uint32_t>(args.whole("peer", 0, UINT32_MAX))};
  read_frame(args, event);
  event.bytes = args.whole("bytes", 0, most_bytes);
  event.taken_in_bytes = args.whole("taken_in_bytes", 0, INT64_MAX / 4);
  if (args.has("credit_bytes")) event.credit_bytes = args.whole("credit_bytes", 0, most_bytes);
  const std::string flow = args.text("flow");
  const char* const end = flow.data() + flow.size();
  if (flow.size() <= 2 || !flow.starts_with("0x") ||
      std::from_chars(flow.data() + 2, end, event.flow, 16).ptr != end)
    args.refuse("flow", "is no hexadecimal number");
  return keep(args, event);
}

std::string Reader::take_tile(const Json& json, RecordedEvent event, Duration length) {
  Fields args(json);
  event.kind = RecordedEvent::Kind::computed;
  event.length = length;
  read_frame(args, event);
  event.lent = args.text("place") == "lent";
  return keep(args, event);
}

std::string Reader::take_frame(const Json& json, const std::string& id, RecordedEvent event) {
  Fields args(json);
  const std::optional<FrameKey> frame = frame_named(id);
  if (!frame) return "'id' is no frame such as 0:3";
  event.frame = *frame;
  if (event.kind == RecordedEvent::Kind::captured)
    event.plan = plan(args.text("plan"), args);
  else
    event.what = name(args.text("ending"), args);
  return keep(args, event);
}

std::string Reader::take_resent(const Json& json, const std::string& peer, RecordedEvent event) {
  Fields args(json);
  const char* const end = peer.data() + peer.size();
  if (std::from_chars(peer.data(), end, event.peer.value).ptr != end)
    return "'name' does not end with a node's number";
  event.kind = RecordedEvent::Kind::resent;
  event.bytes = args.whole("packets", 0, most_bytes);
  return keep(args, event);
}

std::string Reader::take_plan(const Json& json) {
  Fields args(json);
  const uint32_t place = plan(args.text("plan"), args);
  const std::optional<Hash> model = read_hash(args.text("model"));
  if (!model) args.refuse("model", "is no hash");
  std::string text = args.text("text");
  if (!args.wrong.empty()) return args.wrong;
  trace_.plans[place].model = *model;
  trace_.plans[place].text = std::move(text);
  return {};
}

}  // namespace

Result<RecordedTrace> read_trace(std::istream& in, const std::string& file,
                                 const TraceLimits& limits) {
  return Reader(in, file, limits).read();
}

Result<RecordedTrace> read_trace_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return bad_input("the trace '" + path + "' is a folder");
  if (!in) return bad_input("cannot read the trace '" + path + "': " + std::strerror(errno));
  return read_trace(in, path);
}

}  // namespace shingle
