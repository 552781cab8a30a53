#include "apps/drone/verbs/event_options.hpp"

#include <CLI/CLI.hpp>

#include "apps/drone/results/site_file.hpp"
#include "apps/system/exit.hpp"

namespace shingle::drone {
namespace {

Result<EventBroker> open_broker(const EventVerbOptions& options) {
  const auto topic = read_event_topic(options.mqtt);
  if (!topic) return topic.failure();
  auto address = address_of(topic->uri, options.login);
  if (!address) return address.failure();
  return EventBroker::open(topic->topic, std::move(*address), note);
}

}  // namespace

void describe(CLI::App& verb, EventVerbOptions& options) {
  verb.add_option("--site", options.site,
                  "lines, zones, lanes (TOML): who passes a line, drives the wrong way, stands or "
                  "drives too fast is told while the run goes on")
      ->type_name("FILE");
  auto* mqtt =
      verb.add_option("--mqtt", options.mqtt,
                      "tell events to an MQTT broker: mqtt://ADDRESS[:PORT]/TOPIC; tracks at "
                      "TOPIC/events, the site at TOPIC/site")
          ->type_name("URI");
  describe(verb, options.login, "--mqtt", mqtt);
}

Result<std::optional<FlightEvents>> flight_events(const EventVerbOptions& options,
                                                  double track_end_seconds) {
  if (options.site.empty() && options.mqtt.empty()) return std::optional<FlightEvents>{};
  FlightEventParts parts{.track_end_seconds = track_end_seconds};
  if (!options.site.empty()) {
    const auto site = load_site(options.site);
    if (!site) return site.failure();
    auto drawn = drawn_site(*site);
    if (!drawn) return drawn.failure();
    parts.site = std::move(*drawn);
  }
  if (!options.mqtt.empty()) {
    auto broker = open_broker(options);
    if (!broker) return broker.failure();
    parts.broker = std::move(*broker);
  }
  return std::optional(FlightEvents(std::move(parts)));
}

}  // namespace shingle::drone
