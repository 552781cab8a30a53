#include "apps/drone/logs/offset.hpp"

#include <algorithm>
#include <cmath>

#include "apps/drone/logs/correlation.hpp"
#include "apps/drone/logs/log_text.hpp"
#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

constexpr double least_fisher_z = 5.0;
// 1.96 of a normal distribution, and a tenth more: with so few places the variance comes out small
// (over 1000 drawn flights the interval of 1.96 held the truth 92 times in 100).
constexpr double sigmas_of_95 = 2.2;
constexpr double most_unexplained = 0.6;  // of what the rival leaves unexplained

// Signals that are compared, with what all have in common.
struct Search {
  std::span<const MotionPair> pairs;
  double sigma = 0.2, step = 0.1;  // seconds
  double begin = 0.0;              // of the grids of pictures, in the video's time
  size_t least_count = 0;          // places that have to overlap
  std::vector<Grid> pictures{};
};

// What all pairs explain together at one offset.
struct Likeness {
  double explained = 0.0;  // 1 - U
  size_t least_count = 0;  // of places, over the pairs
};

template <class MatchOfPair>
Likeness likeness_of(size_t pairs, MatchOfPair match_of_pair) {
  Likeness result{.least_count = ~size_t{0}};
  double unexplained = 1.0;
  for (size_t pair = 0; pair < pairs; ++pair) {
    const GridMatch match = match_of_pair(pair);
    const double correlation = std::max(0.0, match.correlation);
    unexplained *= 1.0 - correlation * correlation;
    result.least_count = std::min(result.least_count, match.count);
  }
  result.explained = std::clamp(1.0 - unexplained, 0.0, 1.0);
  return result;
}

std::vector<Grid> logs_at(const Search& search, double offset) {
  std::vector<Grid> logs;
  for (size_t pair = 0; pair < search.pairs.size(); ++pair)
    logs.push_back(grid_of(search.pairs[pair].log, search.begin + offset, search.step, search.sigma,
                           search.pictures[pair].size()));
  return logs;
}

// Around `offset`, a tenth of a step apart and a step to both sides.
FoundOffset refined(const Search& search, double offset) {
  constexpr int parts = 10;
  double values[2 * parts + 1];
  int best = 1;
  for (int part = 0; part <= 2 * parts; ++part) {
    const auto logs = logs_at(search, offset + search.step * (part - parts) / parts);
    values[part] = likeness_of(logs.size(), [&](size_t pair) {
                     return match_of(search.pictures[pair], logs[pair], 0);
                   }).explained;
    if (part > 0 && part < 2 * parts && values[part] > values[best]) best = part;
  }
  const Peak peak = peak_of(values[best - 1], values[best], values[best + 1]);
  FoundOffset found{.seconds = offset + search.step * (best + peak.place - parts) / parts};
  const auto logs = logs_at(search, found.seconds);
  ShiftInformation sum;
  for (size_t pair = 0; pair < logs.size(); ++pair) {
    if (match_of(search.pictures[pair], logs[pair], 0).correlation <= 0.0) continue;
    // Smoothing correlates residuals over about four sigmas.
    const auto reach = static_cast<size_t>(std::ceil(4.0 * search.sigma / search.step));
    const auto each = shift_information(search.pictures[pair], logs[pair], search.step, reach);
    sum.score += each.score;
    sum.information += each.information;
  }
  if (sum.information > 0.0)
    found.half_width = sigmas_of_95 * std::sqrt(std::max(0.0, sum.score)) / sum.information;
  found.correlation = std::sqrt(std::clamp(peak.height, 0.0, 1.0));
  return found;
}

Error unknown(const std::string& why) {
  return bad_input("the log's offset to the video is not known from motion: " + why +
                   "; give the offset");
}

// The likeness at all offsets, a step apart.
struct Offsets {
  std::vector<double> seconds, explained;
  std::vector<size_t> counts;
};
Offsets all_offsets(const Search& search, const std::vector<Grid>& logs, double log_begin,
                    const OffsetSearch& wishes) {
  Offsets all;
  const auto first = -static_cast<int64_t>(search.pictures.front().size());
  for (int64_t shift = first; shift < static_cast<int64_t>(logs.front().size()); ++shift) {
    const double offset = log_begin - search.begin + static_cast<double>(shift) * search.step;
    if (offset < wishes.least.value_or(offset) || offset > wishes.most.value_or(offset)) continue;
    const Likeness likeness = likeness_of(logs.size(), [&](size_t pair) {
      return match_of(search.pictures[pair], logs[pair], shift);
    });
    if (likeness.least_count < search.least_count) continue;
    all.seconds.push_back(offset);
    all.explained.push_back(likeness.explained);
    all.counts.push_back(likeness.least_count);
  }
  return all;
}

// Far beyond chance: Fisher's z of the best pair's independent places.
bool is_significant(const Search& search, const std::vector<Grid>& logs, size_t count,
                    double correlation) {
  double places = 0.0;
  for (size_t pair = 0; pair < logs.size(); ++pair)
    places = std::max(places, independent_places(search.pictures[pair], logs[pair], count));
  const double z = std::atanh(std::min(correlation, 0.999999)) * std::sqrt(places - 3.0);
  return places > 4.0 && z >= least_fisher_z;
}

Result<FoundOffset> best_of(const Search& search, const std::vector<Grid>& logs, double log_begin,
                            const OffsetSearch& wishes) {
  const Offsets all = all_offsets(search, logs, log_begin, wishes);
  const std::vector<double>& values = all.explained;
  if (values.size() < 3)
    return unknown("at no offset do enough of the pictures' motion and of the log overlap");
  const auto best =
      static_cast<size_t>(std::max_element(values.begin(), values.end()) - values.begin());
  if (!is_significant(search, logs, all.counts[best], std::sqrt(values[best])))
    return unknown("the flight varies too little, or the pictures' motion is not that of the log");
  if (best == 0 || best + 1 == values.size())
    return unknown("it fits best at the last offset that was tried");
  const double top = peak_of(values[best - 1], values[best], values[best + 1]).height;
  const double rival = rival_of(values, best);
  if (1.0 - top > most_unexplained * (1.0 - rival))
    return unknown("the motion fits at several offsets");
  FoundOffset found = refined(search, all.seconds[best]);
  found.rival = std::sqrt(std::clamp(rival, 0.0, 1.0));
  if (found.half_width > wishes.most_half_width_seconds)
    return unknown("the pictures' motion or the log is too rough");
  return found;
}

}  // namespace

Result<double> offset_by_clock(const Flight& flight, double video_start, double video_seconds) {
  const std::string name = in_quotes(flight.name);
  if (flight.clock == LogClock::none || flight.samples.empty())
    return bad_input(name + " has no clock; give its offset to the video");
  if (flight.clock == LogClock::local)
    return bad_input(name +
                     " has the time of an unknown zone; say how many hours it is ahead of UTC");
  const Telemetry& first = flight.samples.front();
  const double offset = video_start - (first.clock.value_or(0.0) - first.seconds);
  if (offset > flight.end_seconds || offset + video_seconds < first.seconds) {
    const double begin = video_start - offset + first.seconds;
    const double end = video_start - offset + flight.end_seconds;
    return bad_input(name + " goes from " + date_time_text(begin) + " to " + date_time_text(end) +
                     " UTC and covers nothing of the video, which begins at " +
                     date_time_text(video_start) + " UTC; use the log of that flight");
  }
  return offset;
}

Result<FoundOffset> offset_by_motion(std::span<const MotionPair> pairs,
                                     const OffsetSearch& wishes) {
  Search search{.pairs = pairs};
  double end = 0.0, log_begin = 0.0, log_end = 0.0;  // of all signals together
  for (const auto& [pictures, log] : pairs) {
    if (pictures.size() < 3 || log.size() < 3) return unknown("there is no motion to compare");
    search.sigma = std::max({search.sigma, 0.7 * median_step(pictures), 0.7 * median_step(log)});
    const bool is_first = &pictures == &pairs.front().pictures;
    search.begin =
        is_first ? pictures.front().seconds : std::min(search.begin, pictures.front().seconds);
    end = is_first ? pictures.back().seconds : std::max(end, pictures.back().seconds);
    log_begin = is_first ? log.front().seconds : std::min(log_begin, log.front().seconds);
    log_end = is_first ? log.back().seconds : std::max(log_end, log.back().seconds);
  }
  if (pairs.empty()) return unknown("there is no motion to compare");
  search.step = 0.5 * search.sigma;
  const double shorter = std::min(end - search.begin, log_end - log_begin);
  const double overlap = std::max(wishes.least_overlap_seconds, 0.5 * shorter);
  search.least_count = static_cast<size_t>(std::ceil(overlap / search.step));
  const auto places = [&](double seconds) {
    return static_cast<size_t>(std::floor(seconds / search.step)) + 1;
  };
  std::vector<Grid> logs;
  for (const MotionPair& pair : pairs) {
    search.pictures.push_back(grid_of(pair.pictures, search.begin, search.step, search.sigma,
                                      places(end - search.begin)));
    logs.push_back(
        grid_of(pair.log, log_begin, search.step, search.sigma, places(log_end - log_begin)));
  }
  return best_of(search, logs, log_begin, wishes);
}

}  // namespace shingle::drone
