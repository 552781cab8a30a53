// Notes on stderr about runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace shingle::drone {

// "3 tracks have no WHAT and are left out: 4, 7, 9"; nothing without tracks.
void note_left_out(const std::vector<int64_t>& tracks, const std::string& what);

}  // namespace shingle::drone
