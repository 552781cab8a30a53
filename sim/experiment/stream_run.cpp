#include "sim/experiment/stream_run.hpp"

#include <algorithm>

#include "runtime/protocol/trace.hpp"

namespace shingle::sim {

namespace {

constexpr Duration look_every = std::chrono::milliseconds(100);  // as the client library
constexpr Duration latest_begin = std::chrono::seconds(1);

StreamRules rules_of(const ExperimentSource& source) {
  return {.open_frames = source.open_frames, .deadline = source.deadline};
}

}  // namespace

std::string moment_text(Duration since_start) { return milliseconds(since_start / 1000) + " s"; }

StreamRun::StreamRun(const Experiment& experiment, size_t source, StreamPort port)
    : experiment_(experiment),
      index_(source),
      port_(std::move(port)),
      owner_(planned().model, planned().rotation, rules_of(this->source()), planned().basis) {}

void StreamRun::offer_plans() {
  for (const StreamOwner::Loaded& plan : owner_.turns().plans()) port_.propose(plan);
}

void StreamRun::begin(Time start, Time end, uint64_t seed) {
  period_ = {start, end};
  Time first = start;
  if (begins_by_chance(experiment_.file, index_))
    first += Duration(static_cast<int64_t>(Random(mix(seed, index_ + 1)).uniform() *
                                           in_nanoseconds(latest_begin)));
  if (is_back_to_back()) {
    free_at_.assign(source().open_frames, first);
    next_capture_ = first < end ? first : Time::max();
  }
  next_look_ = start;
  arrivals_.emplace(source().arrivals, mix(seed, index_ + 1), start);
}

void StreamRun::say(Time now, const std::string& sentence) {
  events_.push_back(moment_text(now - period_.start) + ": " + sentence);
}

void StreamRun::stop(Time now, const std::string& sentence) {
  if (stopped_) return;
  stopped_ = true;
  say(now, "the frames of node " + std::to_string(source().owner.value) + " end: " + sentence);
  for (const auto* list : {&open_, &waiting_})
    for (const size_t frame : *list) frames_[frame].outcome.fate = Fate::lost;
  open_.clear(), waiting_.clear();
}

Time StreamRun::due() const {
  if (stopped_ || !arrivals_) return Time::max();
  Time due = arrivals_->next() < period_.end ? arrivals_->next() : Time::max();
  due = std::min(due, next_capture_);
  if (!open_.empty() && source().deadline)
    due = std::min(due, owner_.end_of_oldest() + Duration(1));
  if (search_) due = std::min(due, search_->ends);
  if (planned().basis && !is_over()) due = std::min(due, next_look_);
  return due;
}

size_t StreamRun::new_frame(Time now) {
  frames_.push_back({.outcome = {.source = index_, .captured = now}});
  return frames_.size() - 1;
}

void StreamRun::arrive(Time now) {
  while (arrivals_->next() <= now && arrivals_->next() < period_.end) {
    waiting_.push_back(new_frame(arrivals_->next()));
    arrivals_->take();
    // Those for which there is room do not wait.
    const size_t room = source().open_frames - std::min<size_t>(source().open_frames, open_.size());
    if (waiting_.size() <= source().waiting_frames + room) continue;
    const auto dropped = source().drops_oldest ? waiting_.begin() : waiting_.end() - 1;
    frames_[*dropped].outcome.fate = Fate::dropped;
    waiting_.erase(dropped);
  }
}

void StreamRun::act(Time now) {
  if (stopped_ || !arrivals_) return;
  give_up(now);
  look_for_other_plans(now);
  arrive(now);
  if (is_back_to_back()) return capture_again(now);
  while (!stopped_ && owner_.may_submit() && !waiting_.empty()) submit(now);
}

// An open frame's place becomes free when the gap after its end is over.
void StreamRun::capture_again(Time now) {
  while (!free_at_.empty() && free_at_.front() <= now && now < period_.end && !stopped_ &&
         owner_.may_submit()) {
    free_at_.pop_front();
    waiting_.push_back(new_frame(now));
    submit(now);
  }
  const bool waits = !free_at_.empty() && free_at_.front() > now && free_at_.front() < period_.end;
  next_capture_ = waits ? free_at_.front() : Time::max();
}

void StreamRun::submit(Time now) {
  const size_t place = waiting_.front();
  waiting_.pop_front();
  const StreamOwner::Loaded plan = owner_.deal();
  const auto key =
      port_.capture(plan, source().deadline.value_or(no_deadline), frames_[place].outcome.captured);
  if (!key) {
    frames_[place].outcome.fate = Fate::lost;
    if (is_back_to_back()) stop(now, "it does not answer");
    return;
  }
  owner_.submitted(*key, plan, now);
  frames_[place].key = *key;
  submitted_[*key] = place;
  open_.push_back(place);
}

void StreamRun::give_up(Time now) {
  while (!open_.empty() && owner_.pending() > 0) {
    const auto ended = owner_.give_up(now);
    if (!ended) return;
    FrameOutcome& outcome = frames_[open_.front()].outcome;
    outcome.fate = Fate::late;
    outcome.latency = now - outcome.captured;
    open_.pop_front();
    free_at_.push_back(now + experiment_.surroundings.frame_gap);
  }
}

void StreamRun::hear(const Report& report, Time now) {
  if (stopped_) return;
  if (report.kind == Report::Kind::peer_lost && arrivals_)
    say(now, "node " + std::to_string(owner().value) + " has lost node " +
                 std::to_string(report.node.value));
  if (report.kind == Report::Kind::peer_joined && arrivals_)
    say(now, "node " + std::to_string(report.node.value) + " is back");
  FrameKey key = report.key;
  key.attempt = 0;
  const bool of_frame = report.key != FrameKey{};
  const auto known = submitted_.find(key);
  if (of_frame && known == submitted_.end()) return;
  const auto news = owner_.on(report);
  if (!news) return stop(now, news.error());
  if (*news == StreamOwner::News::went_over) went_over(now);
  if (report.kind != Report::Kind::frame_closed) return;
  const size_t place = known->second;
  submitted_.erase(known);
  const auto ended = owner_.arrived(key, now);
  if (!ended) return;  // it had been given up
  std::erase(open_, place);
  free_at_.push_back(now + experiment_.surroundings.frame_gap);
  FrameOutcome& outcome = frames_[place].outcome;
  outcome.fate = ended->late ? Fate::late : Fate::delivered;
  outcome.latency = now - outcome.captured;
}

void StreamRun::went_over(Time now) {
  ++counts_.switches;
  if (planned().basis)
    say(now, "node " + std::to_string(source().owner.value) + " uses other plans");
}

void StreamRun::look_for_other_plans(Time now) {
  for (const PlanHash& plan : owner_.to_withdraw()) port_.withdraw(plan);
  if (search_ && search_->ends <= now) {
    std::optional<StreamOwner::Change> found = std::move(search_->found);
    search_.reset();
    if (found) {
      const StreamOwner::Begun begun = owner_.begin_change(std::move(*found), now);
      for (const StreamOwner::Loaded& plan : begun.propose) port_.propose(plan);
      if (begun.went_over) went_over(now);
    } else {
      owner_.kept();
    }
  }
  if (!planned().basis || now < next_look_) return;
  next_look_ = now + look_every;
  if (!search_) search(now);
}

void StreamRun::search(Time now) {
  const auto task = owner_.due(now);
  if (!task) return;
  ++counts_.searches;
  search_.emplace(Search{.ends = now + experiment_.file.policy.planning, .found = std::nullopt});
  if (auto found = plan_anew(*planned().model, *task)) {
    Turns turns(*planned().model, found->rotation);
    search_->found = StreamOwner::Change{std::move(turns), std::move(found)};
  }
}

}  // namespace shingle::sim
