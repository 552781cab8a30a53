// Who hears of the events of a run: --site, --mqtt and what belongs to them.
#pragma once

#include <optional>
#include <string>

#include "apps/drone/pipeline/flight_events.hpp"
#include "apps/node/broker_options.hpp"

namespace shingle::drone {

struct EventVerbOptions {
  std::string site, mqtt;
  BrokerLogin login;
};
void describe(CLI::App& verb, EventVerbOptions& options);

// None: there is no site and no broker. Errors: those of the site and of the address; the broker
// itself need not be there.
Result<std::optional<FlightEvents>> flight_events(const EventVerbOptions& options,
                                                  double track_end_seconds);

}  // namespace shingle::drone
