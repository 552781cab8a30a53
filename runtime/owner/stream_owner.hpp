// StreamOwner: what the owner of a stream of frames decides: which plan a frame takes, when a late
// frame is given up, when to plan anew, and when frames go over to other plans. Values in, values
// out: it knows no clock, waits for nobody and sends nothing. The client library, the simulation
// and the swarm use the same one.
//
//   frames   deal() -> the node captures the frame -> submitted() ... arrived()
//                                                        '-- give_up() ... arrived(): thrown away
//   plans    due() -> a search, elsewhere -> begin_change() -> to propose
//               ^                              on(ready ...) -> went_over -> to_withdraw()
//               '------------------------------ kept, or refused, or waited for too long
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "runtime/owner/frame_ledger.hpp"
#include "runtime/owner/replanner.hpp"

namespace shingle {

struct StreamRules {
  uint32_t open_frames = 2;  // under way at once
  // Of a frame that has none of its own, from submitted() on; below no_deadline / 2. None: as long
  // as it takes.
  std::optional<Duration> deadline{};
  Duration change_awaited = std::chrono::seconds(30);  // until all its plans are ready everywhere
};

class StreamOwner {
 public:
  using Loaded = Turns::Loaded;
  using News = FrameLedger::News;
  struct Change {
    Turns turns;
    std::optional<FoundRotation> found{};  // none: nobody searched for it
  };
  struct Begun {
    std::vector<Loaded> propose;
    bool went_over = false;  // at once: only shares have changed
  };
  struct Ended {
    Duration took{};    // from submitted() to the outputs, or to giving it up
    bool late = false;  // it missed its deadline
  };

  // Without a basis the rotation is kept, whatever happens. REQUIRES: the rotation is sound and
  // made for the model.
  StreamOwner(std::shared_ptr<const Model> model, Rotation rotation, const StreamRules& rules,
              std::optional<PlanBasis> basis = std::nullopt);

  // --- frames ---
  size_t pending() const { return ledger_.pending(); }
  bool has_room() const { return pending() < rules_.open_frames; }
  // False while frames that were given up take the room.
  bool may_submit() const { return ledger_.under_way() < rules_.open_frames; }
  const Loaded& deal() { return ledger_.deal(); }
  // `deadline`: its own, as in the rules. REQUIRES: may_submit().
  void submitted(const FrameKey& key, Loaded plan, Time now,
                 std::optional<Duration> deadline = std::nullopt);
  // When the oldest pending frame is given up. Frames end in order: one that is due before an older
  // one waits for its end. REQUIRES: pending() > 0.
  Time end_of_oldest() const;
  // A frame's outputs came. None: it had been given up. REQUIRES: it was submitted and not ended
  // yet; nodes deliver in order.
  std::optional<Ended> arrived(const FrameKey& key, Time at);
  // The oldest pending frame, if its deadline has passed.
  std::optional<Ended> give_up(Time now);

  // --- what the owner's node reports ---
  // An error ends the stream.
  Result<News> on(const Report& report);
  // REQUIRES: submitted, and the node has not closed it.
  const LoadedPlan& plan_of(uint64_t frame) const { return ledger_.plan_of(frame); }

  // --- plans ---
  const Turns& turns() const { return ledger_.turns(); }
  bool is_ready() const { return turns().all_ready(); }
  // Plans that no frame is dealt to any more. Each is named once.
  std::vector<PlanHash> to_withdraw() { return ledger_.unneeded(); }
  // Ends a change that has waited for too long: a home that is gone must not keep the others from
  // planning. Then a search that is due now, at most one at a time: it ends with kept() or
  // begin_change().
  std::optional<ReplanTask> due(Time now);
  void kept();
  Begun begin_change(Change next, Time now);
  bool changes() const { return ledger_.changes(); }
  void end_change();  // the plans in use are kept

  // By node of the basis' cluster: how many times its profile's time it took when last looked at.
  // Empty without a basis.
  std::vector<double> slowness() const;

 private:
  void went_over();

  const StreamRules rules_;
  FrameLedger ledger_;
  std::optional<Replanner> replanner_;
  std::optional<FoundRotation> found_;  // of the change under way
  Time changing_since_{};
};

}  // namespace shingle
