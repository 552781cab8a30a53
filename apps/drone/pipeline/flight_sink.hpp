// FlightSink: what a detector found in a video becomes tracks, places on the ground, a run folder
// and annotated media, picture by picture.
//
//   result --> vehicles --> tracker --> ground --> run folder
//   picture --> camera's motion --^                annotated media, lines
//   road's mask, every k-th picture --^
//
// A picture waits for the mask that holds for it, so that tracks do not depend on who was faster.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>

#include "apps/drone/motion/flow_recovery.hpp"
#include "apps/drone/motion/frame_motion.hpp"
#include "apps/drone/pipeline/flight_events.hpp"
#include "apps/drone/pipeline/late_writer.hpp"
#include "apps/drone/pipeline/lookout.hpp"
#include "apps/drone/pipeline/road_layer.hpp"
#include "apps/drone/pipeline/vehicle_classes.hpp"
#include "apps/drone/results/run_writer.hpp"
#include "apps/run/run_sink.hpp"
#include "apps/vision/media_out.hpp"

namespace shingle::drone {

inline constexpr const char* road_model = "road";  // the further model's name

struct FlightSinkOptions {
  std::optional<RunWriter> writer{};  // of the run folder; the picture's size is filled in
  std::optional<FlightEvents> events{};
  std::optional<MediaOutput> output{};  // annotated media
  bool json = false;
  double frames_per_second = 0.0;  // nominal; of images: their rate
  ByteTrackOptions tracker{};
  bool finds_motion = true, recovers_by_flow = false;
  VehicleClasses classes;
  ClassNames names{};
  std::optional<RoadLayer> road{};  // by the further model `road_model`
  uint64_t road_every = 1;
  std::optional<Flight> flight{};
  ViewOptions view{};  // the picture's size is filled in
  double log_offset = 0.0;
  LookoutOptions lookout{};
};

class FlightSink : public RunSink {
 public:
  explicit FlightSink(FlightSinkOptions options);

  bool keeps_pictures() const override { return true; }
  bool may_begin(uint64_t) const override { return lookout_.may_begin(); }
  bool computes(const RunModel& further, uint64_t frame) const override;
  Result<std::vector<cv::Mat>> inputs_of(const ArrivedPicture& arrived) override;
  Finding joined(uint64_t frame, std::vector<Finding> findings) override {
    return lookout_.joined(frame, std::move(findings));
  }
  void add_to(Summary& summary) const override { lookout_.add_to(summary); }
  Status take(LaneResult& result, const RunModel& model, Progress& progress) override;
  // A run that is not whole stays incomplete in its folder.
  Status close(RunEnd end) override;
  std::vector<SummaryFigure> figures() const override;

 private:
  struct Waiting {  // for the road's mask
    FrameResult result;
    Picture picture;
  };
  struct LeftOut {
    uint64_t frame = 0;  // from 0 on
    double seconds = 0.0;
  };
  struct Frame {
    uint32_t number = 1;
    double seconds = 0.0;
    PicturePlace place{};
    std::vector<FoundBox> found{};
    std::vector<Sighting> sightings{};
    // The run's key frame is its first picture: other chains have nothing to do with it.
    std::optional<Homography> to_key() const {
      return place.first == 0 ? place.to_first : std::nullopt;
    }
  };
  Status take_road(LaneResult& result);
  Status go_on();  // with all pictures whose mask is there
  Status follow(Waiting& next);
  Status begin(const Picture& picture);
  Status tell(Frame& frame);  // the run folder and who listens to events
  Status write_left_out(const Frame& next);
  const GroundReader* ground() const { return ground_ ? &*ground_ : nullptr; }
  Status end_events(bool writes);
  double seconds_of(uint64_t frame, const Picture& picture) const;
  std::vector<DetectedBox> long_enough(uint64_t frame, std::vector<DetectedBox> vehicles) const;
  void tell_lookout(const Waiting& next, const Frame& frame,
                    std::span<const PixelBox> whole_vehicles);
  Status track(Waiting& next, Frame& frame);
  std::vector<DetectedBox> on_road(std::span<const DetectedBox> detections, Frame& frame) const;
  Sighting sighting_of(const TrackedBox& tracked, const Frame& frame);
  std::vector<DetectedBox> by_flow(const Picture& picture, std::span<const DetectedBox> detections,
                                   const FrameStep& step);
  void look_at(const Waiting& next, std::span<const DetectedBox> detections, Frame& frame);
  Status report(Waiting& next, const Frame& frame);
  std::string name_of(int class_id) const;

  FlightSinkOptions options_;
  std::optional<LateWriter> writer_{};
  ByteTracker tracker_;
  Lookout lookout_;
  MotionFinder finder_{};
  FrameMotion between_{};
  FlowRecovery recovery_{};
  std::optional<GroundReader> ground_{};
  std::deque<Waiting> waiting_{};
  std::deque<LeftOut> left_out_{};  // pictures that the run folder does not have yet
  // By frame, from 0 on, of which no picture was followed yet. None: the mask came too late.
  std::map<uint64_t, std::optional<ClassMap>> masks_{};
  bool has_begun_ = false, has_tracked_ = false;
  double last_seconds_ = 0.0;
  Picture before_{};  // the last one that was tracked
  std::vector<TrackedBox> tracked_{};
};

}  // namespace shingle::drone
