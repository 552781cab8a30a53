#include "apps/client/stream_router.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

StreamRouter::StreamId StreamRouter::add() {
  streams_.insert(next_);
  return next_++;
}

std::vector<PlanHash> StreamRouter::remove(StreamId stream) {
  std::vector<PlanHash> unneeded;
  for (auto& [plan, proposal] : proposals_)
    if (proposal.streams.erase(stream) > 0 && proposal.streams.empty()) unneeded.push_back(plan);
  for (const PlanHash& plan : unneeded) proposals_.erase(plan);
  streams_.erase(stream);
  return unneeded;
}

StreamRouter::Asked StreamRouter::propose(StreamId stream, const PlanHash& plan) {
  assert(streams_.contains(stream));
  Proposal& proposal = proposals_[plan];
  const bool by_others =
      std::ranges::any_of(proposal.streams, [stream](StreamId each) { return each != stream; });
  proposal.streams.insert(stream);
  if (proposal.ready) return Asked::and_ready;
  if (by_others && !proposal.refused) return Asked::before;
  proposal.refused = false;
  return Asked::now;
}

bool StreamRouter::withdraw(StreamId stream, const PlanHash& plan) {
  const auto place = proposals_.find(plan);
  if (place == proposals_.end() || place->second.streams.erase(stream) == 0) return false;
  if (!place->second.streams.empty()) return false;
  proposals_.erase(place);
  return true;
}

void StreamRouter::submitted(StreamId stream, uint64_t frame) {
  assert(streams_.contains(stream));
  const bool is_new = frames_.emplace(frame, stream).second;
  assert(is_new);  // the node numbers frames of all streams together
  static_cast<void>(is_new);
}

std::optional<StreamRouter::StreamId> StreamRouter::stream_of(uint64_t frame) const {
  const auto place = frames_.find(frame);
  if (place == frames_.end() || !streams_.contains(place->second)) return std::nullopt;
  return place->second;
}

size_t StreamRouter::left_frames() const {
  return static_cast<size_t>(std::ranges::count_if(
      frames_, [this](const auto& entry) { return !streams_.contains(entry.second); }));
}

std::vector<StreamRouter::StreamId> StreamRouter::of_plan(const Report& report) {
  const auto place = proposals_.find(report.plan);
  if (place == proposals_.end()) return {};
  place->second.ready = report.kind == Report::Kind::plan_ready;
  place->second.refused = report.kind == Report::Kind::plan_refused;
  return {place->second.streams.begin(), place->second.streams.end()};
}

std::vector<StreamRouter::StreamId> StreamRouter::of_frame(const Report& report) {
  const auto stream = stream_of(report.key.frame);
  const bool ends = report.kind == Report::Kind::frame_closed || facts_of(report.kind).ends_frame;
  if (ends) frames_.erase(report.key.frame);
  return stream ? std::vector{*stream} : std::vector<StreamId>{};
}

std::vector<NodeId> StreamRouter::lost() const { return {lost_.begin(), lost_.end()}; }

std::vector<StreamRouter::StreamId> StreamRouter::on(const Report& report) {
  switch (report.kind) {
    case Report::Kind::plan_ready:
    case Report::Kind::plan_refused:
    case Report::Kind::plan_impaired:
      return of_plan(report);
    case Report::Kind::frame_dropped:
    case Report::Kind::frame_aborted:
    case Report::Kind::frame_reissued:
    case Report::Kind::frame_closed:
    case Report::Kind::tile_done:
    case Report::Kind::tile_lent:
      return of_frame(report);
    case Report::Kind::peer_joined:
      joined_.insert(report.node);
      lost_.erase(report.node);
      return all();
    case Report::Kind::peer_lost:
      if (joined_.erase(report.node) > 0) lost_.insert(report.node);
      return all();
    case Report::Kind::message_refused:
    case Report::Kind::node_distrusted:
    case Report::Kind::weights_damaged:
    case Report::Kind::weights_packed:
      return all();
  }
  return {};
}

}  // namespace shingle
