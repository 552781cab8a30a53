#include "tests/swarm/stream_owner.hpp"

namespace shingle::swarm {

StreamOwner::StreamOwner(Stage& stage, Driver& driver, const StreamWish& wish, Sees sees)
    : stage_(stage),
      driver_(driver),
      wish_(wish),
      sees_(std::move(sees)),
      ledger_(*wish.model, wish.rotations.front()),
      next_change_(stage.now() + wish.between_changes) {
  offer(ledger_.turns().plans());
}

void StreamOwner::offer(const std::vector<FrameLedger::Loaded>& plans) {
  for (const FrameLedger::Loaded& plan : plans)
    driver_.propose(plan->hash, plan->plan.model, print(plan->plan));
}

void StreamOwner::end(const std::string& why) {
  if (!std::exchange(ended_, true)) sees_.ended(why);
}

void StreamOwner::act() {
  while (!ended_ && !heard_.empty()) {
    const auto heard = std::move(heard_.front());
    heard_.pop_front();
    std::visit([this](const auto& each) { hear(each); }, heard);
  }
  if (ended_) return;
  for (const PlanHash& plan : ledger_.unneeded()) driver_.withdraw(plan);
  begun_ = begun_ || ledger_.turns().all_ready();
  if (!begun_) return;
  give_up_the_late();
  change();
  submit();
}

void StreamOwner::hear(const Report& report) {
  const auto news = ledger_.hear(report);
  if (!news) return end(news.error());
  switches_ += *news == FrameLedger::News::went_over ? 1 : 0;
}

void StreamOwner::hear(const FrameKey& key) {
  if (ledger_.arrived(key)) ledger_.delivered();
}

void StreamOwner::give_up_the_late() {
  while (wish_.deadline && ledger_.pending() > 0 &&
         stage_.now() > ledger_.oldest().since + *wish_.deadline)
    ledger_.give_up();
}

void StreamOwner::change() {
  if (stage_.now() < next_change_ || stage_.now() >= wish_.end) return;
  next_change_ = stage_.now() + wish_.between_changes;
  if (ledger_.changes()) ledger_.end_change();  // a home that is gone must not keep it for ever
  if (wish_.rotations.size() < 2) return;
  offer(ledger_.begin_change(
      Turns(*wish_.model, wish_.rotations[++changes_ % wish_.rotations.size()])));
  switches_ += ledger_.go_over() ? 1 : 0;
}

void StreamOwner::submit() {
  if (stage_.now() < next_frame_ || stage_.now() >= wish_.end) return;
  if (ledger_.under_way() >= wish_.open_frames) return;
  const FrameLedger::Loaded plan = ledger_.deal();
  const uint64_t number = submitted_ + 1;
  const auto key = driver_.submit(plan->hash, wish_.pictures[number % wish_.pictures.size()],
                                  wish_.deadline.value_or(no_deadline));
  if (!key) return;
  submitted_ = key->frame;
  ledger_.submitted(*key, plan, stage_.now());
  sees_.submitted(*key);
  next_frame_ = stage_.now() + wish_.between_frames;
}

}  // namespace shingle::swarm
