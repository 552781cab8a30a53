#include "apps/drone/results/run_writer.hpp"

#include <cassert>
#include <cmath>
#include <filesystem>
#include <limits>

#include "apps/drone/results/csv_line.hpp"
#include "apps/drone/results/frames_csv.hpp"
#include "apps/system/write_file.hpp"
#include "partition/base/text.hpp"

namespace shingle::drone {
namespace {

constexpr const char* events_header = "seconds,frame,track,event,place,direction,kmh\n";
const auto& run_files = *new std::vector<std::string>{"run.json", "frames.csv", "tracks.csv",
                                                      "events.csv", "detections.csv"};

std::string event_line(double seconds, uint32_t frame, int64_t track, const char* event) {
  return csv_line(
      {csv_text(seconds, 6), std::to_string(frame), std::to_string(track), event, "", "", ""});
}

std::string event_line(const SiteEvent& event) {
  return csv_line({csv_text(event.seconds, 6), std::to_string(event.frame),
                   std::to_string(event.track), event_name(event.kind), csv_name(event.place),
                   csv_name(event.direction), csv_text(event.kmh, 2)});
}

Result<AppendFile> make_with(const std::string& path, const std::string& header) {
  auto file = AppendFile::make(path);
  if (!file) return file.failure();
  if (const Status written = file->append(header); !written) return written.failure();
  return file;
}

FrameColumns columns_of(const RunInfo& info) {
  return {.has_ground = info.has_ground, .has_map = !info.crs.empty()};
}

Status write_info(const std::string& folder, const RunInfo& info) {
  const std::string text = run_json(info);
  return replace_file(folder + "/run.json", std::as_bytes(std::span(text)));
}

}  // namespace

Result<RunWriter> RunWriter::begin(const std::string& folder, const RunInfo& told,
                                   double track_end_seconds) {
  std::optional<MapGrid> grid;
  if (!told.crs.empty()) {
    auto opened = MapGrid::open(told.crs);
    if (!opened) return opened.failure();
    grid = std::move(*opened);
  }
  RunInfo info = told;
  if (grid) info.crs = grid->code();
  std::error_code error;
  const bool is_new = !std::filesystem::exists(folder, error);
  if (const Status made = make_folder(folder); !made) return made.failure();
  for (const std::string& name : run_files)
    if (std::filesystem::is_regular_file(folder + "/" + name, error))
      return usage_error("the folder " + in_quotes(folder) + " has a run already, or a file " +
                         in_quotes(name) + "; name another folder, or remove it");
  std::vector<std::string> made_files = run_files;
  made_files.push_back("run.json.new");  // what replace_file() leaves when the disk is full
  auto unused = std::make_unique<UnusedFolder>(folder, std::move(made_files), is_new);
  auto frames = make_with(folder + "/frames.csv", frames_header(columns_of(info)));
  if (!frames) return frames.failure();
  auto tracks = make_with(folder + "/tracks.csv", tracks_header());
  if (!tracks) return tracks.failure();
  auto events = make_with(folder + "/events.csv", events_header);
  if (!events) return events.failure();
  auto detections = make_with(folder + "/detections.csv", detections_header);
  if (!detections) return detections.failure();
  if (const Status written = write_info(folder, info); !written) return written.failure();
  if (const Status synced = sync_folder(folder + "/.."); !synced) return synced.failure();
  RunWriter writer(
      folder, info, track_end_seconds, std::move(grid),
      {std::move(*frames), std::move(*tracks), std::move(*events), std::move(*detections)});
  writer.unused_ = std::move(unused);
  return writer;
}

Status RunWriter::set_size(uint32_t width, uint32_t height) {
  info_.width = width, info_.height = height;
  return write_info(folder_, info_);
}

void RunWriter::use_folder() {
  if (unused_) unused_->keep();
  unused_.reset();
}

Status RunWriter::write(uint32_t frame, double seconds, std::span<const Sighting> sightings,
                        std::span<const FoundBox> detections) {
  // As they are written: a reader must find them apart.
  const bool is_later = std::round(seconds * 1e6) > std::round(last_seconds_ * 1e6);
  if (frames_ > 0 && (frame <= last_frame_ || !is_later))
    return bad_input("frame " + std::to_string(frame) + " at " + csv_text(seconds, 6) +
                     " s is not after frame " + std::to_string(last_frame_) + " at " +
                     csv_text(last_seconds_, 6) +
                     " s; give frames by growing time, a microsecond apart at least");
  use_folder();
  if (frames_ == 0) synced_seconds_ = seconds;
  ++frames_;
  last_frame_ = frame, last_seconds_ = seconds;
  std::string lines, events, found;
  for (const FoundBox& each : detections) found += detections_line(frame, seconds, each);
  for (const Sighting& each : sightings) {
    assert(each.frame == frame && each.seconds == seconds);
    auto line = line_of(each);
    if (!line) return line.failure();
    lines += *line;
    const auto [open, is_new] = open_.try_emplace(each.track, each);
    if (is_new)
      events += event_line(seconds, frame, each.track, "begin");
    else
      open->second.add(each);
  }
  if (const Status written = files_.detections.append(found); !written) return written;
  if (const Status written = files_.frames.append(lines); !written) return written;
  if (const Status written = files_.events.append(events); !written) return written;
  // Only now: a track that was seen before and after a gap of the pictures goes on.
  if (const Status ended = end_tracks(seconds - track_end_seconds_); !ended) return ended;
  if (seconds - synced_seconds_ < sync_seconds) return success();
  synced_seconds_ = seconds;
  return sync();
}

Result<std::string> RunWriter::line_of(const Sighting& sighting) const {
  const GroundReading& ground = sighting.ground;
  if (!grid_ || !ground.latitude || !ground.longitude)
    return frames_line(sighting, columns_of(info_));
  const auto place = grid_->place_of(*ground.latitude, *ground.longitude);
  if (!place) return place.failure();
  Sighting placed = sighting;
  placed.map = *place;
  return frames_line(placed, columns_of(info_));
}

Status RunWriter::write(std::span<const SiteEvent> events) {
  std::string lines;
  for (const SiteEvent& each : events) lines += event_line(each);
  return files_.events.append(lines);
}

Status RunWriter::end_tracks(double unseen_since) {
  std::string lines, events;
  for (auto open = open_.begin(); open != open_.end();) {
    const TrackSummary& track = open->second;
    if (track.last_seconds() >= unseen_since) {
      ++open;
      continue;
    }
    lines += track.line();
    events += event_line(track.last_seconds(), track.last_frame(), track.track(), "end");
    open = open_.erase(open);
  }
  if (const Status written = files_.tracks.append(lines); !written) return written;
  return files_.events.append(events);
}

Status RunWriter::sync() {
  for (AppendFile* file : {&files_.frames, &files_.tracks, &files_.events, &files_.detections})
    if (const Status synced = file->sync(); !synced) return synced;
  return success();
}

Status RunWriter::finish() {
  use_folder();
  if (const Status ended = end_tracks(std::numeric_limits<double>::infinity()); !ended)
    return ended;
  if (const Status synced = sync(); !synced) return synced;
  info_.is_complete = true;
  info_.frames = frames_;
  return write_info(folder_, info_);
}

}  // namespace shingle::drone
