// The verb `log`: what a flight log says.
#pragma once

#include <optional>
#include <string>

#include "apps/drone/verbs/flight_log_options.hpp"

namespace shingle::drone {

struct LogVerbOptions {
  std::string file, video;
  FlightLogOptions log;
  std::optional<double> at{}, frames_per_second{};
  bool json = false, csv = false;
};
void describe(CLI::App& verb, LogVerbOptions& options);
int run_verb(const LogVerbOptions& options);

}  // namespace shingle::drone
