#include "apps/client/frame_stream.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdio>
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

std::vector<NodeId> nodes_of(const std::optional<PlanBasis>& basis) {
  std::vector<NodeId> nodes;
  if (basis)
    for (const ClusterNode& node : basis->cluster.nodes) nodes.push_back(node.id);
  return nodes;
}

std::vector<std::byte> copy_of(const Output& output) {
  const int64_t bytes = output.view.region.elements() * bytes_of(output.view.type);
  return {output.view.data, output.view.data + bytes};
}

}  // namespace

FrameStream::FrameStream(FrameStreamOptions options)
    : options_(std::move(options)),
      owner_(options_.model, options_.rotation,
             {.open_frames = options_.open_frames,
              .deadline = options_.deadline,
              .change_awaited = options_.start_patience},
             options_.basis),
      search_(options_.model),
      planned_for_(nodes_of(options_.basis)),
      tally_(homes(options_.rotation)) {}

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
  session.on_trace = options_.on_trace;
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
    Arrival arrival{.key = key, .outputs = {}, .at = clock_.now()};
    for (const ModelOutput& wanted : options_.model->outputs)
      for (const Output& output : outputs)
        if (output.tensor == wanted.tensor) arrival.outputs.push_back(copy_of(output));
    add(std::move(arrival));
  };
  session.on_report = [this](const Report& report) { add(report); };
  auto started = Session::start(std::move(session));
  if (!started) return Error{started.error()};
  session_ = std::move(*started);
  propose(owner_.turns().plans());
  return success();
}

void FrameStream::propose(const std::vector<StreamOwner::Loaded>& plans) {
  for (const StreamOwner::Loaded& plan : plans)
    session_->driver().propose(plan->hash, plan->plan.model, print(plan->plan));
}

Status FrameStream::wait_until_ready() {
  const Time deadline = clock_.now() + options_.start_patience;
  while (!owner_.is_ready()) {
    if (options_.trouble)
      if (const auto sentence = options_.trouble()) return Error{*sentence};
    if (clock_.now() > deadline) return Error{missing_homes()};
    const auto event = wait(deadline);
    if (!event) continue;
    if (const Status taken = take(std::get<Report>(*event)); !taken) return taken;
  }
  return success();
}

Status FrameStream::submit(std::shared_ptr<const std::vector<std::byte>> image) {
  assert(has_room());
  last_sign_ = clock_.now();
  while (!owner_.may_submit())
    if (const auto looked = look(Time::max()); !looked) return looked.failure();
  const Time now = clock_.now();
  const StreamOwner::Loaded plan = owner_.deal();
  const auto key = session_->driver().submit(plan->hash, std::move(image),
                                             options_.deadline.value_or(no_deadline));
  if (!key) return Error{"the node takes no more frames"};
  owner_.submitted(*key, plan, now);
  planned_wire_bytes_ += wire_bytes(plan->routes);
  return success();
}

Result<DeliveredFrame> FrameStream::next() {
  assert(pending() > 0);
  last_sign_ = clock_.now();
  const Time end = owner_.end_of_oldest();
  while (true) {
    auto arrived = look(end);
    if (!arrived) return arrived.failure();
    if (*arrived) return std::move(**arrived);
    // It may have come in time and wait behind reports.
    if (clock_.now() <= end || !no_event_waits()) continue;
    if (const auto ended = owner_.give_up(clock_.now()))
      return DeliveredFrame{.outputs = {}, .took = ended->took, .late = true};
  }
}

Result<std::optional<DeliveredFrame>> FrameStream::look(Time until) {
  look_for_other_plans();
  auto event = wait(until);
  if (!event) {
    if (clock_.now() - last_sign_ > options_.frame_patience)
      return Error{"nothing was computed for " +
                   std::to_string(options_.frame_patience.count() / 1000) +
                   " s; the cluster hangs"};
    return std::optional<DeliveredFrame>();
  }
  last_sign_ = clock_.now();
  if (const auto* report = std::get_if<Report>(&*event)) {
    if (const Status taken = take(*report); !taken) return Error{why_ended(taken.error())};
    return std::optional<DeliveredFrame>();
  }
  return delivered(std::move(std::get<Arrival>(*event)));
}

std::optional<DeliveredFrame> FrameStream::delivered(Arrival arrival) {
  const auto ended = owner_.arrived(arrival.key, arrival.at);
  if (!ended) return std::nullopt;
  if (ended->late) arrival.outputs.clear();
  return DeliveredFrame{std::move(arrival.outputs), ended->took, ended->late};
}

void FrameStream::add(Event event) {
  const std::lock_guard lock(mutex_);
  events_.push_back(std::move(event));
  changed_.notify_one();
}

std::optional<FrameStream::Event> FrameStream::wait(Time until) {
  std::unique_lock lock(mutex_);
  const Time end = std::min(until, clock_.now() + look_up_every);
  changed_.wait_until(lock, steady_clock::time_point(end.time_since_epoch()),
                      [this] { return !events_.empty(); });
  if (events_.empty()) return std::nullopt;
  Event event = std::move(events_.front());
  events_.pop_front();
  return event;
}

bool FrameStream::no_event_waits() {
  const std::lock_guard lock(mutex_);
  return events_.empty();
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
      [[fallthrough]];
    case Report::Kind::weights_damaged:
    case Report::Kind::weights_packed:
      note_to(options_.log, LogLevel::warning, report.sentence);
      break;
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
  const auto news = owner_.hear(report);
  if (!news) return news.failure();
  if (*news == StreamOwner::News::went_over) went_over();
  if (*news == StreamOwner::News::change_refused)
    note_to(options_.log, LogLevel::info, "the plans in use are kept: " + report.sentence);
  return success();
}

void FrameStream::went_over() {
  ++switches_;
  const std::vector<double> slowness = owner_.slowness();
  std::string speeds;
  for (size_t i = 0; i < planned_for_.size(); ++i) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%snode %u %.2f", speeds.empty() ? "" : ", ",
                  planned_for_[i].value, slowness[i]);
    speeds += text.data();
  }
  note_to(options_.log, LogLevel::info,
          "planned anew, as nodes take other times than their profiles say (1.00: the same): " +
              speeds);
}

void FrameStream::look_for_other_plans() {
  for (const PlanHash& plan : owner_.to_withdraw()) session_->driver().withdraw(plan);
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
