// FrameLedger: what the owner of a stream of frames remembers: the plans that frames take in turn,
// those that it is about to go over to, and the frames under way. It knows no clock, waits for
// nobody and sends nothing: StreamOwner hands it what its node reports.
//
//   deal() -> the driver's submit() -> submitted() ... arrived() -> delivered()
//                                                 '-- give_up() ... arrived(): thrown away
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/owner/turns.hpp"

namespace shingle {

class FrameLedger {
 public:
  using Loaded = Turns::Loaded;
  struct Pending {
    FrameKey key;
    Time since, end;  // after which it is late
  };

  // REQUIRES: sound, made for `model`.
  FrameLedger(const Model& model, Rotation rotation) : turns_(model, std::move(rotation)) {}

  // --- plans ---
  const Turns& turns() const { return turns_; }
  // Those of a rotation that is to come, which are to be offered to the nodes now: all but those
  // that are in use. What is known would be asked for again, and frames would wait for the answers.
  std::vector<Loaded> begin_change(Turns next);
  bool changes() const { return next_.has_value(); }
  void end_change();  // those in use are kept
  // Goes over, between two frames, if all that is to come is ready.
  bool go_over();
  // To be withdrawn now: nothing more is dealt by them. Each is named once.
  std::vector<PlanHash> unneeded() { return std::exchange(unneeded_, {}); }

  // --- frames ---
  const Loaded& deal() { return turns_.next(); }  // whose turn it is
  void submitted(const Pending& frame, Loaded plan);
  size_t pending() const { return pending_.size(); }
  size_t under_way() const { return pending_.size() + given_up_.size(); }
  const Pending& oldest() const { return pending_.front(); }  // REQUIRES: pending() > 0
  // Its outputs came. True: it is the oldest pending one. False: it had been given up. REQUIRES:
  // one of the two; nodes deliver in order.
  bool arrived(const FrameKey& key);
  Pending delivered();  // the oldest pending one, which has arrived
  Pending give_up();    // the oldest pending one; what still comes of it is thrown away
  // REQUIRES: submitted, and the node has not closed it.
  const LoadedPlan& plan_of(uint64_t frame) const { return *plans_.at(frame); }

  // --- what the node reports ---
  enum class News : uint8_t { none, went_over, change_refused };
  // An error ends the stream.
  Result<News> on(const Report& report);

 private:
  Result<News> refused(const Report& report);
  void leave(const Turns& left, const Turns& kept);

  Turns turns_;
  std::optional<Turns> next_;  // proposed, but not all ready yet
  std::vector<PlanHash> unneeded_;
  std::map<uint64_t, Loaded> plans_;  // by frame that is under way
  std::deque<Pending> pending_;
  std::deque<FrameKey> given_up_;  // still under way; all older than those pending
};

}  // namespace shingle
