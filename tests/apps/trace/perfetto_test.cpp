// A printed trace keeps to Chrome's trace event format as Perfetto reads it.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/apps/trace/virtual_traces.hpp"

namespace shingle {
namespace {

using Json = nlohmann::json;

const Json& trace_json() {
  static const Json json = Json::parse(virtual_text({.jitter = 0.02}));
  return json;
}

std::vector<Json> of_phase(const std::string& phase) {
  std::vector<Json> events;
  for (const Json& event : trace_json())
    if (event["ph"] == phase) events.push_back(event);
  return events;
}

using Thread = std::pair<int64_t, int64_t>;
Thread thread_of(const Json& event) { return {event["pid"], event["tid"]}; }

}  // namespace

TEST_CASE("each event has what its phase needs") {
  for (const Json& event : trace_json()) {
    CAPTURE(event.dump());
    const std::string phase = event["ph"];
    REQUIRE(std::string("MXsfbeiC").find(phase) != std::string::npos);
    REQUIRE(event["name"].is_string());
    REQUIRE(event["pid"].get<int64_t>() >= 1);  // 0 is Perfetto's idle process
    REQUIRE(event["tid"].get<int64_t>() >= 1);
    if (phase == "M") continue;
    REQUIRE(event["ts"].is_number());
    if (phase == "X") REQUIRE(event["dur"].get<double>() >= 0.0);
    if (phase == "s" || phase == "f" || phase == "b" || phase == "e") {
      REQUIRE(event["id"].is_string());
      REQUIRE(event["cat"].is_string());
    }
    if (phase == "f") REQUIRE(event["bp"] == "e");
    if (phase == "i") REQUIRE(event["s"] == "t");
    if (phase == "C")
      for (const Json& value : event["args"]) REQUIRE(value.is_number());
  }
}

TEST_CASE("each process and thread has a name before its first event") {
  std::set<int64_t> processes;
  std::set<Thread> threads;
  for (const Json& event : trace_json()) {
    if (event["name"] == "process_name") processes.insert(event["pid"].get<int64_t>());
    if (event["name"] == "thread_name") threads.insert(thread_of(event));
    if (event["ph"] == "M") continue;
    REQUIRE(processes.contains(event["pid"].get<int64_t>()));
    if (event["ph"] != "C") REQUIRE(threads.contains(thread_of(event)));
  }
  CHECK(processes.size() == 4);
}

TEST_CASE("slices of a thread come in the order of their times and do not overlap") {
  std::map<Thread, double> ends;
  for (const Json& event : of_phase("X")) {
    const double begin = event["ts"];
    const auto last = ends.try_emplace(thread_of(event), begin).first;
    CAPTURE(event.dump());
    REQUIRE(begin >= last->second - 1e-6);
    last->second = begin + event["dur"].get<double>();
  }
}

TEST_CASE("each arrow begins at a sent message and ends at the same message, later") {
  std::map<std::string, Json> begun;
  for (const Json& event : of_phase("s"))
    REQUIRE(begun.try_emplace(event["id"].get<std::string>(), event).second);
  size_t arrows = 0;
  for (const Json& event : of_phase("f")) {
    const auto begin = begun.find(event["id"].get<std::string>());
    REQUIRE(begin != begun.end());
    CHECK(event["ts"].get<double>() > begin->second["ts"].get<double>());
    CHECK(event["pid"] != begin->second["pid"]);
    begun.erase(begin);
    ++arrows;
  }
  CHECK(arrows > 1000);
  CHECK(begun.size() < 30);  // on their way as the run ended
}

TEST_CASE("each frame begins and ends once") {
  std::set<std::string> open;
  size_t frames = 0;
  for (const Json& event : trace_json()) {
    if (event["ph"] == "b") REQUIRE(open.insert(event["id"].get<std::string>()).second);
    if (event["ph"] != "e") continue;
    REQUIRE(open.erase(event["id"].get<std::string>()) == 1);
    CHECK(event["args"]["ending"] == "delivered");
    ++frames;
  }
  CHECK(open.empty());
  CHECK(frames == VirtualRun{}.frames);
}

TEST_CASE("a run prints the same trace again") {
  CHECK(virtual_text({.jitter = 0.02}) == virtual_text({.jitter = 0.02}));
  CHECK(virtual_text({.jitter = 0.02}) != virtual_text({.jitter = 0.02, .seed = 2}));
}

TEST_CASE("queues and what is in flight are counted") {
  size_t queues = 0, flights = 0;
  for (const Json& event : of_phase("C")) {
    queues += event["name"] == "queue";
    if (!event["name"].get<std::string>().starts_with("in flight")) continue;
    ++flights;
    CHECK(event["args"]["bytes"].get<int64_t>() <= NodeLimits{}.link_credit_bytes);
  }
  CHECK(queues > 20);
  CHECK(flights > 100);
}

}  // namespace shingle
