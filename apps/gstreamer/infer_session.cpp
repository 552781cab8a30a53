#include "apps/gstreamer/infer_session.hpp"

#include <cassert>
#include <vector>

namespace shingle::gst {
namespace {

struct FreeOptions {
  void operator()(shingle_options* options) const { shingle_options_free(options); }
};
using OptionsHandle = std::unique_ptr<shingle_options, FreeOptions>;

OptionsHandle options_with(const InferSettings& settings, InferFailure& failure) {
  const OptionTexts wanted = options_of(settings);
  if (!wanted.error.empty()) {
    failure = {SHINGLE_USAGE, wanted.error};
    return nullptr;
  }
  shingle_options* made = nullptr;
  shingle_code code = shingle_options_new(&made);
  OptionsHandle options(made);
  for (const OptionText& each : wanted.texts)
    if (code == SHINGLE_OK) code = shingle_options_set(made, each.name.c_str(), each.value.c_str());
  if (code == SHINGLE_OK) return options;
  failure = last_failure(code);
  return nullptr;
}

}  // namespace

InferFailure last_failure(shingle_code code) { return {code, shingle_error()}; }

std::unique_ptr<InferSession> InferSession::open(const InferSettings& settings, SessionNotes notes,
                                                 InferFailure& failure) {
  const OptionsHandle options = options_with(settings, failure);
  if (options == nullptr) return nullptr;
  shingle_options_set_log(options.get(), notes.function, notes.user);
  std::unique_ptr<InferSession> session(new InferSession);
  session->model_ = settings.model;
  const shingle_code code = shingle_open(options.get(), &session->handle_);
  if (code != SHINGLE_OK) {
    failure = last_failure(code);
    return nullptr;
  }
  return session->warm_up(failure) ? std::move(session) : nullptr;
}

InferSession::~InferSession() {
  if (handle_ != nullptr) shingle_session_free(handle_);
}

bool InferSession::warm_up(InferFailure& failure) {
  constexpr int32_t width = 640, height = 480;
  const std::vector<uint8_t> grey(size_t{width} * height, 114);
  shingle_picture picture{};
  picture.struct_size = sizeof picture;
  picture.format = SHINGLE_GREY;
  picture.width = width;
  picture.height = height;
  picture.data = grey.data();
  picture.size = grey.size();
  const auto begin = std::chrono::steady_clock::now();
  RequestHandle request;
  shingle_code code = submit(picture, request);
  if (code == SHINGLE_OK) code = shingle_wait(request.get(), -1);
  first_latency_ = std::chrono::steady_clock::now() - begin;
  if (code == SHINGLE_OK || code == SHINGLE_LATE) return true;  // a deadline is each frame's own
  failure = last_failure(code);
  return false;
}

shingle_code InferSession::submit(const shingle_picture& picture, RequestHandle& request) const {
  assert(handle_ != nullptr);
  shingle_submission submission{};
  submission.struct_size = sizeof submission;
  submission.room_wait_ns = 100'000'000;
  shingle_request* made = nullptr;
  const shingle_code code = shingle_submit_picture(handle_, &picture, &submission, &made);
  request.reset(made);
  return code;
}

shingle_counters InferSession::counters() const {
  shingle_counters counters{};
  counters.struct_size = sizeof counters;
  shingle_session_counters(handle_, &counters);
  return counters;
}

}  // namespace shingle::gst
