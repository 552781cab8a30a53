// Sessions of shingle.h as objects. What goes wrong is a Failure: a code and a sentence.
#pragma once

#include <shingle/shingle.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "apps/serve/models/rgb_picture.hpp"
#include "apps/serve/v2/infer_answer.hpp"
#include "apps/serve/v2/tensors.hpp"
#include "apps/system/log.hpp"

namespace shingle::serve {

using OptionTexts = std::map<std::string, std::string>;  // of shingle_options_set()

// An error if a name or a value is none.
Status check_options(const OptionTexts& options);

struct Failure {
  shingle_code code = SHINGLE_RUNTIME;
  std::string sentence;
};
Failure last_failure(shingle_code code);

// A request that has ended or is under way. Freed with the object.
class Request {
 public:
  explicit Request(shingle_request* handle) : handle_(handle) {}
  ~Request() {
    if (handle_ != nullptr) shingle_request_free(handle_);
  }
  Request(Request&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Request& operator=(Request&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  // Its code; SHINGLE_TIMEOUT after this time.
  Failure wait(std::chrono::milliseconds longest) const;
  void cancel() const { shingle_cancel(handle_); }

  // REQUIRES: it ended as SHINGLE_OK. Views are valid as long as this object.
  std::vector<OutputView> outputs(size_t count) const;
  std::variant<std::span<const shingle_box>, Failure> boxes() const;

 private:
  shingle_request* handle_;
};

// Called once, on a thread of the session.
using Done = std::function<void(Request, shingle_code)>;

enum class Use : uint8_t { tensors, pictures };

class Session {
 public:
  struct Model {
    std::string path;  // empty: `bytes`
    std::span<const std::byte> bytes{};
  };
  // Returns when all nodes are ready.
  static std::variant<std::unique_ptr<Session>, Failure> open(const OptionTexts& options,
                                                              const Model& model, Use use,
                                                              const Log& log);
  ~Session() { shingle_session_free(handle_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::vector<TensorInfo>& inputs() const { return inputs_; }
  const std::vector<TensorInfo>& outputs() const { return outputs_; }

  // Waits this long for room in the queue.
  std::variant<Request, Failure> submit(const std::vector<TensorValue>& inputs,
                                        std::chrono::nanoseconds room_wait) const;
  // `done` is called unless a Failure comes back. Does not wait for room.
  Failure submit(const RgbPicture& picture, std::chrono::nanoseconds deadline, Done done) const;

 private:
  explicit Session(const Log& log) : log_(log) {}
  Failure look();

  const Log log_;
  shingle_session* handle_ = nullptr;
  std::vector<TensorInfo> inputs_, outputs_;
};

}  // namespace shingle::serve
