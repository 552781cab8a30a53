// The home's side of audits: it asks an auditor to compute a tile once more, and sends it the
// tile's windows. own_frame_audits.cpp explains audits as a whole.
#include <algorithm>
#include <cassert>

#include "runtime/node/tiles/home_frames.hpp"

namespace shingle {

bool HomeFrames::request_audit(const FrameKey& key, HomeFrame& frame, TileId tile,
                               NodeId computer) {
  HomeAudit* audit = find_in(frame.audits, tile);
  if (audit == nullptr) return false;
  if (audit->asked) return true;
  const std::optional<NodeId> auditor = auditor_beside(*audit, computer);
  if (!auditor) {
    give_audit_up(key, frame, tile);
    return false;
  }
  audit->asked = auditor;
  const LoadedPlan& plan = *frame.plan->loaded;
  effects_.send(*auditor, AuditRequest{{key, plan.hash, tile, 0, true}});
  uint32_t index = 0;
  for (const LentPart& part : lent_parts(plan, frame.plan->tiles[tile.value]->inputs)) {
    const CanvasKey source{.frame = key, .place = Place::home, .tensor = part.tensor, .tile = {}};
    ++frame.users[static_cast<size_t>(frame.plan->canvas_of_tensor[part.tensor.value])];
    effects_.transfer(*auditor, {.urgency = urgency(key, frame, tile),
                                 .piece = {.key = key,
                                           .plan = prefix64(plan.hash),
                                           .role = Piece::Role::audit_input,
                                           .tile = tile,
                                           .attempt = 0,
                                           .index = index++},
                                 .source = source,
                                 .region = part.region,
                                 .bytes = part.bytes});
  }
  return true;
}

std::optional<NodeId> HomeFrames::auditor_beside(const HomeAudit& audit, NodeId computer) const {
  const auto is_there = [&](NodeId auditor) {
    return auditor != computer && peers_.is_joined(auditor);
  };
  const auto first = std::find_if(audit.auditors.begin(), audit.auditors.end(), is_there);
  return first == audit.auditors.end() ? std::nullopt : std::optional(*first);
}

bool HomeFrames::leaves_an_auditor(const HomeFrame& frame, TileId tile, NodeId thief) const {
  const HomeAudit* audit = find_in(frame.audits, tile);
  if (audit == nullptr) return true;
  if (audit->asked) return audit->asked != thief;
  return auditor_beside(*audit, thief).has_value();
}

void HomeFrames::give_audit_up(const FrameKey& key, HomeFrame& frame, TileId tile) {
  assert(tile.value < frame.tiles.size());
  frame.audits.erase(tile);
  effects_.send(key.owner,
                AuditResult{key, frame.plan->hash(), tile, frame.tiles[tile.value].attempt, {}});
}

void HomeFrames::lost_auditor(NodeId auditor) {
  for (auto& [key, frame] : frames_) {
    if (frame.closed) continue;
    std::vector<TileId> unheard;
    for (const auto& [tile, audit] : frame.audits)
      if (audit.asked == auditor) unheard.push_back(tile);
    for (const TileId tile : unheard) give_audit_up(key, frame, tile);
  }
}

// The frame is closed: whoever was asked need not go on.
void HomeFrames::void_audits(const FrameKey& key, const HomeFrame& frame) {
  std::set<NodeId> asked;
  for (const auto& [tile, audit] : frame.audits)
    if (audit.asked) asked.insert(*audit.asked);
  for (const NodeId auditor : asked) effects_.send(auditor, FrameClosed{key, true});
}

}  // namespace shingle
