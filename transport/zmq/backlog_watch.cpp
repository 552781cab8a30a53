#include "transport/zmq/backlog_watch.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

namespace {

constexpr std::chrono::milliseconds look_every{20};
constexpr uint64_t most_of_a_member = 64 << 20;
constexpr uint64_t most_of_a_stranger = 1 << 20;  // a stranger may send a greeting only
// In each look; 1,000 strangers are all examined within 0.4 s.
constexpr size_t strangers_a_look = 64;

bool exceeds(Backlog& backlog, uint64_t most, Backlog::Instant now) {
  const std::optional<uint64_t> arrived = backlog.arrived();
  return arrived && backlog.look(*arrived, now) > most;
}

}  // namespace

void BacklogWatch::begin(int descriptor) {
  backlogs_.erase(descriptor);
  backlogs_.emplace(descriptor, Backlog(descriptor));
}

void BacklogWatch::end(int descriptor) { backlogs_.erase(descriptor); }

void BacklogWatch::hand_over(int descriptor, uint64_t bytes) {
  const auto backlog = backlogs_.find(descriptor);
  if (backlog != backlogs_.end()) backlog->second.hand_over(bytes);
}

std::optional<uint64_t> BacklogWatch::sent_again(int descriptor) const {
  const auto backlog = backlogs_.find(descriptor);
  return backlog == backlogs_.end() ? std::nullopt : backlog->second.sent_again();
}

std::vector<int> BacklogWatch::endless(Instant now, const std::set<int>& members) {
  assert(is_due(now));
  std::vector<int> found;
  next_look_ = now + look_every;
  for (const int descriptor : members) {
    const auto backlog = backlogs_.find(descriptor);
    if (backlog != backlogs_.end() && exceeds(backlog->second, most_of_a_member, now))
      found.push_back(descriptor);
  }
  auto next = backlogs_.lower_bound(next_stranger_);
  for (size_t i = 0; i < std::min(strangers_a_look, backlogs_.size()); ++i, ++next) {
    if (next == backlogs_.end()) next = backlogs_.begin();
    if (!members.contains(next->first) && exceeds(next->second, most_of_a_stranger, now))
      found.push_back(next->first);
  }
  next_stranger_ = next == backlogs_.end() ? 0 : next->first;
  return found;
}

}  // namespace shingle
