// The cues of SubRip subtitles: a number, the times, then lines of text.
//   7
//   00:00:01,000 --> 00:00:02,000
//   text
// DJI's Mavic 2 leaves the times out and begins the text with a date; those are cues as well. Blank
// lines between cues may be missing, or stand inside of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "partition/base/result.hpp"

namespace shingle::drone {

struct SrtCue {
  size_t line = 0;                       // of its number, from 1 on
  std::optional<double> begin{}, end{};  // seconds of the video
  std::string text{};
};

bool is_srt(std::string_view bytes);  // it begins with a cue

// What stands before the first cue is passed over. Errors: times that are not written as above.
Result<std::vector<SrtCue>> srt_cues(std::string_view text, const std::string& name);

}  // namespace shingle::drone
