// The figures of a summary one by one, and side by side with those of other runs.
#pragma once

#include <string>
#include <vector>

#include "sim/experiment/summary.hpp"

namespace shingle::sim {

struct Number {
  std::string name;  // "source 1: p50 latency"; unique in a summary
  std::string unit;
  Interval value{};
};
std::vector<Number> numbers_of(const Summary& summary);

struct AuditedNumber {
  Number number;               // of the runs in question
  Interval by{};               // the same figure of the runs that they are held against
  double difference() const {  // of the means
    return number.value.mean - by.mean;
  }
  // As a share of the mean that it is held against; none: that is 0.
  std::optional<double> share() const {
    return by.mean == 0.0 ? std::nullopt : std::optional(difference() / by.mean);
  }
};
// Figures that both have, in the order of the first. Those that are 0 in both are left out.
std::vector<AuditedNumber> side_by_side(const Summary& summary, const Summary& by);

}  // namespace shingle::sim
