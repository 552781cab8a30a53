#include "runtime/protocol/trace_text.hpp"

#include <doctest/doctest.h>

namespace shingle {
namespace {

TraceEvent tile(int64_t begin_us, int64_t end_us, uint32_t number) {
  TraceEvent event;
  event.kind = TraceEvent::Kind::computed;
  event.node = NodeId{1};
  event.key = {NodeId{0}, 1, 3};
  event.tile = TileId{number};
  event.at = Time{} + std::chrono::microseconds(end_us);
  event.length = std::chrono::microseconds(end_us - begin_us);
  return event;
}

std::string last_line(const std::string& lines) { return lines.substr(lines.rfind('\n') + 1); }

// "10": the thread of the last line.
std::string thread_in(const std::string& lines) {
  const std::string line = last_line(lines);
  const size_t begin = line.find("\"tid\":") + 6;
  return line.substr(begin, line.find(',', begin) - begin);
}

Hello hello_of(uint32_t session) {
  Hello hello;
  hello.session = session;
  return hello;
}

TraceEvent hello(TraceEvent::Kind kind, uint32_t session) {
  TraceEvent event = trace_of_message(kind, hello_of(session), 0);
  event.node = NodeId{kind == TraceEvent::Kind::sent ? 1U : 2U};
  event.peer = NodeId{kind == TraceEvent::Kind::sent ? 2U : 1U};
  return event;
}

std::string flow_in(const std::string& lines) {
  const size_t begin = lines.find("\"flow\":\"");
  return lines.substr(begin, lines.find('}', begin) - begin);
}

}  // namespace

TEST_CASE("a tile is a slice with its frame and place") {
  TracePrinter printer;
  CHECK(
      last_line(printer.lines(tile(100, 1350, 5))) ==
      R"({"name":"tile 5","cat":"compute","ph":"X","pid":2,"tid":10,"ts":100.000,"dur":1250.000,"args":{"frame":"0:3","tile":5,"place":"home"}})");
}

TEST_CASE("tiles take as many slots as overlap") {
  TracePrinter printer;
  CHECK(thread_in(printer.lines(tile(20, 40, 1))) == "10");
  CHECK(thread_in(printer.lines(tile(50, 80, 2))) == "10");
  CHECK(thread_in(printer.lines(tile(0, 100, 3))) == "11");
  CHECK(thread_in(printer.lines(tile(80, 110, 4))) == "10");
  CHECK(thread_in(printer.lines(tile(110, 120, 5))) == "10");
  CHECK(thread_in(printer.lines(tile(115, 130, 6))) == "11");
}

TEST_CASE("both ends of a message know it by the same number, from each new session on") {
  TracePrinter sender, receiver;
  using Kind = TraceEvent::Kind;
  CHECK(flow_in(sender.lines(hello(Kind::sent, 1))) ==
        flow_in(receiver.lines(hello(Kind::received, 1))));
  sender.lines(hello(Kind::sent, 1));  // lost with its connection
  const std::string next = flow_in(sender.lines(hello(Kind::sent, 2)));
  CHECK(next == flow_in(receiver.lines(hello(Kind::received, 2))));
  CHECK(next != flow_in(sender.lines(hello(Kind::sent, 2))));
}

TEST_CASE("texts of reports are quoted") {
  TraceEvent report;
  report.kind = TraceEvent::Kind::reported;
  report.at = Time{} + std::chrono::hours(2);
  report.report = Report::Kind::peer_lost;
  report.what = "peer lost";
  report.sentence = "a \"quoted\" word\n";
  TracePrinter printer;
  CHECK(
      last_line(printer.lines(report)) ==
      R"({"name":"peer lost","cat":"report","ph":"i","pid":1,"tid":2,"ts":7200000000.000,"s":"t","args":{"frame":"0:0","tile":0,"peer":0,"text":"a \"quoted\" word\u000a"}})");
}

TEST_CASE("a trace begins with what it is of and ends as JSON") {
  const std::string text = print_trace({.source = TraceHeader::Source::node,
                                        .node = NodeId{4},
                                        .program = "p",
                                        .model = "m",
                                        .cluster = "c",
                                        .facts = "\"seed\":7"},
                                       {});
  CHECK(
      text ==
      "[\n"
      R"({"name":"shingle_trace","ph":"M","pid":5,"tid":1,"args":{"schema":1,"source":"node","node":4,"program":"p","model":"m","cluster":"c","seed":7}})"
      "\n]\n");
}

}  // namespace shingle
