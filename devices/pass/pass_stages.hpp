// Stages: the steps of a pass in groups, one behind the other. Strips run through one stage at a
// time; a map that a later stage reads is stored whole.
//
//   one stage            every map in strips, all strips in use at once: good where maps are large
//   a stage per step     layer by layer: good where maps are small beside those in between
//
//   tokens [##] -- scores [########] -- mixed [##] | wide [########] -- tokens [##] | ...
//                                                  two stages: only one of the large maps at a time
//
// The fullest stage holds the fewest bytes; of the divisions with such a stage, all stages together
// hold the fewest. What a stage holds is estimated: whole maps of earlier stages that are read in
// it or later, whole maps of its own that are read later, and strips of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shingle {

// What a step makes. Sizes in bytes.
struct StagedMap {
  int64_t whole = 0, in_strips = 0;
  int64_t kept = 0;        // by the step itself, while it runs
  size_t last_reader = 0;  // a step; its own number if there is none
};

// The stage of each step: from 0, ascending. REQUIRES: no reader comes before what it reads.
std::vector<size_t> divide_into_stages(const std::vector<StagedMap>& maps);

}  // namespace shingle
