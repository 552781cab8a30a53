#include "tests/swarm/staged_stream.hpp"

namespace shingle::swarm {

StagedStream::StagedStream(Stage& stage, Driver& driver, const StreamSpec& spec, Sees sees)
    : stage_(stage),
      driver_(driver),
      spec_(spec),
      sees_(std::move(sees)),
      owner_(spec.model, spec.rotations.front(),
             {.open_frames = spec.open_frames, .deadline = spec.deadline}),
      next_change_(stage.now() + spec.between_changes) {
  propose(owner_.turns().plans());
}

void StagedStream::propose(const std::vector<StreamOwner::Loaded>& plans) {
  for (const StreamOwner::Loaded& plan : plans) driver_.propose(plan->hash, plan->plan);
}

void StagedStream::end(const std::string& why) {
  if (!std::exchange(ended_, true)) sees_.ended(why);
}

void StagedStream::act() {
  while (!ended_ && !events_.empty()) {
    const auto event = std::move(events_.front());
    events_.pop_front();
    std::visit([this](const auto& each) { on(each); }, event);
  }
  if (ended_) return;
  for (const PlanHash& plan : owner_.to_withdraw()) driver_.withdraw(plan);
  begun_ = begun_ || owner_.is_ready();
  if (!begun_) return;
  give_up_the_late();
  change();
  submit();
}

void StagedStream::on(const Report& report) {
  const auto news = owner_.on(report);
  if (!news) return end(news.error());
  switches_ += *news == StreamOwner::News::went_over ? 1 : 0;
}

void StagedStream::on(const FrameKey& key) { owner_.arrived(key, stage_.now()); }

void StagedStream::give_up_the_late() {
  while (owner_.give_up(stage_.now())) {
  }
}

void StagedStream::change() {
  if (stage_.now() < next_change_ || stage_.now() >= spec_.end) return;
  next_change_ = stage_.now() + spec_.between_changes;
  if (owner_.changes()) owner_.end_change();  // a home that is gone must not keep it for ever
  if (spec_.rotations.size() < 2) return;
  Turns next(*spec_.model, spec_.rotations[++changes_ % spec_.rotations.size()]);
  const auto begun = owner_.begin_change({std::move(next)}, stage_.now());
  propose(begun.propose);
  switches_ += begun.went_over ? 1 : 0;
}

void StagedStream::submit() {
  if (stage_.now() < next_frame_ || stage_.now() >= spec_.end) return;
  if (!owner_.may_submit()) return;
  const StreamOwner::Loaded plan = owner_.deal();
  const uint64_t number = submitted_ + 1;
  const auto key = driver_.submit(plan->hash, spec_.pictures[number % spec_.pictures.size()],
                                  spec_.deadline.value_or(no_deadline));
  if (!key) return;
  submitted_ = key->frame;
  owner_.submitted(*key, plan, stage_.now());
  sees_.submitted(*key);
  next_frame_ = stage_.now() + spec_.between_frames;
}

}  // namespace shingle::swarm
