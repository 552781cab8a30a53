// InferSession: a session of shingle.h that takes pictures. Names nothing of GStreamer.
#pragma once

#include <shingle/shingle.h>

#include <chrono>
#include <memory>
#include <string>

#include "apps/gstreamer/infer_settings.hpp"

namespace shingle::gst {

struct InferFailure {
  shingle_code code = SHINGLE_OK;
  std::string sentence{};  // the library's
};

InferFailure last_failure(shingle_code code);  // of this thread's last call

struct FreeRequest {
  void operator()(shingle_request* request) const { shingle_request_free(request); }
};
using RequestHandle = std::unique_ptr<shingle_request, FreeRequest>;

struct SessionNotes {
  shingle_log_function function = nullptr;
  void* user = nullptr;  // must outlive the session
};

// All functions may be called on any thread.
class InferSession {
 public:
  // Opens the session and computes one grey picture, so that a first latency is known. Null: it
  // says in `failure` why.
  static std::unique_ptr<InferSession> open(const InferSettings& settings, SessionNotes notes,
                                            InferFailure& failure);
  ~InferSession();
  InferSession(const InferSession&) = delete;
  InferSession& operator=(const InferSession&) = delete;

  // Waits at most 100 ms for room (SHINGLE_BUSY: there was none). The pixels are copied.
  shingle_code submit(const shingle_picture& picture, RequestHandle& request) const;
  const std::string& model() const { return model_; }  // as the settings name it
  std::chrono::nanoseconds first_latency() const { return first_latency_; }
  shingle_counters counters() const;

 private:
  InferSession() = default;
  bool warm_up(InferFailure& failure);

  shingle_session* handle_ = nullptr;
  std::string model_{};
  std::chrono::nanoseconds first_latency_{};
};

}  // namespace shingle::gst
