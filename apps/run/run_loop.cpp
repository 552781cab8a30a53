#include "apps/run/run_loop.hpp"

#include <algorithm>

#include "apps/system/write_file.hpp"

namespace shingle {
namespace {

// How long the input may wait for a further model's result while the main model has nothing to do.
constexpr std::chrono::milliseconds wait_for_further{5};

constexpr std::chrono::milliseconds wait_for_picture{100};  // at a time, of a live source

// While pictures may come.
constexpr std::chrono::milliseconds wait_between_pictures{2};

// `part`: of a picture that was computed in several inputs, from 1 on; else 0.
std::string raw_name(const FrameResult& frame, size_t part, const std::string& output) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "/frame-%06llu",
                static_cast<unsigned long long>(frame.frame));
  std::string number = digits;
  if (part > 0) number.append(".").append(std::to_string(part));
  std::string name = frame.model.empty() ? output : frame.model + "-" + output;
  for (char& letter : name)
    if (letter == '/' || letter == '\0') letter = '_';
  return number + "-" + name + ".f32";
}

}  // namespace

Status RunLoop::run() {
  Status status = run_frames();
  if (Status unlike = verify(); status) status = std::move(unlike);  // what an error left over
  progress_.clear();
  stop_clock();
  count();
  summary_.dropped = input_.dropped();
  summary_.left_out = parts_.input.left_out();
  RunEnd end = ended_by_ ? RunEnd::whole : RunEnd::broken_off;
  if (!status) end = RunEnd::failed;
  if (const Status closed = parts_.sink.close(end); !closed && status) status = closed;
  summary_.figures = parts_.sink.figures();
  return status ? ended_by_ : status;
}

size_t RunLoop::pending() const {
  size_t all = 0;
  for (const RunLane& lane : parts_.lanes) all += lane.pending();
  return all;
}

Status RunLoop::run_frames() {
  while (true) {
    if (const Status status = hear(); !status) return status;
    if (const Status status = feed(); !status) return status;
    if (pending() > 0) {
      if (const Status status = collect(); !status) return status;
      continue;
    }
    if (const Status status = verify(); !status) return status;
    if (ended_) return success();
  }
}

bool RunLoop::takes(const RunLane& lane) const {
  return &lane == &main() || parts_.sink.computes(lane.model(), fed_);
}

bool RunLoop::may_feed() {
  if (ended_ || !parts_.sink.may_begin(fed_)) return false;
  if (pending() > 0 && !input_.ready()) return false;
  return std::ranges::all_of(
      parts_.lanes, [this](const RunLane& lane) { return !takes(lane) || lane.has_room(); });
}

Status RunLoop::feed() {
  while (may_feed()) {
    ended_ = fed_ == parts_.max_frames || parts_.signals.asked();
    if (parts_.signals.asked() && !parts_.input.is_live())
      ended_by_ = Error{"stopped by a signal; the frames done so far are kept"};
    if (ended_) break;
    if (!input_.ready(wait_for_picture)) continue;  // a signal may have come
    auto picture = input_.next();
    ended_ = !picture || !picture->has_value();
    if (!picture)  // a file is wrong; a stream may only be gone
      ended_by_ = parts_.input.is_live() ? picture.failure() : bad_input(picture.error());
    if (ended_) break;
    if (const Status taken = submit(std::move(**picture)); !taken) return taken;
    ++fed_;
  }
  return success();
}

Status RunLoop::submit(PacedInput::Came came) {
  if (!clock_since_) clock_since_ = std::chrono::steady_clock::now();
  std::vector<RunLane*> takers;
  for (RunLane& lane : parts_.lanes)
    if (takes(lane)) takers.push_back(&lane);
  const std::chrono::duration<double> waited = PacedInput::Clock::now() - came.since;
  auto images = parts_.sink.inputs_of({.frame = fed_,
                                       .picture = came.picture,
                                       .waited_seconds = waited.count(),
                                       .is_overtaken = input_.is_overtaken(),
                                       .dropped = input_.dropped()});
  if (!images) return images.failure();
  if (images->empty()) return success();
  if (input_.is_live()) came_[fed_] = came.since;
  for (RunLane* lane : takers) {
    std::vector<cv::Mat> whole{came.picture.image};
    const Status taken =
        lane->submit(fed_, came.picture, lane == &main() ? std::move(*images) : std::move(whole));
    if (!taken) return failed(*lane, taken.failure());
  }
  return success();
}

Status RunLoop::collect() {
  const bool main_computes = main().pending() > 0;
  if (const Status further = collect_further(); !further || !main_computes) return further;
  const bool may_come =
      input_.is_live() && !ended_ && main().has_room() && parts_.sink.may_begin(fed_);
  if (!may_come) {
    auto result = main().next();
    if (!result) return failed(main(), result.failure());
    return finish(std::move(*result));
  }
  auto result = main().poll(Duration(wait_between_pictures));
  if (!result) return failed(main(), result.failure());
  return result->has_value() ? finish(std::move(**result)) : success();
}

Status RunLoop::collect_further() {
  const bool main_computes = main().pending() > 0;
  for (RunLane& lane : parts_.lanes) {
    if (&lane == &main() || lane.pending() == 0) continue;
    auto result = lane.poll(main_computes ? Duration(0) : Duration(wait_for_further));
    if (!result) return failed(lane, result.failure());
    if (!result->has_value()) continue;
    if (const Status status = finish(std::move(**result)); !status) return status;
  }
  return success();
}

Status RunLoop::hear() {
  for (RunLane& lane : parts_.lanes)
    if (const Status heard = lane.hear(); !heard) return failed(lane, heard.failure());
  return success();
}

Error RunLoop::failed(const RunLane& lane, const Error& error) {
  for (RunLane& other : parts_.lanes) {
    while (&other != &lane && other.pending() > 0) {
      auto result = other.poll(Duration(0));
      if (!result || !result->has_value() || !finish(std::move(**result))) break;
    }
  }
  return error;
}

Status RunLoop::finish(LaneResult result) {
  const auto of = std::ranges::find_if(
      parts_.lanes, [&](const RunLane& lane) { return lane.model().name == result.frame.model; });
  if (const Status raw = write_raw(result, of->model().file->model); !raw) return raw;
  if (!result.findings.empty())
    result.frame.finding = &*of == &main()
                               ? parts_.sink.joined(result.frame.frame, std::move(result.findings))
                               : std::move(result.findings.front());
  if (const auto came = came_.find(result.frame.frame); &*of == &main() && came != came_.end()) {
    const std::chrono::duration<double, std::milli> since = PacedInput::Clock::now() - came->second;
    latencies_.push_back(since.count());
    came_.erase(came);
  }
  if (parts_.membership != nullptr)
    parts_.membership->tell_result(json_line(result.frame, of->model().reading.names));
  if (const Status taken = parts_.sink.take(result, of->model(), progress_); !taken) return taken;
  of->reported(std::move(result));
  if (&*of == &main()) progress_.done(of->counts().frames);
  return success();
}

Status RunLoop::write_raw(const LaneResult& result, const Model& model) const {
  if (parts_.raw_folder.empty()) return success();
  for (size_t part = 0; part < result.computed.size(); ++part) {
    const std::vector<OutputValue> outputs = cut_to_counts(model, result.computed[part].outputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const size_t number = result.computed.size() > 1 ? part + 1 : 0;
      const std::string path =
          parts_.raw_folder + raw_name(result.frame, number, model.outputs[i].name);
      const Status written = write_file(path, std::as_bytes(std::span(outputs[i].values)));
      if (!written) return written;
    }
  }
  return success();
}

Status RunLoop::verify() {
  stop_clock();
  for (RunLane& lane : parts_.lanes)
    if (const Status status = lane.verify(); !status) return status;
  return success();
}

void RunLoop::count() {
  const RunLane::Counts& counts = main().counts();
  summary_.frames = counts.frames;
  summary_.late = counts.late;
  summary_.compared = counts.compared;
  summary_.identical = counts.identical;
  summary_.latency = latency_of(latencies_);
  parts_.sink.add_to(summary_);
  for (const RunLane& lane : parts_.lanes) {
    if (&lane == &main()) continue;
    summary_.further.push_back({.name = lane.model().name,
                                .every = lane.model().every,
                                .frames = lane.counts().frames,
                                .late = lane.counts().late,
                                .compared = lane.counts().compared,
                                .identical = lane.counts().identical,
                                .switches = lane.stream().switches(),
                                .tiles_per_node = lane.stream().tally().tiles()});
  }
}

void RunLoop::stop_clock() {
  if (!clock_since_) return;
  const std::chrono::duration<double> ran = std::chrono::steady_clock::now() - *clock_since_;
  summary_.seconds += ran.count();
  clock_since_.reset();
}

}  // namespace shingle
