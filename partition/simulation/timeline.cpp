#include "partition/simulation/timeline.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <queue>

#include "partition/base/event_queue.hpp"
#include "partition/simulation/wires.hpp"

namespace shingle {
namespace {

// What happens beside the network.
struct PlanEvent {
  enum class Kind : uint8_t { frame_opens, computed };
  Kind kind = Kind::computed;
  uint32_t frame = 0, tile = 0;  // tile: computed only
};
using Kind = PlanEvent::Kind;

// Largest number of consecutive frames of a stream that can be open: each home limits the frames of
// one plan.
uint32_t held_at_once(const std::vector<const Dataflow*>& turns, uint32_t wanted) {
  if (wanted <= frames_at_home) return wanted;
  uint32_t most = wanted;
  for (size_t first = 0; first < turns.size(); ++first) {
    std::map<const Dataflow*, uint32_t> of_plan;
    uint32_t count = 0;
    while (count < most && ++of_plan[turns[(first + count) % turns.size()]] <= frames_at_home)
      ++count;
    most = count;
  }
  return most;
}

class Simulation {
 public:
  Simulation(const Cluster& cluster, const std::vector<const Dataflow*>& turns,
             StreamOfFrames stream)
      : cluster_(cluster),
        turns_(turns),
        stream_(stream),
        wires_(cluster),
        workers_(cluster.nodes.size() + 1),
        frames_(static_cast<size_t>(stream.frames)),
        profiles_(profiles_of(cluster)) {
    for (size_t i = 0; i < profiles_.size(); ++i) {
      workers_[i].slots = workers_[i].free_slots = std::max(1, profiles_[i].slots);
    }
  }

  // See simulate_within().
  void give_up_after(Duration most) {
    last_ = Time{} + most;
    for (const Dataflow::TileTask& tile : turns_[0]->tiles)
      workers_[tile.node].not_begun += tile.compute_time;
  }

  // No value: given up.
  std::optional<Timeline> run() {
    const uint32_t open = held_at_once(turns_, static_cast<uint32_t>(stream_.open_frames));
    for (uint32_t i = 0; i < frames_.size() && i < open; ++i) ask_homes();
    while (!is_hopeless_) {
      const Time next = wires_.next_change();
      if (!agenda_.empty() && agenda_.next_at() < next)
        happen(agenda_.take());
      else if (next < Time::max())
        for (const NetworkArrival& arrival : wires_.advance(next)) arrived(arrival);
      else
        return result();
    }
    return std::nullopt;
  }

 private:
  struct Frame {
    std::vector<int32_t> missing;  // by tile: number of inputs that it waits for
    std::vector<int32_t> users;    // by canvas; negative: not made yet
    std::vector<int64_t> written;  // by canvas: bytes that count as resident
    size_t outcomes_missing = 0;
    std::vector<bool> begun;  // by result: a strip of it has arrived
    bool complete = false;
    Time opened{}, delivered{};
  };
  struct Worker {
    int32_t slots = 1, free_slots = 1;
    Duration not_begun{};  // of the first frame, if the simulation may be given up
    std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<>> ready;  // frame, order
    int64_t canvas_bytes = 0, most_canvas_bytes = 0;
    int64_t written_bytes = 0, pass_bytes = 0, most_bytes = 0;
  };

  const Dataflow& flow(uint32_t frame) const { return *turns_[frame % turns_.size()]; }

  void happen(const PlanEvent& event) {
    const Time now = agenda_.now();
    return event.kind == Kind::frame_opens ? open(event.frame, now)
                                           : computed(event.frame, event.tile, now);
  }

  // The owner asks one home after the other for a slot, and opens one frame at a time.
  void ask_homes(Time now = Time{}) {
    const auto frame = asked_++;
    opening_until_ = std::max(opening_until_, now);
    frames_[frame].opened = opening_until_;
    for (uint32_t home : flow(frame).homes) {
      if (home != flow(frame).owner) {
        opening_until_ += wires_.round_trip(flow(frame).owner, home);
      }
    }
    agenda_.push(opening_until_, {.kind = Kind::frame_opens, .frame = frame});
  }

  void open(uint32_t number, Time now) {
    const Dataflow& plan = flow(number);
    Frame& frame = frames_[number];
    frame.missing.reserve(plan.tiles.size());
    for (const Dataflow::TileTask& tile : plan.tiles) frame.missing.push_back(tile.waits_for);
    frame.users.assign(plan.canvases.size(), -1);
    frame.written.assign(plan.canvases.size(), 0);
    frame.outcomes_missing = plan.outcomes;
    frame.begun.assign(plan.results.size(), false);
    occupy(plan.owner, plan.frame_bytes, plan.frame_bytes);
    for (uint32_t tile : plan.unprompted) make_ready(number, tile);
    for (uint32_t strip : plan.from_frame) send(number, strip, now);
    settle(plan.owner, now);
    for (uint32_t tile : plan.unprompted) compute(plan.tiles[tile].node, now);
  }

  // Strips to the node itself are pasted at once.
  void send(uint32_t number, uint32_t strip, Time now) {
    const Dataflow::StripTask& task = flow(number).strips[strip];
    if (task.from != task.to)
      return wires_.post({task.from, task.to, number, strip, task.block, task.bytes});
    left(number, strip);
    delivered(number, strip, now);
  }

  // In the same order as Node::step: a tile begins before waiting strips leave its canvas.
  void settle(uint32_t node, Time now) {
    compute(node, now);
    for (uint32_t message : wires_.pump(node, now)) {
      left(wires_.message(message).frame, wires_.message(message).strip);
    }
  }

  void arrived(const NetworkArrival& arrival) {
    const WireMessage piece = wires_.take_in(arrival);
    if (piece.strip != no_strip) delivered(piece.frame, piece.strip, arrival.at);
    settle(piece.to, arrival.at);
  }

  // The strip was copied away: its canvas has one reader less.
  void left(uint32_t number, uint32_t strip) {
    const int32_t canvas = flow(number).strips[strip].source_canvas;
    if (canvas >= 0) use_done(flow(number), frames_[number], static_cast<size_t>(canvas));
  }

  void delivered(uint32_t number, uint32_t strip, Time now) {
    const Dataflow& plan = flow(number);
    const Dataflow::StripTask& task = plan.strips[strip];
    Frame& frame = frames_[number];
    if (task.target_canvas < 0) {
      if (!frame.begun[task.result]) occupy(plan.owner, plan.results[task.result], 0);
      frame.begun[task.result] = true;
      occupy(plan.owner, 0, task.bytes);
      if (--frame.outcomes_missing == 0) close(number, now);
      return;
    }
    write(plan, frame, static_cast<size_t>(task.target_canvas), task.written_bytes);
    count_down(number, task.readers);
  }

  void count_down(uint32_t number, Range readers) {
    const Dataflow& plan = flow(number);
    for (uint32_t i = readers.begin; i < readers.end; ++i) {
      const uint32_t tile = plan.tile_ids[i];
      if (--frames_[number].missing[tile] == 0) make_ready(number, tile);
    }
  }

  void make_ready(uint32_t number, uint32_t tile) {
    const Dataflow::TileTask& task = flow(number).tiles[tile];
    workers_[task.node].ready.push((uint64_t{number} << 32) | task.order);
  }

  void compute(uint32_t node, Time now) {
    Worker& worker = workers_[node];
    while (worker.free_slots > 0 && !worker.ready.empty()) {
      const uint64_t next = worker.ready.top();
      worker.ready.pop();
      --worker.free_slots;
      const auto number = static_cast<uint32_t>(next >> 32);
      const Dataflow& plan = flow(number);
      const uint32_t tile = plan.by_order[next & UINT32_MAX];
      const Dataflow::TileTask& task = plan.tiles[tile];
      for (uint32_t i = task.writes.begin; i < task.writes.end; ++i) {
        write(plan, frames_[number], plan.canvas_ids[i], plan.slice_bytes[i]);
      }
      if (now + worker.not_begun / worker.slots > last_) is_hopeless_ = true;
      worker.not_begun -= task.compute_time;
      worker.pass_bytes += task.pass_bytes;
      note_peak(worker);
      if (number == 0) note_span(tile, now, now + task.compute_time);
      agenda_.push(now + task.compute_time, {.frame = number, .tile = tile});
    }
  }

  void computed(uint32_t number, uint32_t tile, Time now) {
    const Dataflow& plan = flow(number);
    const Dataflow::TileTask& task = plan.tiles[tile];
    Worker& worker = workers_[task.node];
    ++worker.free_slots;
    worker.pass_bytes -= task.pass_bytes;
    if (task.node != plan.owner)
      wires_.tell(task.node, plan.owner, now);  // the message that the tile is done
    used(number, task.reads);                   // before the outputs that stay here are pasted
    for (uint32_t i = task.leaving.begin; i < task.leaving.end; ++i) {
      send(number, plan.strip_ids[i], now);
    }
    count_down(number, task.local_readers);
    used(number, task.writes);
    settle(task.node, now);
  }

  void used(uint32_t number, Range canvases) {
    const Dataflow& plan = flow(number);
    for (uint32_t i = canvases.begin; i < canvases.end; ++i)
      use_done(plan, frames_[number], plan.canvas_ids[i]);
  }

  void close(uint32_t number, Time now) {
    frames_[number].complete = true;
    occupy(flow(number).owner, -flow(number).frame_bytes, -flow(number).frame_bytes);
    while (delivered_ < asked_ && frames_[delivered_].complete) deliver(delivered_++, now);
  }

  // Each delivered frame allows another one to open.
  void deliver(uint32_t number, Time now) {
    const Dataflow& plan = flow(number);
    frames_[number].delivered = now;
    if (now > last_) is_hopeless_ = true;
    if (stream_.open_frames == 1) note_results(plan);
    occupy(plan.owner, -plan.outcome_bytes, -plan.outcome_bytes);
    if (asked_ < frames_.size()) ask_homes(now);
  }

  // --- memory ---
  void occupy(uint32_t node, int64_t bytes, int64_t written_bytes) {
    workers_[node].canvas_bytes += bytes;
    workers_[node].written_bytes += written_bytes;
    note_peak(workers_[node]);
  }
  static void note_peak(Worker& worker) {
    worker.most_canvas_bytes = std::max(worker.most_canvas_bytes, worker.canvas_bytes);
    worker.most_bytes = std::max(worker.most_bytes, worker.written_bytes + worker.pass_bytes);
  }
  // The canvas still exists while the result is copied.
  void note_results(const Dataflow& plan) {
    Worker& worker = workers_[plan.owner];
    worker.most_bytes = std::max(
        worker.most_bytes, worker.written_bytes + worker.pass_bytes + result_bytes(cluster_, plan));
  }
  // Under memory caps, each canvas is newly allocated, so only the written part is resident.
  // Otherwise canvases reuse the memory of earlier ones, so all of it is resident.
  void make_canvas(const Dataflow& plan, Frame& frame, size_t canvas) {
    if (frame.users[canvas] >= 0) return;
    frame.users[canvas] = plan.canvases[canvas].users;
    const int64_t bytes = plan.canvases[canvas].bytes;
    frame.written[canvas] = cluster_.footprint ? 0 : bytes;
    occupy(plan.canvases[canvas].node, bytes, frame.written[canvas]);
  }
  void write(const Dataflow& plan, Frame& frame, size_t canvas, int64_t bytes) {
    make_canvas(plan, frame, canvas);
    const int64_t left = plan.canvases[canvas].bytes - frame.written[canvas];
    const int64_t more = std::min(bytes, left);
    frame.written[canvas] += more;
    occupy(plan.canvases[canvas].node, 0, more);
  }
  void use_done(const Dataflow& plan, Frame& frame, size_t canvas) {
    make_canvas(plan, frame, canvas);
    if (--frame.users[canvas] == 0) {
      occupy(plan.canvases[canvas].node, -plan.canvases[canvas].bytes, -frame.written[canvas]);
    }
  }

  // --- results ---
  void note_span(uint32_t tile, Time begin, Time end) {
    spans_.resize(turns_[0]->tiles.size());
    spans_[tile] = {begin, end};
  }

  Timeline result() {
    Timeline line;
    line.latency = frames_[0].delivered - Time{};
    for (const Frame& frame : frames_) {
      line.delivered.push_back(frame.delivered);
      if (stream_.open_frames == 1)
        line.latency = std::max(line.latency, frame.delivered - frame.opened);
    }
    line.period = line.latency;
    line.tiles = std::move(spans_);
    RoundLoad load = round_load(cluster_, turns_, profiles_, stream_.open_frames);
    latencies(line, load.busiest);
    line.nodes = std::move(load.nodes);
    line.links = std::move(load.links);
    line.wire_bytes = load.wire_bytes;
    memory_and_energy(line);
    return line;
  }

  // Measured between a frame at the end of the warm-up and one before the drain, a whole number of
  // bursts of open frames and of rounds apart. No stream is faster than its busiest node.
  void latencies(Timeline& line, Duration busiest) const {
    std::vector<Duration> each;
    for (const Frame& frame : frames_) each.push_back(frame.delivered - frame.opened);
    std::nth_element(each.begin(), each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2),
                     each.end());
    line.typical_latency = each[each.size() / 2];
    const std::vector<Time>& ends = line.delivered;
    const auto open = static_cast<size_t>(stream_.open_frames);
    const size_t step = turns_.size() == 1 ? open : turns_.size();
    if (frames_.size() < 2 * open + step) return;
    const size_t between = (frames_.size() - 2 * open) / step * step;
    line.period = (ends[open - 1 + between] - ends[open - 1]) / static_cast<int64_t>(between);
    line.period = std::max(line.period, busiest);
  }

  void memory_and_energy(Timeline& line) const {
    for (size_t i = 0; i < line.nodes.size(); ++i) {
      NodeLoad& load = line.nodes[i];
      load.canvas_bytes = workers_[i].most_canvas_bytes;
      const NodeProfile& profile = profiles_[i];
      load.peak_bytes =
          load.weight_bytes + load.buffer_bytes + load.other_bytes + workers_[i].most_bytes;
      line.energy_joules +=
          1e-9 * (profile.idle_watts * in_nanoseconds(line.latency) +
                  (profile.busy_watts - profile.idle_watts) * in_nanoseconds(load.busy));
    }
  }

  const Cluster& cluster_;
  const std::vector<const Dataflow*>& turns_;
  const StreamOfFrames stream_;
  EventQueue<PlanEvent> agenda_;
  Wires wires_;
  std::vector<Worker> workers_;  // by node; the last one is an owner that is not in the cluster
  std::vector<Frame> frames_;
  const std::vector<NodeProfile> profiles_;
  std::vector<TileSpan> spans_;
  uint32_t asked_ = 0, delivered_ = 0;
  Time opening_until_{};
  Time last_ = Time::max();
  bool is_hopeless_ = false;
};

}  // namespace

StreamOfFrames steady_stream(int32_t open_frames, size_t round) {
  const auto frames = static_cast<int32_t>(round);
  const int32_t least =
      (frames == 1 ? 2 : 4) *
      open_frames;  // the length of a round may not divide the number of open frames
  return {2 * open_frames + (least + frames - 1) / frames * frames, open_frames};
}

Timeline simulate(const Cluster& cluster, const std::vector<const Dataflow*>& turns,
                  StreamOfFrames stream) {
  assert(!turns.empty() && stream.frames > 0 && stream.open_frames > 0);
  return *Simulation(cluster, turns, stream).run();
}

std::optional<Timeline> simulate_within(const Cluster& cluster, const Dataflow& flow,
                                        Duration most) {
  const std::vector<const Dataflow*> turns{&flow};
  Simulation simulation(cluster, turns, {});
  simulation.give_up_after(most);
  return simulation.run();
}

Timeline simulate(const Model& model, const Cluster& cluster, const Plan& plan,
                  std::optional<NodeId> owner, StreamOfFrames stream) {
  const Dataflow flow = dataflow(model, cluster, plan, owner);
  return simulate(cluster, {&flow}, stream);
}

}  // namespace shingle
