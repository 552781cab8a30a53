// Scores of a tracker, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "apps/drone/score/scores.hpp"

namespace shingle::drone {

struct NamedScores {
  std::string name;
  Scores scores;
};

// A row for each sequence, and COMBINED where there are several.
std::string eval_text(const std::vector<NamedScores>& sequences, const Scores& combined);

// {"sequences":{"NAME":{..}},"combined":{..}} with TrackEval's names for all fields. HOTA, DetA and
// so on are means over the thresholds; "curves" has them at each.
std::string eval_json(const std::vector<NamedScores>& sequences, const Scores& combined);

}  // namespace shingle::drone
