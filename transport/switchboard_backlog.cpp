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
// At a look: a look at a crowd of strangers takes no longer than one at a few. Of 1,000 connections
// each has its turn within 0.4 s.
constexpr size_t strangers_a_look = 64;

}  // namespace

void Switchboard::watch_backlog(int descriptor) {
  backlogs_.erase(descriptor);
  backlogs_.emplace(descriptor, Backlog(descriptor));
}

// All members, and some of the strangers, who take turns.
void Switchboard::look_at_backlogs() {
  if (now_ < next_look_at_backlogs_) return;
  next_look_at_backlogs_ = now_ + look_at_backlogs_every;
  std::vector<int> endless;
  for (const auto& [id, line] : lines_) {
    const auto found = backlogs_.find(line.descriptor);
    if (line.stage == Stage::up && found != backlogs_.end() && is_endless(found))
      endless.push_back(line.descriptor);
  }
  auto at = backlogs_.lower_bound(next_to_look_at_);
  for (size_t i = 0; i < std::min(strangers_a_look, backlogs_.size()); ++i, ++at) {
    if (at == backlogs_.end()) at = backlogs_.begin();
    if (line_with(at->first) == nullptr && is_endless(at)) endless.push_back(at->first);
  }
  next_to_look_at_ = at == backlogs_.end() ? 0 : at->first;
  for (const int descriptor : endless) cut_off(descriptor);
}

bool Switchboard::is_endless(std::map<int, Backlog>::iterator connection) {
  auto& [descriptor, backlog] = *connection;
  const std::optional<uint64_t> arrived = backlog.arrived();
  const bool member = line_with(descriptor) != nullptr;
  return arrived && backlog.look(*arrived, now_) > (member ? most_of_a_member : most_of_a_stranger);
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
