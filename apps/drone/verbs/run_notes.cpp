#include "apps/drone/verbs/run_notes.hpp"

#include <algorithm>

#include "apps/system/exit.hpp"

namespace shingle::drone {

void note_left_out(const std::vector<int64_t>& tracks, const std::string& what) {
  if (tracks.empty()) return;
  constexpr size_t most = 20;
  std::string text = std::to_string(tracks.size()) +
                     (tracks.size() == 1 ? " track has no " : " tracks have no ") + what +
                     (tracks.size() == 1 ? " and is left out: " : " and are left out: ");
  for (size_t index = 0; index < std::min(tracks.size(), most); ++index)
    text += (index == 0 ? "" : ", ") + std::to_string(tracks[index]);
  if (tracks.size() > most) text += " and " + std::to_string(tracks.size() - most) + " more";
  note(text);
}

}  // namespace shingle::drone
