#include "apps/client/session.hpp"

#include <algorithm>

#include "apps/system/process_memory.hpp"
#include "devices/native/native_executor.hpp"
#include "devices/native/processor.hpp"
#include "devices/native/reference.hpp"
#include "transport/zmq/life.hpp"

namespace shingle {
namespace {

const ClusterFileNode* member(const ClusterFile& cluster, NodeId id) {
  const auto found = std::find_if(cluster.nodes.begin(), cluster.nodes.end(),
                                  [&](const ClusterFileNode& node) { return node.id == id; });
  return found == cluster.nodes.end() ? nullptr : &*found;
}

NodeWiresOptions wires_of(const SessionOptions& options) {
  return {.cluster = options.cluster,
          .id = options.id,
          .keys = options.keys,
          .insecure = options.insecure,
          .sets_up_process = options.sets_up_process,
          .silence_allowed =
              std::max(options.limits.silence_allowed, options.limits.most_silence_allowed),
          .computes = options.executor != nullptr,
          .announced = options.announced,
          .log = options.log};
}

// Plans do not account for audits that a node does for others. These get a 50th of the cap, which
// fits into the 4 % that plans leave free.
constexpr int64_t caps_per_audits = 50;

PlanJudge judge_under_cap(const SessionOptions& options) {
  const auto plans = std::make_shared<PlansUnderCap>(options.cluster, options.memory);
  return [plans](std::span<const PlanOfModel> held, const PlanOfModel& wanted) {
    std::vector<HeldPlan> all;
    for (const PlanOfModel& each : held) all.push_back({each.model, each.plan});
    return plans->may_hold(all, {wanted.model, wanted.plan});
  };
}

DriverOptions driver_of(SessionOptions& options, const ClusterFileNode& self) {
  DriverOptions driver{
      .node = {.id = self.id,
               .life = draw_life(),
               .name = self.name,
               .arithmetic_class = {},
               .members = {},
               .limits = options.limits,
               .seed = self.id.value},
      .find_model = std::move(options.find_model),
      .another_executor = std::move(options.another_executor),
      .canvas_spares = options.memory.memory_bytes > 0 ? Spares::given_back : Spares::kept,
      .on_deliver = std::move(options.on_deliver),
      .on_report = std::move(options.on_report),
      .on_trace = std::move(options.on_trace)};
  if (options.announced)
    driver.on_report = [report = std::move(driver.on_report),
                        membership = options.announced->membership](const Report& happened) {
      membership->tell(happened);
      report(happened);
    };
  for (const ClusterFileNode& node : options.cluster.nodes) driver.node.members.push_back(node.id);
  driver.node.limits.link_bytes_per_second = static_cast<int64_t>(self.link_mbps * 125'000.0);
  if (options.cluster.network.kind == NetworkKind::shared) {
    // A borrowed tile's data would delay every other transfer on the medium, and no node can
    // measure by how much.
    driver.node.limits.steals = false;
    driver.node.limits.beat_every = beat_on_medium;
    NodeLimits& limits = driver.node.limits;
    const Duration beats = std::min(3 * beat_on_medium, limits.most_silence_allowed);
    limits.silence_allowed = std::max(limits.silence_allowed, beats);
  }
  if (options.memory.memory_bytes > 0)
    driver.node.limits.audit_bytes = options.memory.memory_bytes / caps_per_audits;
  if (options.executor && options.memory.memory_bytes > 0)
    driver.judge_plan = judge_under_cap(options);
  return driver;
}

}  // namespace

namespace {

// The file of kernel choices, in the folder of packed weights. Under a cap there is none: memory
// must be as planned, so nothing may depend on measurements.
std::string choices_file(const ExecutorOptions& options) {
  if (options.packed_folder.empty() || options.capped) return {};
  return options.packed_folder + "/kernels.txt";
}

}  // namespace

Result<std::unique_ptr<Executor>> make_executor(const ExecutorOptions& options) {
  std::unique_ptr<Executor> executor;
  if (const auto warning = processor_warning()) note_to(options.log, LogLevel::warning, *warning);
  using Kernels = NativeOptions::Kernels;
  if (options.name == "native" || options.name == "xnnpack")
    executor = std::make_unique<NativeExecutor>(
        NativeOptions{.threads = static_cast<int>(options.threads),
                      .kernels = options.name == "native" ? Kernels::own : Kernels::xnnpack,
                      .transformed_bytes = options.capped ? 0 : NativeOptions{}.transformed_bytes,
                      .packed_folder = options.packed_folder,
                      .compiled = options.compiled,
                      .kernel_choices = choices_file(options)});
  else if (options.name == "reference")
    executor = std::make_unique<ReferenceExecutor>();
  else
    return Error{"there is no executor '" + options.name +
                 "'; known are native, xnnpack and reference"};
  return executor;
}

Result<std::unique_ptr<Session>> Session::start(SessionOptions options) {
  const ClusterFileNode* self = member(options.cluster, options.id);
  if (self == nullptr)
    return Error{"the cluster file has no node " + std::to_string(options.id.value)};
  std::unique_ptr<Session> session(new Session(options.id));
  options.memory.id = options.id;
  session->wires_ = std::move(options.wires);
  const bool announced = session->wires_ != nullptr;
  if (!session->wires_) {
    auto wires = NodeWires::open(wires_of(options));
    if (!wires) return wires.failure();
    session->wires_ = std::move(*wires);
  }
  NodeWires& wires = *session->wires_;
  const bool sets_up = options.sets_up_process;
  const bool capped = options.memory.memory_bytes > 0;
  if (sets_up && capped) keep_little();  // replaces the settings of transport/
  DriverOptions driver = driver_of(options, *self);
  std::vector<std::unique_ptr<Executor>> executors;
  if (options.executor) executors.push_back(std::move(options.executor));
  session->driver_ = std::make_unique<Driver>(std::move(driver), std::move(executors),
                                              wires.inbox(), wires.transport(), session->clock_);
  if (sets_up && capped) read_own_code();
  if (sets_up) return_free_memory();
  if (sets_up) forget_peak();
  session->bare_bytes_ = resident_bytes();
  session->driver_->start();
  if (!announced) wires.announce();
  return session;
}

Session::~Session() { stop(); }

void Session::stop() {
  if (wires_) wires_->follow_no_more();
  if (driver_) driver_->stop();
}

}  // namespace shingle
