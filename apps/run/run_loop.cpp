#include "apps/run/run_loop.hpp"

#include <algorithm>

#include "apps/system/print.hpp"
#include "apps/system/write_file.hpp"
#include "apps/vision/annotate.hpp"

namespace shingle {
namespace {

// How long the input may wait for a further model's result while the main model has nothing to do.
constexpr std::chrono::milliseconds wait_for_further{5};

std::string raw_name(const FrameResult& frame, const std::string& output) {
  char number[32];
  std::snprintf(number, sizeof number, "/frame-%06llu-",
                static_cast<unsigned long long>(frame.frame));
  std::string name = frame.model.empty() ? output : frame.model + "-" + output;
  for (char& letter : name)
    if (letter == '/' || letter == '\0') letter = '_';
  return number + name + ".f32";
}

}  // namespace

Status RunLoop::run() {
  Status status = run_frames();
  if (Status unlike = verify(); status) status = std::move(unlike);  // what an error left over
  progress_.clear();
  stop_clock();
  count();
  summary_.dropped = parts_.input.dropped();
  summary_.left_out = parts_.input.left_out();
  if (parts_.output != nullptr)
    if (const Status closed = parts_.output->close(); !closed && status) status = closed;
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

bool RunLoop::may_feed() const {
  if (ended_ || (pending() > 0 && !parts_.input.ready())) return false;
  return std::ranges::all_of(
      parts_.lanes, [this](const RunLane& lane) { return !lane.takes(fed_) || lane.has_room(); });
}

Status RunLoop::feed() {
  while (may_feed()) {
    ended_ = fed_ == parts_.max_frames || parts_.signals.asked();
    if (parts_.signals.asked() && !parts_.input.is_live())
      ended_by_ = Error{"stopped by a signal; the frames done so far are kept"};
    if (ended_) break;
    const auto picture = parts_.input.next();
    ended_ = !picture || !picture->has_value();
    if (!picture) ended_by_ = bad_input(picture.error());
    if (ended_) break;
    if (const Status taken = submit(**picture); !taken) return taken;
    ++fed_;
  }
  return success();
}

Status RunLoop::submit(const Picture& picture) {
  if (!clock_since_) clock_since_ = std::chrono::steady_clock::now();
  for (RunLane& lane : parts_.lanes)
    if (lane.takes(fed_))
      if (const Status taken = lane.submit(fed_, picture); !taken)
        return failed(lane, taken.failure());
  return success();
}

Status RunLoop::collect() {
  const bool main_computes = main().pending() > 0;
  for (RunLane& lane : parts_.lanes) {
    if (&lane == &main() || lane.pending() == 0) continue;
    auto result = lane.poll(main_computes ? Duration(0) : Duration(wait_for_further));
    if (!result) return failed(lane, result.failure());
    if (!result->has_value()) continue;
    if (const Status status = finish(std::move(**result)); !status) return status;
  }
  if (!main_computes) return success();
  auto result = main().next();
  if (!result) return failed(main(), result.failure());
  return finish(std::move(*result));
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
  const ClassNames& names = of->model().reading.names;
  if (const Status status = publish(result.frame, names); !status) return status;
  const bool is_main = &*of == &main();
  if (is_main && parts_.output != nullptr) {
    annotate(result.picture.image, result.frame.finding, names);
    if (const Status written = parts_.output->write(result.picture); !written) return written;
  }
  of->reported(std::move(result));
  if (is_main) progress_.done(of->counts().frames);
  return success();
}

Status RunLoop::publish(const FrameResult& result, const ClassNames& names) {
  if (parts_.membership != nullptr) parts_.membership->tell_result(json_line(result, names));
  const bool tells = parts_.json || !parts_.input.is_video();
  if (!tells) return success();
  if (!parts_.json) progress_.clear();
  return print_result(parts_.json ? json_line(result, names) : text_line(result, names));
}

Status RunLoop::write_raw(const LaneResult& result, const Model& model) const {
  if (parts_.raw_folder.empty()) return success();
  const std::vector<OutputValue> outputs = cut_to_counts(model, result.outputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string path = parts_.raw_folder + raw_name(result.frame, model.outputs[i].name);
    const Status written = write_file(path, std::as_bytes(std::span(outputs[i].values)));
    if (!written) return written;
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
