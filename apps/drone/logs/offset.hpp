// Where a video lies in a flight log: seconds of the log = seconds of the video + offset.
#pragma once

#include <optional>
#include <span>

#include "apps/drone/logs/signal.hpp"

namespace shingle::drone {

// By clocks. `video_start` is the UTC of the video's 0 s, in seconds since 1970; `video_seconds` is
// its length. Errors: the log has no clock, or one of an unknown zone; it is of another day, or
// covers nothing of the video.
Result<double> offset_by_clock(const Flight& flight, double video_start, double video_seconds);

// One motion as pictures show it and as the log has it, each in a unit of its own. A rate measured
// between two pictures belongs to the middle of their times. Gaps are allowed.
struct MotionPair {
  std::span<const SignalSample> pictures{}, log{};
};

struct OffsetSearch {
  // The offsets that are tried; none: all at which enough of both signals overlaps.
  std::optional<double> least{}, most{};
  double least_overlap_seconds = 8.0;     // and half of the shorter signal
  double most_half_width_seconds = 0.25;  // of an answer
};

struct FoundOffset {
  double seconds = 0.0, half_width = 0.0;  // 95 % interval: seconds +- half_width
  // How alike all signals are there, and at the best offset elsewhere: sqrt(1 - U), where U is what
  // they leave unexplained. Of one pair it is Pearson's correlation.
  double correlation = 0.0, rival = 0.0;
};

// By motion: the offset at which the log explains the pictures best.
//   1. All signals are smoothed alike (smoothed_at), so that other rates and noise do not shift
//   them.
//   2. At offsets 0.1 s apart (or half of the smoothing's sigma) U, the product of 1 - r^2 over the
//      pairs, r being Pearson's correlation or 0 if it is negative: -log U is the likelihood if
//      each pair has noise of its own. Around the least U finer steps, and a parabola between them.
//   3. The interval: Gauss-Newton's variance with the residuals' own autocorrelation (Newey and
//      West 1987).
//   4. It is unknown, an error, unless the likeness is far beyond chance (Fisher's z of at least 5,
//      with as many independent samples as both autocorrelations leave; Bartlett 1935), U is at
//      most 0.6 of the rival's, the offset is neither the first nor the last one, and the interval
//      is narrow enough.
// Errors are sentences that end with what to do: give the offset.
Result<FoundOffset> offset_by_motion(std::span<const MotionPair> pairs,
                                     const OffsetSearch& search = {});

}  // namespace shingle::drone
