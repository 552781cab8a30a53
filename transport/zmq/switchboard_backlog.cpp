// The backlogs of connections: ZeroMQ collects the frames of a message without a limit to their
// number, so senders of endless messages are disconnected here.
#include <sys/socket.h>

#include <algorithm>

#include "transport/zmq/switchboard.hpp"

namespace shingle {

namespace {

constexpr std::chrono::milliseconds look_at_backlogs_every{20};
constexpr uint64_t most_of_a_member = 64 << 20;
// A stranger may send a greeting only.
constexpr uint64_t most_of_a_stranger = 1 << 20;
// One look examines at most so many strangers, so thousands of them do not slow the members down.
// 1,000 strangers are all examined within 0.4 s.
constexpr size_t strangers_a_look = 64;

}  // namespace

void Switchboard::watch_backlog(int descriptor) {
  backlogs_.erase(descriptor);
  backlogs_.emplace(descriptor, Backlog(descriptor));
}

// Examines all members and the next strangers.
void Switchboard::look_at_backlogs() {
  if (now_ < next_look_at_backlogs_) return;
  next_look_at_backlogs_ = now_ + look_at_backlogs_every;
  std::vector<int> endless;
  const auto examine = [&](int descriptor, Backlog& backlog, uint64_t most) {
    const std::optional<uint64_t> arrived = backlog.arrived();
    if (arrived && backlog.look(*arrived, now_) > most) endless.push_back(descriptor);
  };
  for (const auto& [id, line] : lines_)
    if (const auto found = backlogs_.find(line.descriptor);
        line.stage == Stage::up && found != backlogs_.end())
      examine(found->first, found->second, most_of_a_member);
  auto next = backlogs_.lower_bound(next_stranger_);
  for (size_t i = 0; i < std::min(strangers_a_look, backlogs_.size()); ++i, ++next) {
    if (next == backlogs_.end()) next = backlogs_.begin();
    if (line_with(next->first) == nullptr) examine(next->first, next->second, most_of_a_stranger);
  }
  next_stranger_ = next == backlogs_.end() ? 0 : next->first;
  for (const int descriptor : endless) cut_off(descriptor);
}

// ZeroMQ frees the frames of an unfinished message when its connection ends. It cannot itself end a
// connection that came in, so the system shuts the socket down; the descriptor is still its own.
void Switchboard::cut_off(int descriptor) {
  ::shutdown(descriptor, SHUT_RDWR);
  backlogs_.erase(descriptor);
  ++traffic_.refused;
  if (Line* line = line_with(descriptor))
    return lose(*line, "it sent 64 MiB that make no whole message", false);
  note_stranger("A stranger was hung up on: it sent 1 MiB and has not greeted.");
}

}  // namespace shingle
