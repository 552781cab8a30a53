// Door: what a message must fulfil to be acted on. Whatever arrives late but was right when it was
// sent (a strip of a closed frame, a second copy) is let through and does no harm behind the door.
// What could never have been right is refused here.
#pragma once

#include "runtime/node/owner/own_frames.hpp"
#include "runtime/node/tiles/borrowing.hpp"

namespace shingle {

class Door {
 public:
  // REQUIRES: all outlive me.
  Door(const NodeConfig& config, const Peers& peers, const Plans& plans, const Loans& loans,
       const HomeFrames& homes, const Borrowing& borrowing, const OwnFrames& frames);

  // The error completes "a message that ...". REQUIRES: from a peer, and of its session unless it
  // is a Hello.
  Status check(const MessageReceived& event) const;

 private:
  struct Visitor;
  Status open(NodeId from, const FrameOpen& open) const;
  Status tile_report(NodeId from, const FrameKey& key, TileId tile) const;
  Status audit_result(const AuditResult& result) const;
  Status piece(NodeId from, const Piece& piece, int64_t payload_bytes) const;
  Status promised_piece(NodeId from, const Piece& piece, int64_t payload_bytes) const;
  Status promised_piece(const KnownPlan& plan, NodeId from, const Piece& piece,
                        int64_t payload_bytes) const;
  Status lent_input(NodeId from, const Piece& piece, int64_t payload_bytes) const;
  Status lent_output(NodeId from, const Piece& piece, int64_t payload_bytes) const;

  const NodeConfig& config_;
  const Peers& peers_;
  const Plans& plans_;
  const Loans& loans_;
  const HomeFrames& homes_;
  const Borrowing& borrowing_;
  const OwnFrames& frames_;
};

}  // namespace shingle
