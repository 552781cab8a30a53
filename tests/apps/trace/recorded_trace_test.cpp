#include "apps/trace/recorded_trace.hpp"

#include <doctest/doctest.h>

#include "tests/apps/trace/virtual_traces.hpp"

namespace shingle {
namespace {

const std::string header =
    R"({"name":"shingle_trace","ph":"M","pid":1,"tid":1,"args":{"schema":1,"source":"node","node":0,"program":"","model":"m.onnx","cluster":"c.toml"}})";

Result<RecordedTrace> read(const std::string& text, const TraceLimits& limits = {}) {
  std::istringstream in(text);
  return read_trace(in, "t.json", limits);
}

// What is said of an event after a good header.
std::string refusal(const std::string& event) {
  const auto trace = read("[\n" + header + ",\n" + event + "\n]\n");
  return trace ? "" : trace.error();
}

std::string sent(const std::string& args) {
  return R"({"name":"Piece","cat":"send","ph":"X","pid":1,"tid":1000,"ts":1.5,"dur":0,"args":{)" +
         args + "}}";
}

}  // namespace

TEST_CASE("a printed trace is read as it was recorded") {
  const std::vector<TraceEvent> events = virtual_events({});
  const RecordedTrace trace = virtual_trace({});
  const auto printed = [&](TraceEvent::Kind kind) {
    return std::ranges::count(events, kind, &TraceEvent::kind);
  };
  const auto read_back = [&](RecordedEvent::Kind kind) {
    return std::ranges::count(trace.events, kind, &RecordedEvent::kind);
  };
  CHECK(read_back(RecordedEvent::Kind::sent) == printed(TraceEvent::Kind::sent));
  CHECK(read_back(RecordedEvent::Kind::received) == printed(TraceEvent::Kind::received));
  CHECK(read_back(RecordedEvent::Kind::computed) == printed(TraceEvent::Kind::computed));
  CHECK(read_back(RecordedEvent::Kind::captured) == printed(TraceEvent::Kind::captured));
  CHECK(trace.whole);
  CHECK(trace.source == RecordedTrace::Source::simulation);
  REQUIRE(trace.plans.size() == 1);
  CHECK(trace.plans[0].hash == hash_of(virtual_site().plan));
  CHECK(hash_of(parse_plan(trace.plans[0].text).value()) == trace.plans[0].hash);
  const auto first_tile = std::ranges::find(events, TraceEvent::Kind::computed, &TraceEvent::kind);
  const auto its_record =
      std::ranges::find(trace.events, RecordedEvent::Kind::computed, &RecordedEvent::kind);
  CHECK(its_record->at == first_tile->at - first_tile->length);
  CHECK(its_record->length == first_tile->length);
  CHECK(its_record->tile == first_tile->tile);
  CHECK(its_record->frame.frame == first_tile->key.frame);
}

TEST_CASE("what a killed node leaves can be read to its last whole event") {
  const std::string whole = virtual_text({});
  const RecordedTrace cut = recorded(whole.substr(0, whole.size() / 2));
  CHECK(!cut.whole);
  CHECK(cut.events.size() > 100);
  CHECK(cut.events.size() < virtual_trace({}).events.size());
}

TEST_CASE("what is no trace is refused with file and line") {
  CHECK(read("").error() ==
        "t.json:1: this is no trace of shingle: it has no event 'shingle_trace'");
  CHECK(read("hello\n").error() ==
        "t.json:1: this is no trace of shingle: it does not begin with '['");
  CHECK(read("[\n{}\n]\n").error() ==
        "t.json:2: this is no trace of shingle: its first event is not 'shingle_trace'");
  CHECK(read("[\n" + header + ",\n{\"a\":\n{}\n]\n").error() ==
        "t.json:3: this is no event; a trace of shingle has one JSON object in each line");
  std::string newer = header;
  newer.replace(newer.find("\"schema\":1"), 10, "\"schema\":7");
  CHECK(read("[\n" + newer + "\n]\n").error() ==
        "t.json:2: this trace has schema 7; this program reads schema 1");
}

TEST_CASE("an event with a wrong field is refused with its line and the field") {
  CHECK(refusal(R"({"ph":"X"})") == "t.json:3: 'pid' is not a whole number");
  CHECK(refusal(R"({"name":"a","ph":"X","pid":0,"ts":0,"args":{}})") ==
        "t.json:3: 'pid' is out of range");
  CHECK(refusal(R"({"name":"a","ph":"X","pid":1,"ts":1e300,"args":{}})") ==
        "t.json:3: 'ts' is out of range");
  CHECK(refusal(R"({"name":"a","ph":7,"pid":1,"ts":0,"args":{}})") ==
        "t.json:3: 'ph' is not a text");
  CHECK(refusal(sent(R"("peer":-1)")) == "t.json:3: 'peer' is out of range");
  CHECK(refusal(sent(R"("peer":18446744073709551615)")) == "t.json:3: 'peer' is out of range");
  const std::string rest = R"(,"bytes":1,"taken_in_bytes":0,"flow":"0x1")";
  CHECK(refusal(sent("\"peer\":1" + rest)).empty());
  CHECK(refusal(sent(R"("peer":1,"frame":"0:x","tile":1)" + rest)) ==
        "t.json:3: 'frame' is no frame such as 0:3");
  CHECK(refusal(sent(R"("peer":1,"bytes":1,"taken_in_bytes":0,"flow":"0x")")) ==
        "t.json:3: 'flow' is no hexadecimal number");
  CHECK(
      refusal(
          R"({"name":"frame 0:1","cat":"frame","ph":"b","id":"0:1","pid":1,"ts":0,"args":{"plan":"12"}})") ==
      "t.json:3: 'plan' is no hash");
}

TEST_CASE("an event that would exhaust the parser is refused") {
  const std::string deep(200'000, '[');
  CHECK(refusal(R"({"name":"x","ph":"M","args":{"a":)" + deep).find("too many fields") !=
        std::string::npos);
  std::string wide = R"({"a0":0)";
  for (int i = 1; i < 300; ++i) wide += ",\"a" + std::to_string(i) + "\":0";
  CHECK(refusal(wide + "}").find("too many fields") != std::string::npos);
}

TEST_CASE("times of flows and counters are in range as well") {
  for (const char* phase : {"s", "f", "C"})
    CHECK(refusal(R"({"name":"x","ph":")" + std::string(phase) + R"(","pid":1,"tid":1,"ts":1e300})")
              .find("'ts' is out of range") != std::string::npos);
}

TEST_CASE("a trace whose names are all numbered ones is read") {
  const auto trace =
      read("[\n" + header + ",\n" +
           R"({"name":"frame 0:0","cat":"frame","ph":"e","id":"0:0","pid":1,"tid":1,)" +
           R"("ts":2,"args":{"ending":"frame x"}})" + "\n]\n");
  REQUIRE_MESSAGE(trace.ok(), trace.error());
  REQUIRE(trace->events.size() == 1);
  CHECK(trace->what(trace->events[0]).empty());
}

TEST_CASE("a folder is no trace") {
  const auto trace = read_trace_file("/");
  REQUIRE(!trace.ok());
  CHECK(trace.error().find("is a folder") != std::string::npos);
}

TEST_CASE("a trace has limits of lines, events and names") {
  const std::string event = sent(R"("peer":1,"bytes":1,"taken_in_bytes":0,"flow":"0x1")");
  const std::string text = "[\n" + header + ",\n" + event + ",\n" + event + "\n]\n";
  CHECK(read(text, {.line_bytes = 100}).error() ==
        "t.json:2: the line is longer than 100 bytes; a trace of shingle has one event in each "
        "line");
  CHECK(read(text, {.events = 1}).error() == "t.json:4: the trace has more than 1 events");
  CHECK(read(text, {.names = 0}).error() == "t.json:3: 'name' is one too many");
}

TEST_CASE("events that the schema does not know are passed over") {
  CHECK(refusal(R"({"name":"a","cat":"other","ph":"i","pid":1,"ts":0,"args":{}})").empty());
  CHECK(refusal(R"({"name":"a","ph":"C","args":{}})").empty());
}

}  // namespace shingle
