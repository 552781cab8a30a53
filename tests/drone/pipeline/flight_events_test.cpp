// Events of a run at a real broker: what is told, and what becomes of it while the broker is away.
#include "apps/drone/pipeline/flight_events.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/apps/topic_listener.hpp"
#include "tests/drone/count/drives.hpp"

using namespace shingle;
using namespace shingle::drone;
using Json = nlohmann::json;

namespace {

// Notes of a link, from any thread.
class Notes {
 public:
  std::function<void(const std::string&)> taker() {
    return [this](const std::string& note) {
      const std::lock_guard lock(mutex_);
      notes_.push_back(note);
    };
  }
  size_t with(const std::string& part) const {
    const std::lock_guard lock(mutex_);
    return static_cast<size_t>(std::ranges::count_if(
        notes_, [&](const std::string& note) { return note.find(part) != std::string::npos; }));
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> notes_;
};

EventBroker opened(const std::string& uri, Notes& notes) {
  auto broker = EventBroker::open("home/drone", {.uri = uri}, notes.taker());
  REQUIRE_MESSAGE(broker.ok(), (broker ? std::string() : broker.error()));
  return std::move(*broker);
}

DrawnSite gate_and_yard() {
  Site site{.file = "site.toml"};
  site.lines = {gate_line()};
  site.zones = {{.name = "yard", .corners = rectangle({120, 0}, {300, 200})}};
  return *drawn_site(site);
}

// A car drives through the gate into the yard.
std::vector<SiteEvent> drive_through(FlightEvents& events) {
  std::vector<SiteEvent> at_site;
  events.begin({}, [](int) { return "car"; });
  for (const Sighting& each : drive(7, {{0, 50}, {200, 50}, 0.0, 1.0}))
    for (SiteEvent& event : events.see(each.frame, each.seconds, std::span(&each, 1)))
      at_site.push_back(std::move(event));
  for (SiteEvent& event : events.finish()) at_site.push_back(std::move(event));
  return at_site;
}

}  // namespace

TEST_CASE("addresses of brokers are read, with their topics") {
  const auto read = [](const std::string& text) {
    const auto topic = read_event_topic(text);
    return topic ? topic->uri + " " + topic->topic : topic.error();
  };
  CHECK(read("mqtt://10.0.0.1/drone") == "mqtt://10.0.0.1:1883 drone");
  CHECK(read("mqtts://hub.example:9999/home/drone") == "mqtts://hub.example:9999 home/drone");
  CHECK(read("mqtts://hub.example/a") == "mqtts://hub.example:8883 a");
  CHECK(read("10.0.0.1:1884/drone/1") == "mqtt://10.0.0.1:1884 drone/1");
  CHECK(read("mqtt://[::1]/d") == "mqtt://[::1]:1883 d");
  CHECK(read("mqtt://[::1]:1884/d") == "mqtt://[::1]:1884 d");
  for (const char* bad :
       {"", "drone", "mqtt://10.0.0.1", "mqtt://10.0.0.1/", "mqtt:///drone", "mqtt://h:0/d",
        "mqtt://h:70000/d", "mqtt://h:/d", "http://h/d", "mqtt://h/a/#", "mqtt://h/+/a",
        "mqtt://h//a", "mqtt://h/a/", "mqtt://h/$SYS", "mqtt://me:secret@h/a"}) {
    CAPTURE(bad);
    const auto refused = read_event_topic(bad);
    REQUIRE_FALSE(refused);
    CHECK(refused.failure().kind == ErrorKind::usage);
    CHECK(refused.error().find("write mqtt://ADDRESS:PORT/TOPIC") != std::string::npos);
  }
}

TEST_CASE("a broker hears of a track from its begin to its end, and of what happens at the site") {
  const Broker broker;
  TopicListener listener(broker, "home/#");
  Notes notes;
  FlightEvents events({.site = gate_and_yard(), .broker = opened(broker.uri(), notes)});
  const auto at_site = drive_through(events);
  REQUIRE(at_site.size() == 1);
  CHECK(at_site[0].place == "gate");
  CHECK(events.counts().told == 4);  // new, yard, end; the crossing
  CHECK(events.counts().lost == 0);
  REQUIRE(becomes_true([&] { return listener.heard("home/drone/events").size() == 3; }));
  std::string types;
  for (const std::string& each : listener.heard("home/drone/events"))
    types += Json::parse(each)["type"].get<std::string>() + " ";
  CHECK(types == "new update end ");
  const Json update = Json::parse(listener.heard("home/drone/events")[1]);
  CHECK(update["before"]["zones"] == Json::array());
  CHECK(update["after"]["zones"] == Json::array({"yard"}));
  CHECK(update["after"]["id"] == 7);
  REQUIRE(becomes_true([&] { return listener.heard("home/drone/site").size() == 1; }));
  CHECK(Json::parse(listener.heard("home/drone/site")[0])["direction"] == "backward");
  CHECK(becomes_true([&] {
    return listener.heard("home/drone/available") == std::vector<std::string>{"online", "offline"};
  }));
}

TEST_CASE("a site without a broker tells its events to the run alone") {
  FlightEvents events({.site = gate_and_yard()});
  CHECK(drive_through(events).size() == 1);
  CHECK_FALSE(events.has_broker());
  CHECK(events.counts().told == 0);
}

TEST_CASE("a broker that goes is waited for in bounds, and what is lost is counted") {
  Broker broker;
  Notes notes;
  auto before = std::make_unique<TopicListener>(broker, "home/#", "before");
  EventBroker told = opened(broker.uri(), notes);
  told.tell_track("first");
  REQUIRE(becomes_true([&] { return before->heard("home/drone/events").size() == 1; }));
  const size_t back_before = notes.with("is there again");  // a busy machine may need two attempts
  before.reset();
  broker.kill();
  REQUIRE(becomes_true([&] { return notes.with("is gone") == 1; }));
  const size_t more = EventBroker::waiting + 500;
  for (size_t i = 0; i < more; ++i) told.tell_track(std::to_string(i));  // nobody waits here
  broker.start();
  const EventCounts counts = told.close(std::chrono::seconds(20));
  CHECK(counts.told == more + 1);
  CHECK(counts.lost == 500);
  CHECK(notes.with("is gone") == 1);
  CHECK(notes.with("is there again") == back_before + 1);
}

TEST_CASE("a broker that is never there costs one warning, and all events") {
  Notes notes;
  auto nobody = ReservedPorts::on_loopback(1);
  REQUIRE(nobody.ok());
  EventBroker told = opened("mqtt://127.0.0.1:" + std::to_string(nobody->ports().front()), notes);
  for (int i = 0; i < 3; ++i) told.tell_site("x");
  const EventCounts counts = told.close(std::chrono::milliseconds(700));  // some attempts
  CHECK(counts.told == 3);
  CHECK(counts.lost == 3);
  CHECK(notes.with("is not there") == 1);
  CHECK(notes.with("") == 1);
}
