// What a campaign of flipped bits found, for people and for programs.
#pragma once

#include <string>

#include "apps/shingle/soft_error_campaign.hpp"

namespace shingle {

struct SoftErrorReport {
  const Model& model;
  const std::vector<FlipSite>& sites;
  uint64_t planned = 0, done = 0;  // flips; fewer were done if time ran out
  uint64_t pictures = 0, seed = 1;
  std::string head;
};

// A row for each layer with a bar for its weights and one for its map, then what each kind of bit
// did, and what would have found it.
std::string text_of(const SoftErrorReport& report);

// One object on one line; docs/use/cli.md names its keys.
std::string json_of(const SoftErrorReport& report);

}  // namespace shingle
