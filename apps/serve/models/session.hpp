// Sessions of shingle.h as objects. How a call ended is a code of shingle.h and a sentence, because
// what is told to clients depends on the code.
#pragma once

#include <shingle/shingle.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/serve/models/rgb_picture.hpp"
#include "apps/serve/v2/infer_answer.hpp"
#include "apps/serve/v2/tensors.hpp"
#include "apps/system/log.hpp"

namespace shingle::serve {

using OptionTexts = std::map<std::string, std::string>;  // of shingle_options_set()

// An error if a name or a value is none.
Status check_options(const OptionTexts& options);

struct CallEnd {
  shingle_code code = SHINGLE_OK;
  std::string sentence{};  // empty with SHINGLE_OK

  bool ok() const { return code == SHINGLE_OK; }
  // The session computes nothing any more. SHINGLE_NO_MEMORY counts too: the session may have
  // ended, and closing it frees memory.
  bool is_final() const {
    return code == SHINGLE_RUNTIME || code == SHINGLE_CLOSED || code == SHINGLE_NO_MEMORY;
  }
};
CallEnd last_end(shingle_code code);  // with the sentence of this thread's last call

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
  CallEnd wait(std::chrono::milliseconds longest) const;
  void cancel() const { shingle_cancel(handle_); }

  // REQUIRES: it ended as SHINGLE_OK. Views are valid as long as this object.
  struct Outputs {
    CallEnd end{};
    std::vector<OutputView> views{};
  };
  Outputs outputs(size_t count) const;
  struct Boxes {
    CallEnd end{};
    std::span<const shingle_box> boxes{};
  };
  Boxes boxes() const;

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
  struct Opened {
    CallEnd end{};
    std::unique_ptr<Session> session{};  // null: it did not open
  };
  static Opened open(const OptionTexts& options, const Model& model, Use use, const Log& log);
  ~Session() { shingle_session_free(handle_); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const std::vector<TensorInfo>& inputs() const { return inputs_; }
  const std::vector<TensorInfo>& outputs() const { return outputs_; }

  // Waits this long for room in the queue.
  struct Submitted {
    CallEnd end{};
    std::optional<Request> request{};  // none: it was refused
  };
  Submitted submit(const std::vector<TensorValue>& inputs,
                   std::chrono::nanoseconds room_wait) const;
  // `done` is called if this ends as SHINGLE_OK. Does not wait for room.
  CallEnd submit(const RgbPicture& picture, std::chrono::nanoseconds deadline, Done done) const;

 private:
  explicit Session(const Log& log) : log_(log) {}
  CallEnd look();

  const Log log_;
  shingle_session* handle_ = nullptr;
  std::vector<TensorInfo> inputs_, outputs_;
};

}  // namespace shingle::serve
