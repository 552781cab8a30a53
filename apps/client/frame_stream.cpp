#include "apps/client/frame_stream.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <thread>

namespace shingle {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds look_up_every{100};

// Of so many frames under way, at most as many are on one plan.
int32_t most_on_one_plan(const Rotation& rotation, uint32_t open_frames) {
  int32_t round = 0, most = 0;
  for (const Turn& turn : rotation) round += turn.share, most = std::max(most, turn.share);
  const auto open = static_cast<int32_t>(open_frames);
  return std::min(open, (open / round + 1) * most);
}

steady_clock::time_point since(const FrameLedger::Pending& frame) {
  return steady_clock::time_point(frame.since.time_since_epoch());
}

std::vector<std::byte> copy_of(const Output& output) {
  const int64_t bytes = output.view.region.elements() * bytes_of(output.view.type);
  return {output.view.data, output.view.data + bytes};
}

}  // namespace

FrameStream::FrameStream(FrameStreamOptions options)
    : options_(std::move(options)),
      ledger_(*options_.model, options_.rotation),
      tally_(homes(options_.rotation)) {
  if (options_.basis) watch_.emplace(options_.model, std::move(*options_.basis));
}

FrameStream::~FrameStream() = default;

Result<std::unique_ptr<FrameStream>> FrameStream::open(FrameStreamOptions options) {
  std::unique_ptr<FrameStream> stream(new FrameStream(std::move(options)));
  if (const Status begun = stream->begin(); !begun) return Error{begun.error()};
  if (const Status ready = stream->wait_until_ready(); !ready) return Error{ready.error()};
  return stream;
}

Status FrameStream::begin() {
  SessionOptions session;
  session.cluster = options_.cluster;
  session.id = options_.id;
  session.log = options_.log;
  session.executor = std::move(options_.executor);
  session.keys = options_.keys;
  session.insecure = options_.insecure;
  session.announced = options_.announced;
  session.wires = std::move(options_.wires);
  session.memory = {.id = options_.id,
                    .memory_bytes = options_.memory_bytes,
                    .owner = options_.id,
                    .open_frames = most_on_one_plan(options_.rotation, options_.open_frames)};
  session.limits.open_frames = options_.open_frames;
  session.limits.audit_share = options_.audit_share;
  session.limits.waiting_frames = options_.open_frames;
  session.limits.drop = DropPolicy::refuse_newest;
  session.limits.steals = options_.steals;
  session.limits.silence_allowed = options_.patience.least;
  session.limits.most_silence_allowed = options_.patience.most;
  session.another_executor = options_.another_executor;
  session.find_model = [this](const ModelName& name) {
    const bool own = name.hash == options_.model->hash || !options_.other_models;
    return own ? Result<std::shared_ptr<const Model>>(options_.model) : options_.other_models(name);
  };
  session.on_deliver = [this](const FrameKey& key, std::span<const Output> outputs) {
    Arrival arrival{.key = key, .outputs = {}, .at = steady_clock::now()};
    for (const ModelOutput& wanted : options_.model->outputs)
      for (const Output& output : outputs)
        if (output.tensor == wanted.tensor) arrival.outputs.push_back(copy_of(output));
    happened(std::move(arrival));
  };
  session.on_report = [this](const Report& report) { happened(report); };
  auto started = Session::start(std::move(session));
  if (!started) return Error{started.error()};
  session_ = std::move(*started);
  offer(ledger_.turns().plans());
  return success();
}

void FrameStream::offer(const std::vector<FrameLedger::Loaded>& plans) {
  for (const FrameLedger::Loaded& plan : plans)
    session_->driver().propose(plan->hash, plan->plan.model, print(plan->plan));
}

Status FrameStream::wait_until_ready() {
  const auto deadline = steady_clock::now() + options_.start_patience;
  while (!ledger_.turns().all_ready()) {
    if (options_.trouble)
      if (const auto sentence = options_.trouble()) return Error{*sentence};
    if (steady_clock::now() > deadline) return Error{missing_homes()};
    const auto happening = wait(deadline);
    if (!happening) continue;
    if (const Status taken = take(std::get<Report>(*happening)); !taken) return taken;
  }
  return success();
}

Status FrameStream::submit(std::shared_ptr<const std::vector<std::byte>> image) {
  assert(has_room());
  last_sign_ = steady_clock::now();
  while (ledger_.under_way() >= options_.open_frames)
    if (const auto looked = look(Instant::max()); !looked) return Error{looked.error()};
  const Time now = clock_.now();
  const FrameLedger::Loaded plan = ledger_.deal();
  const auto key = session_->driver().submit(plan->hash, std::move(image),
                                             options_.deadline.value_or(no_deadline));
  if (!key) return Error{"the node takes no more frames"};
  ledger_.submitted(*key, plan, now);
  planned_wire_bytes_ += wire_bytes(plan->routes);
  return success();
}

Result<DeliveredFrame> FrameStream::next() {
  assert(pending() > 0);
  last_sign_ = steady_clock::now();
  const Instant end = end_of(ledger_.oldest());
  while (true) {
    auto arrival = look(end);
    if (!arrival) return Error{arrival.error()};
    if (*arrival) return delivered(std::move(**arrival));
    // It may have come in time and wait behind reports.
    if (steady_clock::now() > end && nothing_happened()) return give_up();
  }
}

Result<std::optional<FrameStream::Arrival>> FrameStream::look(Instant until) {
  watch();
  auto happening = wait(until);
  if (!happening) {
    if (steady_clock::now() - last_sign_ > options_.frame_patience)
      return Error{"nothing was computed for " +
                   std::to_string(options_.frame_patience.count() / 1000) +
                   " s; the cluster hangs"};
    return std::optional<Arrival>();
  }
  last_sign_ = steady_clock::now();
  if (const auto* report = std::get_if<Report>(&*happening)) {
    if (const Status taken = take(*report); !taken) return Error{why_ended(taken.error())};
    return std::optional<Arrival>();
  }
  Arrival& arrival = std::get<Arrival>(*happening);
  if (!ledger_.arrived(arrival.key)) return std::optional<Arrival>();
  return std::optional(std::move(arrival));
}

FrameStream::Instant FrameStream::end_of(const FrameLedger::Pending& frame) const {
  return options_.deadline ? since(frame) + *options_.deadline : Instant::max();
}

DeliveredFrame FrameStream::delivered(Arrival arrival) {
  const FrameLedger::Pending frame = ledger_.delivered();
  const bool late = arrival.at > end_of(frame);
  if (late) arrival.outputs.clear();
  return {std::move(arrival.outputs), arrival.at - since(frame), late};
}

DeliveredFrame FrameStream::give_up() {
  const FrameLedger::Pending frame = ledger_.give_up();
  return {.outputs = {}, .took = steady_clock::now() - since(frame), .late = true};
}

void FrameStream::happened(Happening happening) {
  const std::lock_guard lock(mutex_);
  happenings_.push_back(std::move(happening));
  changed_.notify_one();
}

std::optional<FrameStream::Happening> FrameStream::wait(Instant until) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, std::min(until, steady_clock::now() + look_up_every),
                      [this] { return !happenings_.empty(); });
  if (happenings_.empty()) return std::nullopt;
  Happening happening = std::move(happenings_.front());
  happenings_.pop_front();
  return happening;
}

bool FrameStream::nothing_happened() {
  const std::lock_guard lock(mutex_);
  return happenings_.empty();
}

Status FrameStream::take(const Report& report) {
  switch (report.kind) {
    case Report::Kind::tile_done:
      tally_.tile_done(ledger_.plan_of(report.key.frame), report.tile, report.node);
      if (watch_) watch_->tile_done(ledger_.plan_of(report.key.frame), report);
      break;
    case Report::Kind::frame_closed:
      if (watch_) watch_->frame_done(report.key);
      break;
    case Report::Kind::peer_joined:
      joined_.push_back(report.node);
      break;
    case Report::Kind::peer_lost:
      std::erase(joined_, report.node);
      break;
    case Report::Kind::node_distrusted:
      distrusted_.push_back(report.node);
      [[fallthrough]];
    case Report::Kind::weights_damaged:
    case Report::Kind::weights_packed:
      note_to(options_.log, LogLevel::warning, report.sentence);
      break;
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
  const auto news = ledger_.hear(report);
  if (!news) return Error{news.error()};
  if (*news == FrameLedger::News::went_over) went_over();
  if (*news == FrameLedger::News::change_refused) {
    note_to(options_.log, LogLevel::info, "the plans in use are kept: " + report.sentence);
    watch_->refused();
  }
  return success();
}

void FrameStream::went_over() {
  ++switches_;
  note_to(options_.log, LogLevel::info, watch_->taken());
}

// A home that is gone must not keep the others from planning for ever.
void FrameStream::watch() {
  for (const PlanHash& plan : ledger_.unneeded()) session_->driver().withdraw(plan);
  if (ledger_.changes() && steady_clock::now() - offered_at_ > options_.start_patience) {
    ledger_.end_change();
    watch_->refused();
  }
  if (!watch_ || ledger_.changes()) return;
  std::optional<Turns> next = watch_->look(clock_.now());
  if (!next) return;
  offered_at_ = steady_clock::now();
  offer(ledger_.begin_change(std::move(*next)));
  if (ledger_.go_over()) went_over();  // only shares may have changed
}

std::string FrameStream::missing_homes() const {
  std::string missing;
  const std::vector<NodeId> wanted = homes(options_.rotation);
  for (const ClusterFileNode& node : options_.cluster.nodes) {
    const auto is = [&](const std::vector<NodeId>& ids) {
      return std::find(ids.begin(), ids.end(), node.id) != ids.end();
    };
    if (node.id == options_.id || !is(wanted) || is(joined_)) continue;
    if (!missing.empty()) missing += ", ";
    missing +=
        node.name + (node.port == 0 ? " (not where it announced itself, if it did)"
                                    : " (" + node.address + ":" + std::to_string(node.port) + ")");
  }
  const std::string waited = std::to_string(options_.start_patience.count() / 1000) + " s";
  if (missing.empty()) return "the nodes did not get the plan ready within " + waited;
  return "no connection within " + waited + " to " + missing + "; is 'shingle node' running there?";
}

// What the node saw may be only the shadow of what `trouble` knows, a little later.
std::string FrameStream::why_ended(const std::string& sentence) const {
  if (!options_.trouble) return sentence;
  for (int looks = 0; looks < 5; ++looks) {
    if (const auto deeper = options_.trouble()) return *deeper;
    std::this_thread::sleep_for(look_up_every);
  }
  return sentence;
}

}  // namespace shingle
