#include "apps/client/frame_stream.hpp"

#include <algorithm>
#include <cassert>
#include <thread>

#include "apps/client/stream_sentences.hpp"

namespace shingle {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds look_up_every{100};

}  // namespace

int32_t most_on_one_plan(const Rotation& rotation, uint32_t open_frames) {
  int32_t round = 0, most = 0;
  for (const Turn& turn : rotation) round += turn.share, most = std::max(most, turn.share);
  const auto open = static_cast<int32_t>(open_frames);
  return std::min(open, (open / round + 1) * most);
}

FrameStream::FrameStream(std::unique_ptr<StreamSession> own, StreamSession& session,
                         StreamOptions options)
    : own_(std::move(own)),
      session_(session),
      options_(std::move(options)),
      owner_(options_.model, options_.rotation,
             {.open_frames = options_.open_frames,
              .deadline = options_.deadline,
              .change_awaited = options_.start_patience},
             options_.basis),
      search_(options_.model),
      tally_(homes(options_.rotation)) {}

FrameStream::~FrameStream() {
  if (id_) session_.leave(*id_);
}

Result<std::unique_ptr<FrameStream>> FrameStream::open(StreamSession& session,
                                                       StreamOptions options) {
  return ready(std::unique_ptr<FrameStream>(new FrameStream(nullptr, session, std::move(options))));
}

Result<std::unique_ptr<FrameStream>> FrameStream::open(FrameStreamOptions options) {
  options.member.open_frames = options.stream.open_frames;
  options.member.frames_on_one_plan =
      most_on_one_plan(options.stream.rotation, options.stream.open_frames);
  auto started = StreamSession::start(std::move(options.member));
  if (!started) return started.failure();
  StreamSession& session = **started;
  return ready(std::unique_ptr<FrameStream>(
      new FrameStream(std::move(*started), session, std::move(options.stream))));
}

Result<std::unique_ptr<FrameStream>> FrameStream::ready(std::unique_ptr<FrameStream> stream) {
  if (const Status begun = stream->begin(); !begun) return begun.failure();
  return stream;
}

Status FrameStream::begin() {
  const auto joined = session_.join(options_.model, options_.open_frames, events_);
  if (!joined) return Error{labelled(joined.error())};
  id_ = *joined;
  propose(owner_.turns().plans());
  return wait_until_ready();
}

void FrameStream::propose(const std::vector<StreamOwner::Loaded>& plans) {
  for (const StreamOwner::Loaded& plan : plans) session_.propose(*id_, *plan);
}

Status FrameStream::wait_until_ready() {
  const Time deadline = clock_.now() + options_.start_patience;
  while (!owner_.is_ready()) {
    if (options_.trouble)
      if (const auto sentence = options_.trouble()) return Error{*sentence};
    if (clock_.now() > deadline)
      return Error{labelled(missing_homes({.cluster = session_.cluster(),
                                           .self = session_.session().id(),
                                           .homes = homes(options_.rotation),
                                           .joined = joined_,
                                           .patience = options_.start_patience}))};
    const auto event = events_.wait(std::min(deadline, clock_.now() + look_up_every));
    if (!event) continue;
    if (const Status taken = take(std::get<Report>(*event)); !taken)
      return Error{labelled(taken.error()), taken.failure().kind};
  }
  return success();
}

Status FrameStream::submit(FrameInputs inputs, std::optional<Duration> deadline) {
  assert(has_room());
  if (const Status heard = hear(); !heard) return heard;
  last_event_ = clock_.now();
  while (!may_submit())
    if (const Status waited = wait_for_room(look_up_every); !waited) return waited;
  if (!deadline) deadline = options_.deadline;
  const Time now = clock_.now();
  const StreamOwner::Loaded plan = owner_.deal();
  const auto key =
      session_.submit(*id_, plan->hash, std::move(inputs), deadline.value_or(no_deadline));
  if (!key) return Error{labelled("the node takes no more frames")};
  owner_.submitted(*key, plan, now, deadline);
  planned_wire_bytes_ += wire_bytes(plan->routes);
  return success();
}

// Frames that were given up are older than all that are pending: they arrive before those.
Status FrameStream::wait_for_room(Duration longest) {
  assert(has_room());
  const Time end = clock_.now() + longest;
  while (!may_submit() && clock_.now() < end)
    if (const auto looked = look(end); !looked) return looked.failure();
  return success();
}

Result<DeliveredFrame> FrameStream::next() {
  assert(pending() > 0);
  last_event_ = clock_.now();
  const Time end = owner_.end_of_oldest();
  while (true) {
    auto arrived = look(end);
    if (!arrived) return arrived.failure();
    if (*arrived) return std::move(**arrived);
    if (auto late = give_up()) return std::move(*late);
  }
}

Result<std::optional<DeliveredFrame>> FrameStream::poll(Duration longest) {
  assert(pending() > 0);
  const Time end = std::min(clock_.now() + longest, owner_.end_of_oldest());
  do {
    auto arrived = look(end);
    if (!arrived || *arrived) return arrived;
  } while (clock_.now() < end || !events_.empty());
  return give_up();
}

Status FrameStream::hear() {
  look_for_other_plans();
  while (pending() == 0 || events_.has_report_next()) {
    auto event = events_.wait(clock_.now());
    if (!event) break;
    if (const auto* report = std::get_if<Report>(&*event)) {
      if (const Status taken = take(*report); !taken) return why_ended(taken.failure());
    } else {
      delivered(std::move(std::get<StreamEvents::Arrival>(*event)));  // of a frame given up
    }
  }
  return success();
}

Time FrameStream::last_sign() const { return std::max(last_event_, session_.last_tile_done()); }

// A frame may have come in time and wait behind reports.
std::optional<DeliveredFrame> FrameStream::give_up() {
  const Time now = clock_.now();
  if (now <= owner_.end_of_oldest() || !events_.empty()) return std::nullopt;
  const auto ended = owner_.give_up(now);
  if (!ended) return std::nullopt;
  return DeliveredFrame{.outputs = {}, .took = ended->took, .late = true};
}

Result<std::optional<DeliveredFrame>> FrameStream::look(Time until) {
  look_for_other_plans();
  auto event = events_.wait(std::min(until, clock_.now() + look_up_every));
  if (!event) {
    if (clock_.now() - last_sign() > options_.frame_patience)
      return Error{labelled("nothing was computed for " +
                            std::to_string(options_.frame_patience.count() / 1000) +
                            " s; the cluster hangs")};
    return std::optional<DeliveredFrame>();
  }
  last_event_ = clock_.now();
  if (const auto* report = std::get_if<Report>(&*event)) {
    if (const Status taken = take(*report); !taken) return why_ended(taken.failure());
    return std::optional<DeliveredFrame>();
  }
  return delivered(std::move(std::get<StreamEvents::Arrival>(*event)));
}

std::optional<DeliveredFrame> FrameStream::delivered(StreamEvents::Arrival arrival) {
  const auto ended = owner_.arrived(arrival.key, arrival.at);
  if (!ended) return std::nullopt;
  if (ended->late) arrival.outputs.clear();
  return DeliveredFrame{std::move(arrival.outputs), ended->took, ended->late};
}

Status FrameStream::take(const Report& report) {
  switch (report.kind) {
    case Report::Kind::tile_done:
      tally_.tile_done(owner_.plan_of(report.key.frame), report.tile, report.node);
      break;
    case Report::Kind::peer_joined:
      joined_.push_back(report.node);
      break;
    case Report::Kind::peer_lost:
      std::erase(joined_, report.node);
      break;
    case Report::Kind::node_distrusted:
      distrusted_.push_back(report.node);
      break;
    case Report::Kind::weights_damaged:
    case Report::Kind::weights_packed:
    case Report::Kind::frame_closed:
    case Report::Kind::plan_ready:
    case Report::Kind::plan_impaired:
    case Report::Kind::plan_refused:
    case Report::Kind::frame_dropped:
    case Report::Kind::frame_aborted:
    case Report::Kind::frame_reissued:
    case Report::Kind::tile_lent:
    case Report::Kind::message_refused:
      break;
  }
  const auto news = owner_.on(report);
  if (!news)
    return Error{with_model_file(news.error(), *options_.model, options_.model_file),
                 news.failure().kind};
  if (*news == StreamOwner::News::went_over) went_over();
  if (*news == StreamOwner::News::change_refused)
    note_to(options_.log, LogLevel::info,
            labelled("the plans in use are kept: " + report.sentence));
  return success();
}

void FrameStream::went_over() {
  ++switches_;
  if (options_.basis)
    note_to(options_.log, LogLevel::info,
            labelled(new_speeds(options_.basis->cluster, owner_.slowness())));
}

void FrameStream::look_for_other_plans() {
  for (const PlanHash& plan : owner_.to_withdraw()) session_.withdraw(*id_, plan);
  if (search_.has_ended()) {
    if (auto found = search_.take()) {
      const StreamOwner::Begun begun = owner_.begin_change(std::move(*found), clock_.now());
      propose(begun.propose);
      if (begun.went_over) went_over();
    } else {
      owner_.kept();
    }
  }
  if (auto task = owner_.due(clock_.now())) search_.begin(std::move(*task));
}

std::string FrameStream::labelled(const std::string& sentence) const {
  return options_.label.empty() ? sentence : options_.label + ": " + sentence;
}

// `trouble` may know the cause of what the node reported, and learn of it a little later.
Error FrameStream::why_ended(const Error& error) const {
  const Error own{labelled(error.sentence), error.kind};
  if (!options_.trouble) return own;
  for (int looks = 0; looks < 5; ++looks) {
    if (const auto cause = options_.trouble()) return Error{*cause, error.kind};
    std::this_thread::sleep_for(look_up_every);
  }
  return own;
}

}  // namespace shingle
