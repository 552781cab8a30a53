#include "runtime/owner/stream_owner.hpp"

#include <cassert>
#include <utility>

namespace shingle {

StreamOwner::StreamOwner(std::shared_ptr<const Model> model, Rotation rotation,
                         const StreamRules& rules, std::optional<PlanBasis> basis)
    : rules_(rules), ledger_(*model, std::move(rotation)) {
  if (basis) replanner_.emplace(std::move(model), std::move(*basis));
}

void StreamOwner::submitted(const FrameKey& key, Loaded plan, Time now,
                            std::optional<Duration> deadline) {
  assert(may_submit());
  if (!deadline) deadline = rules_.deadline;
  ledger_.submitted({.key = key, .since = now, .end = deadline ? now + *deadline : Time::max()},
                    std::move(plan));
}

Time StreamOwner::end_of_oldest() const {
  assert(pending() > 0);
  return ledger_.oldest().end;
}

std::optional<StreamOwner::Ended> StreamOwner::arrived(const FrameKey& key, Time at) {
  if (!ledger_.arrived(key)) return std::nullopt;
  const bool late = at > end_of_oldest();
  return Ended{.took = at - ledger_.delivered().since, .late = late};
}

std::optional<StreamOwner::Ended> StreamOwner::give_up(Time now) {
  if (pending() == 0 || now <= end_of_oldest()) return std::nullopt;
  return Ended{.took = now - ledger_.give_up().since, .late = true};
}

Result<StreamOwner::News> StreamOwner::on(const Report& report) {
  if (replanner_ && report.kind == Report::Kind::tile_done)
    replanner_->tile_done(plan_of(report.key.frame), report);
  if (replanner_ && report.kind == Report::Kind::frame_closed) replanner_->frame_done(report.key);
  auto news = ledger_.on(report);
  if (!news) return news;
  if (*news == News::went_over) went_over();
  if (*news == News::change_refused) kept();
  return news;
}

std::optional<ReplanTask> StreamOwner::due(Time now) {
  if (changes() && now - changing_since_ > rules_.change_awaited) end_change();
  return replanner_ && !changes() ? replanner_->due(now) : std::nullopt;
}

void StreamOwner::kept() {
  found_.reset();
  if (replanner_) replanner_->kept();
}

StreamOwner::Begun StreamOwner::begin_change(Change next, Time now) {
  changing_since_ = now;
  found_ = std::move(next.found);
  Begun begun{.propose = ledger_.begin_change(std::move(next.turns))};
  begun.went_over = ledger_.go_over();
  if (begun.went_over) went_over();
  return begun;
}

void StreamOwner::end_change() {
  ledger_.end_change();
  kept();
}

void StreamOwner::went_over() {
  if (replanner_ && found_) replanner_->switched(*found_);
  found_.reset();
}

std::vector<double> StreamOwner::slowness() const {
  return replanner_ ? replanner_->slowness() : std::vector<double>{};
}

}  // namespace shingle
