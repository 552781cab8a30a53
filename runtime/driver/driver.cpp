// The loop, and what enters it. What the node decides is carried out in driver_actions.cpp.
#include "runtime/driver/driver.hpp"

#include <algorithm>
#include <cassert>

namespace shingle {

namespace {

NodeConfig config_for(NodeConfig config, const std::vector<std::unique_ptr<Executor>>& executors) {
  config.limits.compute_slots = static_cast<uint32_t>(executors.size());
  if (!executors.empty()) config.arithmetic_class = executors.front()->arithmetic_class();
  return config;
}

Item of_own(Event event) { return {.event = std::move(event)}; }

// A turn ends after this time even if the node has set no timer.
constexpr Duration longest_wait = std::chrono::seconds(1);

}  // namespace

Driver::Driver(DriverOptions options, std::vector<std::unique_ptr<Executor>> executors,
               Inbox& inbox, Transport& transport, const Clock& clock)
    : options_(std::move(options)),
      inbox_(inbox),
      transport_(transport),
      clock_(clock),
      node_(config_for(options_.node, executors)),
      canvases_(options_.canvas_spares) {
  for (std::unique_ptr<Executor>& executor : executors)
    slots_.push_back(std::make_unique<ComputeSlot>(options_.node.id, std::move(executor),
                                                   options_.another_executor, inbox, clock,
                                                   options_.make_worker));
  loader_ = std::make_unique<PlanLoader>(
      options_.node.id,
      PlanLoader::Ways{.find_model = options_.find_model,
                       .judge = options_.judge_plan,
                       .pack = [this](const auto& prepared) { return pack(prepared); },
                       .forget =
                           [this] {
                             for (const auto& slot : slots_) slot->forget_idle();
                           },
                       .pack_again = [this] { return pack_again(); }},
      inbox, options_.make_worker);
}

Driver::~Driver() { stop(); }

void Driver::start() {
  assert(!thread_.joinable());
  thread_ = std::thread([this] {
    while (!inbox_.closed()) turn(longest_wait);
  });
}

void Driver::stop() {
  assert(thread_.get_id() != std::this_thread::get_id());
  inbox_.close();
  if (thread_.joinable()) thread_.join();
  loader_.reset();
  last_memory_ = executor_memory();
  slots_.clear();
}

void Driver::propose(const PlanHash& hash, const Plan& plan) {
  assert(hash == hash_of(plan));
  inbox_.push(of_own(
      PlanProposed{.plan = hash, .model = plan.model, .text = print(plan), .homes = homes(plan)}));
}

void Driver::withdraw(const PlanHash& plan) { inbox_.push(of_own(PlanWithdrawn{.plan = plan})); }

size_t Driver::most_unseen_frames() const {
  constexpr size_t least = 16;
  const NodeLimits& limits = options_.node.limits;
  return std::max(least, size_t{limits.open_frames} + limits.waiting_frames);
}

std::optional<FrameKey> Driver::submit(const PlanHash& plan, FrameInputs inputs,
                                       Duration time_left) {
  const std::lock_guard lock(submissions_.mutex);
  if (submissions_.unseen >= most_unseen_frames()) return std::nullopt;
  const FrameKey key{
      .owner = options_.node.id, .life = options_.node.life, .frame = submissions_.next_frame};
  Item item = of_own(FrameCaptured{.frame = key.frame, .plan = plan, .time_left = time_left});
  item.inputs = std::move(inputs);
  ++submissions_.unseen;
  if (!inbox_.push(std::move(item))) return std::nullopt;
  ++submissions_.next_frame;
  return key;
}

Executor::Memory Driver::executor_memory() const {
  Executor::Memory sum = last_memory_;
  for (const auto& slot : slots_) {
    const Executor::Memory memory = slot->memory();
    sum.packed_bytes += memory.packed_bytes;
    sum.scratch_bytes += memory.scratch_bytes;
    sum.peak_bytes += memory.peak_bytes;
  }
  return sum;
}

bool Driver::turn(Duration longest) {
  assert(longest >= Duration(0));
  if (wake_at_ && clock_.now() >= *wake_at_) {
    wake_at_.reset();
    step(Woken{});
  }
  const Duration left =
      wake_at_ ? std::clamp(*wake_at_ - clock_.now(), Duration(0), longest) : longest;
  std::optional<Item> item = inbox_.wait(std::chrono::steady_clock::now() + left);
  if (item) handle(*item);
  ++turns_;
  return item.has_value();
}

void Driver::handle(Item& item) {
  if (std::holds_alternative<FrameCaptured>(item.event)) {
    --submissions_.unseen;
    if (!adopt(item)) return;
  }
  if (item.prepared) {
    std::erase_if(plans_, [](const auto& entry) { return entry.second.expired(); });
    plans_[item.prepared->loaded.hash] = item.prepared;
  }
  step_.payload = item.payload.bytes;
  step(item.event);
  step_.payload = {};
}

void Driver::step(const Event& event) {
  trace_arrival(event);
  step_.actions.clear();
  node_.step(clock_.now(), event, step_.actions);
  for (const Action& action : step_.actions)
    std::visit([this](const auto& each) { carry_out(each); }, action);
}

void Driver::trace(TraceEvent event) {
  assert(options_.on_trace);
  event.at = clock_.now();
  event.node = options_.node.id;
  options_.on_trace(event);
}

void Driver::trace_arrival(const Event& event) {
  if (!options_.on_trace) return;
  if (const auto* received = std::get_if<MessageReceived>(&event))
    trace(trace_of_message(TraceEvent::Kind::received, received->envelope.from, received->envelope,
                           received->message, received->payload_bytes));
  else if (const auto* computed = std::get_if<TileComputed>(&event))
    trace(trace_of_tile(*computed));
  else if (const auto* proposed = std::get_if<PlanProposed>(&event))
    trace(trace_of_proposal(*proposed));
  else if (const auto* captured = std::get_if<FrameCaptured>(&event))
    trace(
        trace_of_capture({options_.node.id, options_.node.life, captured->frame}, captured->plan));
}

namespace {

// Is there a whole tensor for each of the model's inputs?
Status fits(const FrameInputs& given, const PreparedPlan& prepared) {
  const std::vector<TensorId>& wanted = prepared.loaded.inputs;
  if (given.tensors.size() != wanted.size())
    return Error{"The frame has " + std::to_string(given.tensors.size()) +
                 " inputs where the model takes " + std::to_string(wanted.size()) + "."};
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Tensor& input = prepared.model->at(wanted[i]);
    const int64_t expected = input.shape.elements() * bytes_of(input.type);
    const int64_t bytes = given.tensors[i] ? std::ssize(*given.tensors[i]) : 0;
    if (bytes != expected)
      return Error{"The frame has " + std::to_string(bytes) + " bytes where the model's input '" +
                   input.name + "' takes " + std::to_string(expected) + "."};
  }
  return success();
}

}  // namespace

// Puts the inputs of a captured frame where the node expects them. False: it cannot, and has said
// why; the node does not hear of the frame.
bool Driver::adopt(const Item& item) {
  const auto& captured = std::get<FrameCaptured>(item.event);
  const std::shared_ptr<const PreparedPlan> prepared = plan(captured.plan);
  if (!prepared) {
    drop(captured, "The frame's plan " + short_name(captured.plan) + " is not loaded here.");
    return false;
  }
  if (const Status status = fits(item.inputs, *prepared); !status) {
    drop(captured, status.error());
    return false;
  }
  for (size_t i = 0; i < item.inputs.tensors.size(); ++i) {
    const CanvasKey key{.frame = {options_.node.id, options_.node.life, captured.frame},
                        .place = Place::frame,
                        .tensor = prepared->loaded.inputs[i],
                        .tile = {}};
    const TensorView canvas = open(*prepared, key);
    copy_region({item.inputs.tensors[i]->data(), canvas.region, canvas.type}, canvas,
                canvas.region);
  }
  return true;
}

void Driver::drop(const FrameCaptured& captured, std::string why) {
  carry_out(Report{.kind = Report::Kind::frame_dropped,
                   .key = {options_.node.id, options_.node.life, captured.frame},
                   .node = options_.node.id,
                   .tile = {},
                   .plan = {},
                   .elapsed = {},
                   .sentence = std::move(why)});
}

Status Driver::pack(const std::shared_ptr<const PreparedPlan>& prepared) {
  for (const auto& slot : slots_)
    if (Status status = slot->prepare(prepared); !status) return status;
  return success();
}

Status Driver::pack_again() {
  for (const auto& slot : slots_)
    if (Status status = slot->pack_again(); !status) return status;
  return success();
}

}  // namespace shingle
