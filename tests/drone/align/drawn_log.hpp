// Drawn flights with manoeuvres, their logs as DJI rounds them, and how their pictures moved.
#pragma once

#include <array>
#include <cassert>
#include <cmath>

#include "apps/drone/align/picture_offset.hpp"
#include "apps/drone/logs/interpolation.hpp"
#include "partition/base/dice.hpp"

namespace shingle::drone {

inline constexpr double late_seconds = 7.3, log_seconds = 40.0, video_seconds = 25.0,
                        video_rate = 30.0;
inline ViewOptions full_hd() { return {.width = 1920.0, .height = 1080.0}; }

// A flight of manoeuvres at random times: in position, height, yaw. Exact at any time.
class DrawnLog {
 public:
  explicit DrawnLog(uint64_t seed) {
    Dice dice(seed);
    for (auto& channel : channels_)
      for (Manoeuvre& each : channel)
        each = {.middle = 60.0 * dice.unit() - 5.0,
                .width = 0.8 + 2.0 * dice.unit(),
                .change = 2.0 * dice.unit() - 1.0};
  }

  Telemetry at(double seconds) const {
    Telemetry moment;
    moment.seconds = seconds;
    moment.latitude = 48.0 + 1.5e-4 * state(seconds, 0);
    moment.longitude = 11.0 + 2e-4 * state(seconds, 1);
    moment.height = 90.0 + 2.0 * state(seconds, 2);
    moment.gimbal_yaw = 30.0 * state(seconds, 3);
    moment.gimbal_pitch = -90.0;
    moment.focal_35mm = 24.0;
    return moment;
  }

  // As a log has it: 10 Hz, heights to 0.1 m, angles to 0.1 degrees, positions to 1e-6 degrees.
  // A poor one knows neither height nor camera.
  Flight logged(bool knows_the_camera) const {
    Flight flight{.name = "drawn.csv", .time = LogTime::own, .end_seconds = log_seconds};
    for (int i = 0; i <= 10 * log_seconds; ++i) {
      Telemetry moment = at(i / 10.0);
      moment.line = static_cast<size_t>(i) + 1;
      for (auto value : {&Telemetry::latitude, &Telemetry::longitude}) round(moment.*value, 1e-6);
      for (auto value : {&Telemetry::height, &Telemetry::gimbal_yaw}) round(moment.*value, 0.1);
      if (!knows_the_camera) {
        moment.height.reset();
        moment.gimbal_pitch.reset();
        moment.focal_35mm.reset();
      }
      flight.samples.push_back(moment);
    }
    return flight;
  }

  // How the pictures of a video that begins at `late_seconds` of the log really moved, with errors
  // of up to half a pixel.
  std::vector<PictureStep> pictures(uint64_t seed) const {
    Dice dice(seed + 1000);
    const LocalFrame frame = *LocalFrame::at({48.0, 11.0, 0.0});
    std::vector<PictureStep> steps;
    std::optional<LogView> before;
    for (int i = 0; i < video_seconds * video_rate; ++i) {
      const double t = i / video_rate;
      const auto view = view_of(at(t + late_seconds), frame, full_hd());
      assert(view);
      if (before) {
        auto motion = motion_between(*before, *view);
        assert(motion);
        (*motion)(0, 2) += dice.unit() - 0.5;
        (*motion)(1, 2) += dice.unit() - 0.5;
        steps.push_back({t - 1.0 / video_rate, t, *motion});
      }
      before = *view;
    }
    return steps;
  }

 private:
  struct Manoeuvre {
    double middle = 0.0, width = 1.0, change = 0.0;  // seconds, seconds, of 1
  };
  double state(double seconds, size_t channel) const {
    double sum = 0.0;
    for (const Manoeuvre& each : channels_[channel])
      sum += each.change * std::tanh((seconds - each.middle) / each.width);
    return sum;
  }
  static void round(Telemetry::Known& value, double step) {
    value = step * std::round(*value / step);
  }

  std::array<std::array<Manoeuvre, 14>, 4> channels_{};
};

}  // namespace shingle::drone
