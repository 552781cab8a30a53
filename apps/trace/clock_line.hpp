// How far one clock is ahead of another, from messages both ways.
//
//   difference
//    ^   x  x      x         x    there: what arrived, minus what was sent, is the clocks'
//    |  x       x     x  x        difference plus a delay, so it lies above the line
//    | _____________________----  the line, in the middle of the free corridor
//    |   o     o    o             back, with the other sign: below the line
//    +-----------------------> t
//
// Delays are never negative, so the true line lies in the corridor. Where the smallest delays of
// both ways are alike, it is in the middle; the corridor's half height bounds the error.
#pragma once

#include <optional>
#include <vector>

namespace shingle {

struct ClockSample {
  double at_ns = 0.0;          // on the first clock
  double difference_ns = 0.0;  // received minus sent, each on its own clock
};

struct ClockLine {  // second clock - first clock = offset_ns + drift * (time of the first clock)
  double offset_ns = 0.0, drift = 0.0;
  double margin_ns = 0.0;  // half the corridor's height, along the line
  double error_ns = 0.0;   // the line is at most so far off, between the first and the last sample
};

// `there`: messages from the first clock to the second; `back`: the other way, with the time of
// their arrival. None if a way has no message, or no constant drift of at most 1000 ppm fits.
std::optional<ClockLine> fit_clocks(std::vector<ClockSample> there, std::vector<ClockSample> back);

}  // namespace shingle
