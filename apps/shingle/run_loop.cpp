#include "apps/shingle/run_loop.hpp"

#include <algorithm>

#include "apps/system/print.hpp"
#include "apps/system/write_file.hpp"
#include "apps/vision/annotate.hpp"

namespace shingle {
namespace {

constexpr size_t verified_at_once = 32;  // of YOLOX-nano 416: 55 MB of inputs and outputs

std::vector<std::vector<float>> in_file_order(const Model& model,
                                              const std::vector<std::vector<std::byte>>& outputs) {
  std::vector<std::vector<float>> ordered;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::span box(reinterpret_cast<const float*>(outputs[i].data()),
                        outputs[i].size() / sizeof(float));
    const ModelOutput& output = model.outputs[i];
    ordered.push_back(shingle::in_file_order(output, model.at(output.tensor).shape, box));
  }
  return ordered;
}

std::string raw_name(uint64_t frame, const std::string& output) {
  char number[32];
  std::snprintf(number, sizeof number, "/frame-%06llu-", static_cast<unsigned long long>(frame));
  std::string name = output;
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
  summary_.dropped = parts_.input.dropped();
  summary_.left_out = parts_.input.left_out();
  if (parts_.output != nullptr)
    if (const Status closed = parts_.output->close(); !closed && status) status = closed;
  return status ? ended_by_ : status;
}

Status RunLoop::run_frames() {
  while (true) {
    if (const Status status = feed(); !status) return status;
    if (parts_.stream.pending() == 0) {
      if (const Status status = verify(); !status) return status;
      if (ended_) return success();
      continue;
    }
    auto frame = parts_.stream.next();
    if (!frame) return Error{frame.error()};
    if (const Status status = finish(std::move(*frame)); !status) return status;
  }
}

bool RunLoop::may_feed() const {
  const bool verifies = parts_.verifier != nullptr;
  const size_t held = unverified_.size() + parts_.stream.pending();
  return !ended_ && parts_.stream.has_room() && (!verifies || held < verified_at_once) &&
         (parts_.stream.pending() == 0 || parts_.input.ready());
}

Status RunLoop::feed() {
  while (may_feed()) {
    ended_ = fed_ == parts_.max_frames || parts_.signals.asked();
    if (parts_.signals.asked() && !parts_.input.is_live())
      ended_by_ = Error{"stopped by a signal; the frames done so far are kept"};
    if (ended_) break;
    auto picture = parts_.input.next();
    ended_ = !picture || !picture->has_value();
    if (!picture) ended_by_ = bad_input(picture.error());
    if (ended_) break;
    Submitted next{.picture = std::move(**picture), .size = {}, .image = {}};
    const Shape shape = parts_.model.at(parts_.model.inputs[0]).shape;
    next.image = std::make_shared<const std::vector<std::byte>>(
        image_bytes(next.picture.image, parts_.reading.preparation, shape));
    if (!clock_since_) clock_since_ = std::chrono::steady_clock::now();
    const Status taken = parts_.stream.submit(next.image);
    if (!taken) return Error{taken.error()};
    if (parts_.verifier == nullptr) next.image.reset();
    next.size = next.picture.image.size();
    if (parts_.output == nullptr) next.picture.image.release();
    submitted_.push_back(std::move(next));
    ++fed_;
  }
  return success();
}

Status RunLoop::finish(DeliveredFrame frame) {
  Submitted from = std::move(submitted_.front());
  submitted_.pop_front();
  const auto outputs = in_file_order(parts_.model, frame.outputs);
  FrameResult result{.frame = summary_.frames,
                     .name = from.picture.name,
                     .milliseconds = static_cast<double>(frame.took.count()) / 1e6,
                     .finding = frame.late
                                    ? Finding(Unread{})
                                    : read(parts_.reading, parts_.thresholds, outputs, from.size),
                     .late = frame.late};
  summary_.late += frame.late ? 1 : 0;
  if (const Status raw = write_raw(result.frame, outputs); !raw) return Error{raw.error()};
  if (const Status status = publish(result, std::move(from.picture)); !status) return status;
  if (parts_.verifier != nullptr && !frame.late)
    unverified_.push_back({std::move(from.image), std::move(frame.outputs)});
  progress_.done(++summary_.frames);
  return success();
}

Status RunLoop::publish(const FrameResult& result, Picture picture) {
  if (parts_.membership != nullptr)
    parts_.membership->tell_result(json_line(result, parts_.reading.names));
  const bool tells = parts_.json || !parts_.input.is_video();
  if (tells && !parts_.json) progress_.clear();
  const ClassNames& names = parts_.reading.names;
  const auto line = [&] {
    return parts_.json ? json_line(result, names) : text_line(result, names);
  };
  const Status printed = tells ? print_result(line()) : success();
  if (!printed) return Error{printed.error()};
  if (parts_.output == nullptr) return success();
  annotate(picture.image, result.finding, names);
  const Status written = parts_.output->write(picture);
  if (!written) return Error{written.error()};
  return success();
}

Status RunLoop::write_raw(uint64_t frame, const std::vector<std::vector<float>>& outputs) const {
  if (parts_.raw_folder.empty()) return success();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string path = parts_.raw_folder + raw_name(frame, parts_.model.outputs[i].name);
    const Status written = write_file(path, std::as_bytes(std::span(outputs[i])));
    if (!written) return written;
  }
  return success();
}

Status RunLoop::verify() {
  stop_clock();
  for (const Unverified& frame : unverified_) {
    const auto alone = parts_.verifier->compute(*frame.image);
    if (!alone) return Error{alone.error()};
    ++summary_.compared;
    if (*alone == frame.outputs) ++summary_.identical;
  }
  unverified_.clear();
  return success();
}

void RunLoop::stop_clock() {
  if (!clock_since_) return;
  const std::chrono::duration<double> ran = std::chrono::steady_clock::now() - *clock_since_;
  summary_.seconds += ran.count();
  clock_since_.reset();
}

}  // namespace shingle
