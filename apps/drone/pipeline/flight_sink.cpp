#include "apps/drone/pipeline/flight_sink.hpp"

#include <algorithm>

#include "apps/drone/boxes/middle.hpp"
#include "apps/drone/pipeline/found_vehicles.hpp"
#include "apps/drone/pipeline/frame_line.hpp"
#include "apps/drone/pipeline/one_box_each.hpp"
#include "apps/drone/results/key_place.hpp"
#include "apps/drone/results/track_drawing.hpp"
#include "apps/system/print.hpp"

namespace shingle::drone {

FlightSink::FlightSink(FlightSinkOptions options)
    : options_(std::move(options)), tracker_(options_.tracker), lookout_(options_.lookout) {
  if (options_.writer) writer_.emplace(std::move(*options_.writer));
  options_.writer.reset();
}

Status FlightSink::take(LaneResult& result, const RunModel& model, Progress& progress) {
  if (options_.json) progress.clear();
  if (options_.road && model.name == road_model) {
    if (const Status taken = take_road(result); !taken) return taken;
  } else if (!model.name.empty()) {  // a further model, whose results are only told
    if (!options_.json) return success();
    return print_result(json_line(result.frame, model.reading.names));
  } else {
    waiting_.push_back({result.frame, std::move(result.picture)});
  }
  return go_on();
}

Status FlightSink::take_road(LaneResult& result) {
  std::optional<ClassMap>& mask = masks_[result.frame.frame];
  if (result.frame.late) return success();
  auto* found = std::get_if<ClassMap>(&result.frame.finding);
  if (found == nullptr)
    return bad_input("the road's model gives no class for each pixel; it must segment");
  mask = std::move(*found);
  return success();
}

Status FlightSink::go_on() {
  while (!waiting_.empty()) {
    const uint64_t frame = waiting_.front().result.frame;
    const bool needs_mask =
        options_.road && frame % options_.road_every == 0 && !lookout_.left_out_mask(frame);
    if (needs_mask && !masks_.contains(frame)) return success();
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    if (const Status followed = follow(next); !followed) return followed;
  }
  return success();
}

Status FlightSink::follow(Waiting& next) {
  Frame frame{.number = static_cast<uint32_t>(next.result.frame + 1)};
  frame.seconds = seconds_of(next.result.frame, next.picture);
  next.picture.seconds = frame.seconds;  // also of an annotated video
  if (!has_begun_)
    if (const Status begun = begin(next.picture); !begun) return begun;
  if (const Status tracked = track(next, frame); !tracked) return tracked;
  return report(next, frame);
}

double FlightSink::seconds_of(uint64_t frame, const Picture& picture) const {
  return picture.seconds.value_or(static_cast<double>(frame) / options_.frames_per_second);
}

bool FlightSink::computes(const RunModel& further, uint64_t frame) const {
  const bool is_road = options_.road && further.name == road_model;
  return is_road ? lookout_.wants_mask(frame) : RunSink::computes(further, frame);
}

Result<std::vector<cv::Mat>> FlightSink::inputs_of(const ArrivedPicture& arrived) {
  if (!has_begun_)
    if (const Status begun = begin(arrived.picture); !begun) return begun.failure();
  const double seconds = seconds_of(arrived.frame, arrived.picture);
  auto images =
      lookout_.look_at(arrived, seconds, ground_ ? ground_->scale_at(seconds) : std::nullopt);
  if (images.empty() && writer_) left_out_.push_back({arrived.frame, seconds});
  return images;
}

// What later pictures are planned by.
void FlightSink::tell_lookout(const Waiting& next, const Frame& frame,
                              std::span<const PixelBox> whole_vehicles) {
  const cv::Size size = next.picture.image.size();
  std::vector<VehicleSeen> tracks;
  for (const Sighting& each : frame.sightings)
    if (!each.is_predicted()) tracks.push_back({each.track, each.box});
  for (const TrackedBox& each : tracker_.unconfirmed()) tracks.push_back({each.id, each.box});
  PictureKnown known{.seconds = frame.seconds, .tracks = tracks, .whole_vehicles = whole_vehicles};
  if (options_.road && options_.lookout.slices)
    known.road = options_.road->cells(frame.place, size.width, size.height);
  lookout_.followed(next.result.frame, known);
}

Status FlightSink::begin(const Picture& picture) {
  const auto width = static_cast<uint32_t>(picture.image.cols);
  const auto height = static_cast<uint32_t>(picture.image.rows);
  if (options_.flight) {
    options_.view.width = width;
    options_.view.height = height;
    auto reader =
        GroundReader::make(std::move(*options_.flight), options_.view, options_.log_offset);
    if (!reader) return reader.failure();
    ground_ = std::move(*reader);
  }
  has_begun_ = true;
  if (options_.events)
    options_.events->begin({width, height}, [this](int class_id) { return name_of(class_id); });
  return writer_ ? writer_->set_size(width, height) : success();
}

Status FlightSink::track(Waiting& next, Frame& frame) {
  std::vector<DetectedBox> detections;
  if (!next.result.late) {
    auto vehicles = vehicles_in(next.result.finding, options_.classes);
    if (!vehicles) return vehicles.failure();
    detections = one_box_each(std::move(*vehicles), options_.lookout.max_overlap);
  }
  look_at(next, detections, frame);
  detections = on_road(detections, frame);
  const auto whole = whole_vehicles(detections, next.picture.image.size());
  detections = long_enough(next.result.frame, std::move(detections));
  FrameStep step;
  if (has_tracked_)
    step.steps = std::max(1e-3, (frame.seconds - last_seconds_) * options_.frames_per_second);
  if (options_.finds_motion) step.camera_motion = between_.take();
  auto looked = lookout_.looked_parts(next.result.frame);
  if (next.result.late) looked.emplace();  // nobody looked for vehicles in it
  if (looked) step.looked = *looked;
  if (options_.recovers_by_flow) detections = by_flow(next.picture, detections, step);
  tracked_ = tracker_.step(detections, step);
  has_tracked_ = true;
  last_seconds_ = frame.seconds;
  if (options_.recovers_by_flow) before_.image = next.picture.image.clone();
  if (ground_) ground_->begin_frame(frame.seconds);
  const cv::Mat& image = next.picture.image;
  const PixelBox picture{0.0, 0.0, static_cast<double>(image.cols),
                         static_cast<double>(image.rows)};
  for (const TrackedBox& each : tracked_)
    if (!each.is_predicted || holds_middle(picture, each.box))
      frame.sightings.push_back(sighting_of(each, frame));
  tell_lookout(next, frame, whole);
  return tell(frame);
}

// Without parts of vehicles and other clutter. The ground scale rests on all boxes, so that a wrong
// one is mended.
std::vector<DetectedBox> FlightSink::long_enough(uint64_t frame,
                                                 std::vector<DetectedBox> vehicles) const {
  std::erase_if(vehicles, [&](const DetectedBox& each) {
    return is_car_or_larger(name_of(each.class_id)) && lookout_.is_too_short(frame, each.box);
  });
  return vehicles;
}

// Adds all detections to the frame, and returns those that the tracker gets.
std::vector<DetectedBox> FlightSink::on_road(std::span<const DetectedBox> detections,
                                             Frame& frame) const {
  std::vector<DetectedBox> kept;
  for (const DetectedBox& each : detections) {
    FoundBox found{.box = each};
    if (options_.road) found.is_on_road = options_.road->may_drive(each.box, frame.place);
    if (found.is_on_road.value_or(true)) kept.push_back(each);
    frame.found.push_back(found);
  }
  return kept;
}

Sighting FlightSink::sighting_of(const TrackedBox& tracked, const Frame& frame) {
  Sighting sighting{.frame = frame.number,
                    .seconds = frame.seconds,
                    .track = tracked.id,
                    .class_id = tracked.class_id,
                    .score = tracked.is_predicted ? 0.0 : tracked.score,
                    .box = tracked.box,
                    .key = middle_in_key_frame(tracked.box, frame.to_key())};
  if (ground_) sighting.ground = ground_->read(tracked, kind_of(name_of(tracked.class_id)));
  return sighting;
}

Status FlightSink::tell(Frame& frame) {
  std::vector<SiteEvent> events;
  if (options_.events) events = options_.events->see(frame.number, frame.seconds, frame.sightings);
  if (!writer_) return success();
  if (const Status written = write_left_out(frame); !written) return written;
  return writer_->write({.frame = frame.number,
                         .seconds = frame.seconds,
                         .sightings = frame.sightings,
                         .found = std::move(frame.found),
                         .events = std::move(events),
                         .to_key = frame.to_key()},
                        ground());
}

// Pictures before this frame. One whose time is not before the frame's has no place in the run.
Status FlightSink::write_left_out(const Frame& next) {
  for (; !left_out_.empty() && left_out_.front().frame + 1 < next.number; left_out_.pop_front()) {
    const auto [frame, seconds] = left_out_.front();
    if (seconds >= next.seconds) continue;
    const Status written = writer_->write(
        {.frame = static_cast<uint32_t>(frame + 1), .seconds = seconds, .is_left_out = true},
        ground());
    if (!written) return written;
  }
  return success();
}

// All tracks end; the broker hears of it also when the run did not go well.
Status FlightSink::end_events(bool writes) {
  if (!options_.events || !has_begun_) return success();
  const auto events = options_.events->finish();
  return writes && writer_ ? writer_->write(events) : success();
}

// By the flow since the last picture that was tracked.
std::vector<DetectedBox> FlightSink::by_flow(const Picture& picture,
                                             std::span<const DetectedBox> detections,
                                             const FrameStep& step) {
  std::vector<FollowedBox> followed;
  if (before_.image.size() == picture.image.size()) {
    std::vector<PixelBox> boxes;
    for (const TrackedBox& each : tracked_) boxes.push_back(each.box);
    followed = follow_boxes(before_.image, picture.image, boxes);
  }
  FlowStep since{.ground = Homography(Homography::Identity()), .steps = step.steps};
  if (options_.finds_motion) since.ground = step.camera_motion;
  return recovery_.look(followed, tracked_, detections, options_.tracker, since).detections;
}

// Where the picture lies, and the mask that it brings.
void FlightSink::look_at(const Waiting& next, std::span<const DetectedBox> detections,
                         Frame& frame) {
  frame.place.to_first = Homography(Homography::Identity());
  if (options_.finds_motion) {
    std::vector<PixelBox> vehicles;
    for (const DetectedBox& each : detections) vehicles.push_back(each.box);
    const PictureMotion motion = finder_.next(next.picture.image, vehicles);
    between_.see(motion);
    frame.place = {motion.to_first, motion.first};
  }
  const auto mask = masks_.find(next.result.frame);
  if (mask == masks_.end()) return;
  if (mask->second) options_.road->see(std::move(*mask->second), frame.place);
  masks_.erase(mask);
}

Status FlightSink::report(Waiting& next, const Frame& frame) {
  const auto name = [this](int class_id) { return name_of(class_id); };
  if (options_.json) {
    const Status printed = print_result(frame_line({.frame = frame.number,
                                                    .seconds = frame.seconds,
                                                    .milliseconds = next.result.milliseconds,
                                                    .is_late = next.result.late,
                                                    .knows_camera = frame.to_key().has_value(),
                                                    .sightings = frame.sightings},
                                                   name));
    if (!printed) return printed;
  }
  if (!options_.output) return success();
  draw_tracks(next.picture.image, frame.sightings, name);
  return options_.output->write(next.picture);
}

std::string FlightSink::name_of(int class_id) const {
  return class_id < 0 ? "vehicle" : name_of_class(options_.names, class_id);
}

Status FlightSink::close(RunEnd end) {
  const bool went_well = end != RunEnd::failed;
  Status status = success();
  for (; went_well && status && !waiting_.empty(); waiting_.pop_front())
    status = follow(waiting_.front());
  const bool is_well = went_well && status.ok();
  if (Status told = end_events(is_well); !told && status) status = std::move(told);
  // Frames that were followed before a failure are kept.
  if (writer_)
    if (Status flushed = writer_->flush(ground()); !flushed && status) status = std::move(flushed);
  if (writer_ && is_well && end == RunEnd::whole && status) status = writer_->finish();
  if (options_.output)
    if (Status closed = options_.output->close(); !closed && status) status = std::move(closed);
  return status;
}

std::vector<SummaryFigure> FlightSink::figures() const {
  if (!options_.events || !options_.events->has_broker()) return {};
  const EventCounts& counts = options_.events->counts();
  return {{"events", counts.told,
           "events: " + std::to_string(counts.told) + " told to the broker, " +
               std::to_string(counts.lost) + " of them lost\n"},
          {"events_lost", counts.lost, ""}};
}

}  // namespace shingle::drone
