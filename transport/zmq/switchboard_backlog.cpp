// The backlogs of connections: ZeroMQ collects the frames of a message without a limit to their
// number, so senders of endless messages are disconnected here.
#include <sys/socket.h>

#include <set>

#include "transport/zmq/switchboard.hpp"

namespace shingle {

void Switchboard::look_at_backlogs() {
  if (!backlogs_.is_due(times_.now)) return;
  std::set<int> members;
  for (const auto& [id, line] : lines_)
    if (line.stage == Stage::up) members.insert(line.descriptor);
  look_for_losses();
  for (const int descriptor : backlogs_.endless(times_.now, members)) cut_off(descriptor);
}

void Switchboard::look_for_losses() {
  constexpr std::chrono::milliseconds every{200};
  if (times_.now < times_.next_losses) return;
  times_.next_losses = times_.now + every;
  for (const auto& [id, line] : lines_)
    if (line.stage == Stage::up)
      if (const auto packets = backlogs_.sent_again(line.descriptor))
        with_.presence.sent_again(id, *packets);
}

// ZeroMQ frees the frames of an unfinished message when its connection ends. It cannot itself end a
// connection that came in, so the system shuts the socket down; the descriptor is still its own.
void Switchboard::cut_off(int descriptor) {
  ::shutdown(descriptor, SHUT_RDWR);
  backlogs_.end(descriptor);
  ++with_.traffic.refused;
  if (Line* line = line_with(descriptor))
    return lose(*line, "it sent 64 MiB that make no whole message", false);
  note_stranger("A stranger was hung up on: it sent 1 MiB and has not greeted.");
}

}  // namespace shingle
