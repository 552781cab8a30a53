#include "apps/drone/pipeline/late_writer.hpp"

#include <limits>
#include <map>

#include "apps/drone/pipeline/gap_rows.hpp"

namespace shingle::drone {

namespace {

constexpr double rounding = 1e-6;  // times are written in microseconds

}  // namespace

Status LateWriter::write(FrameRows rows, const GroundReader* ground) {
  const double now = rows.seconds;
  const bool is_later = waiting_.empty() || now > waiting_.back().seconds;
  if (!is_later && rows.is_left_out) return success();
  if (!is_later) {  // the writer refuses times that fall
    waiting_.push_back(std::move(rows));
    return flush(ground);
  }
  fill_gaps(waiting_, rows);
  waiting_.push_back(std::move(rows));
  const double waits = now - waiting_.front().seconds;
  if (waits < hindsight_seconds + batch_seconds - rounding) return success();
  return settle(ground, now - hindsight_seconds + rounding);
}

Status LateWriter::write(std::span<const SiteEvent> events) {
  if (waiting_.empty()) return writer_.write(events);
  auto& known = waiting_.back().events;
  known.insert(known.end(), events.begin(), events.end());
  return success();
}

Status LateWriter::flush(const GroundReader* ground) {
  return settle(ground, std::numeric_limits<double>::infinity());
}

// Frames up to this time.
Status LateWriter::settle(const GroundReader* ground, double until) {
  std::map<int64_t, SmoothedTrack> tracks;  // in these frames
  for (; !waiting_.empty() && waiting_.front().seconds <= until; waiting_.pop_front()) {
    FrameRows& rows = waiting_.front();
    for (Sighting& each : rows.sightings) {
      if (ground == nullptr) break;
      auto track = tracks.find(each.track);
      if (track == tracks.end())
        track = tracks.emplace(each.track, ground->smoothed_track(each.track)).first;
      ground->look_back(track->second, rows.seconds, each.ground);
    }
    Status written = writer_.write(rows.frame, rows.seconds, rows.sightings, rows.found);
    if (written) written = writer_.write(rows.events);
    if (written) continue;
    waiting_.clear();  // the folder takes nothing any more
    return written;
  }
  return success();
}

}  // namespace shingle::drone
