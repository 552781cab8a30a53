// StagedStream: a stream of frames as apps/client/frame_stream.hpp runs one, by the same rules
// (runtime/owner/stream_owner.hpp), with the stage instead of a thread that waits: it proposes
// plans, keeps frames under way, goes over to other plans, and ends at the first error.
#pragma once

#include <optional>

#include "runtime/driver/driver.hpp"
#include "runtime/owner/stream_owner.hpp"
#include "tests/swarm/stage.hpp"

namespace shingle::swarm {

using Picture = std::shared_ptr<const std::vector<std::byte>>;

struct StreamSpec {
  std::shared_ptr<const Model> model;
  std::vector<Rotation> rotations;  // the first, then those that it goes over to
  Duration between_changes = std::chrono::seconds(1);
  Duration between_frames = std::chrono::milliseconds(20);
  uint32_t open_frames = 2;
  std::optional<Duration> deadline{};
  Time end{};                     // no frames are captured from then on
  std::vector<Picture> pictures;  // frame n shows picture n, round and round
};

class StagedStream {
 public:
  struct Sees {
    std::function<void(const FrameKey&)> submitted;
    std::function<void(const std::string&)> ended;  // by an error
  };
  StagedStream(Stage& stage, Driver& driver, const StreamSpec& spec, Sees sees);

  // The driver's callbacks; what follows from them follows a moment later.
  void reported(const Report& report) { events_.push_back(report); }
  void delivered(const FrameKey& key) { events_.push_back(key); }

  // Whoever made it calls this now and then, and after each turn of the driver.
  void act();

  bool has_ended() const { return ended_; }
  uint64_t switches() const { return switches_; }

 private:
  void on(const Report& report);
  void on(const FrameKey& key);
  void give_up_the_late();
  void change();
  void submit();
  void propose(const std::vector<StreamOwner::Loaded>& plans);
  void end(const std::string& why);

  Stage& stage_;
  Driver& driver_;
  const StreamSpec& spec_;
  const Sees sees_;
  StreamOwner owner_;
  std::deque<std::variant<Report, FrameKey>> events_;
  Time next_frame_{}, next_change_{};
  size_t changes_ = 0;
  uint64_t submitted_ = 0;
  uint64_t switches_ = 0;
  bool begun_ = false, ended_ = false;
};

}  // namespace shingle::swarm
