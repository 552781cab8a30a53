// What arrives and is not handed over: ZeroMQ collects a message's frames, and sets no limit to
// their number.
#include <sys/socket.h>

#include "transport/switchboard.hpp"

namespace shingle {

namespace {

constexpr std::chrono::milliseconds look_at_backlogs_every{20};
constexpr uint64_t most_of_a_member = 64 << 20;
// Who has not greeted has nothing to say but a greeting.
constexpr uint64_t most_of_a_stranger = 1 << 20;

}  // namespace

void Switchboard::watch_backlog(int descriptor) {
  backlogs_.erase(descriptor);
  backlogs_.emplace(descriptor, Backlog(descriptor));
}

void Switchboard::look_at_backlogs() {
  if (now_ < next_look_at_backlogs_) return;
  next_look_at_backlogs_ = now_ + look_at_backlogs_every;
  std::vector<int> endless;
  for (auto& [descriptor, backlog] : backlogs_) {
    const std::optional<uint64_t> arrived = backlog.arrived();
    const bool member = line_with(descriptor) != nullptr;
    if (arrived && backlog.look(*arrived, now_) > (member ? most_of_a_member : most_of_a_stranger))
      endless.push_back(descriptor);
  }
  for (const int descriptor : endless) cut_off(descriptor);
}

// ZeroMQ throws away what it has of a message when its connection ends. It cannot end one that came
// in: its socket's end is told to the system, as long as nobody else can have its number.
void Switchboard::cut_off(int descriptor) {
  ::shutdown(descriptor, SHUT_RDWR);
  backlogs_.erase(descriptor);
  ++traffic_.refused;
  if (Line* line = line_with(descriptor))
    return lose(*line, "it sent 64 MiB that make no whole message", false);
  note_stranger("A stranger was hung up on: it sent 1 MiB and has not greeted.");
}

}  // namespace shingle
