#include "runtime/owner/frame_ledger.hpp"

#include <cassert>
#include <utility>

namespace shingle {

std::vector<FrameLedger::Loaded> FrameLedger::begin_change(Turns next) {
  next_ = std::move(next);
  next_->take_over(turns_);
  std::vector<Loaded> offered;
  for (const Loaded& plan : next_->plans()) {
    std::erase(unneeded_, plan->hash);  // of a change that has just ended: it is not withdrawn
    if (!turns_.has(plan->hash)) offered.push_back(plan);
  }
  return offered;
}

bool FrameLedger::go_over() {
  if (!next_ || !next_->all_ready()) return false;
  const Turns left = std::exchange(turns_, std::move(*next_));
  next_.reset();
  leave(left, turns_);
  return true;
}

void FrameLedger::end_change() {
  if (!next_) return;
  leave(*next_, turns_);
  next_.reset();
}

void FrameLedger::leave(const Turns& left, const Turns& kept) {
  for (const Loaded& plan : left.plans())
    if (!kept.has(plan->hash)) unneeded_.push_back(plan->hash);
}

void FrameLedger::submitted(const Pending& frame, Loaded plan) {
  pending_.push_back(frame);
  plans_.emplace(frame.key.frame, std::move(plan));
}

bool FrameLedger::arrived(const FrameKey& key) {
  if (given_up_.empty()) {
    assert(!pending_.empty() && key == pending_.front().key);
    return true;
  }
  assert(key == given_up_.front());
  given_up_.pop_front();
  return false;
}

FrameLedger::Pending FrameLedger::delivered() {
  const Pending frame = pending_.front();
  pending_.pop_front();
  return frame;
}

FrameLedger::Pending FrameLedger::give_up() {
  const Pending frame = delivered();
  given_up_.push_back(frame.key);
  return frame;
}

Result<FrameLedger::News> FrameLedger::on(const Report& report) {
  switch (report.kind) {
    case Report::Kind::plan_ready:
    case Report::Kind::plan_impaired:
      turns_.say_ready(report.plan, report.kind == Report::Kind::plan_ready);
      if (next_) next_->say_ready(report.plan, report.kind == Report::Kind::plan_ready);
      return go_over() ? News::went_over : News::none;
    case Report::Kind::plan_refused:
      return refused(report);
    case Report::Kind::frame_closed:
      plans_.erase(report.key.frame);
      return News::none;
    case Report::Kind::frame_dropped:
    case Report::Kind::frame_aborted:
      return Error{report.sentence};
    case Report::Kind::tile_done:
    case Report::Kind::peer_joined:
    case Report::Kind::peer_lost:
    case Report::Kind::node_distrusted:
    case Report::Kind::weights_damaged:
    case Report::Kind::weights_packed:
    case Report::Kind::frame_reissued:
    case Report::Kind::tile_lent:
    case Report::Kind::message_refused:
      return News::none;
  }
  return News::none;
}

// What was refused of late concerns the stream only if frames are to be computed by it.
Result<FrameLedger::News> FrameLedger::refused(const Report& report) {
  const bool ends_change = next_ && next_->has(report.plan);
  if (ends_change) end_change();
  if (turns_.has(report.plan)) return Error{report.sentence};
  return ends_change ? News::change_refused : News::none;
}

}  // namespace shingle
