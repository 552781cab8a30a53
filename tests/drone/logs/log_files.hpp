// Shared flight logs, and their reading.
#pragma once

#include <doctest/doctest.h>

#include "apps/drone/logs/flight.hpp"
#include "tests/apps/program.hpp"
#include "tests/drone/shared_data.hpp"

namespace shingle::drone {

// REQUIRES: the file is there and can be read.
inline Flight flight_in(const std::string& path, const LogOptions& options = {}) {
  auto flight = read_flight(contents(path), path, options);
  REQUIRE_MESSAGE(flight.ok(), flight.error());
  return *flight;
}

inline Flight flight_of(const std::string& text, const LogOptions& options = {}) {
  auto flight = read_flight(text, "log", options);
  REQUIRE_MESSAGE(flight.ok(), flight.error());
  return *flight;
}

inline void check_sentence(const Result<Flight>& flight, const std::string& part) {
  REQUIRE(!flight.ok());
  CHECK(flight.failure().kind != ErrorKind::runtime);
  CHECK_MESSAGE(flight.error().find(part) != std::string::npos, flight.error());
}

}  // namespace shingle::drone
