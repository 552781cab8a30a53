// shingle.hpp: shingle.h for C++20. Everything here is inline; only the functions of shingle.h are
// linked.
//
//   shingle::Options options;
//   options.set("model", "detector.onnx").set("workers", "2");
//   shingle::Session session(options);
//   auto request = session.submit({shingle::tensor(values, {1, 3, 416, 416})});
//   for (const shingle::Output& output : request.outputs()) ...      // waits; throws
//   shingle::Error
//
// What goes wrong is thrown as shingle::Error, with the code and the sentence of shingle.h. Objects
// can be moved, not copied; moved-from ones can only be destroyed or assigned to. Each may be used
// on several threads at once, but for being moved or destroyed.
#pragma once

#include <shingle/shingle.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shingle {
inline namespace api0 {

// What went wrong: a code of shingle.h and its sentence.
class Error : public std::runtime_error {
 public:
  Error(shingle_code code, const std::string& sentence)
      : std::runtime_error(sentence), code_(code) {}
  shingle_code code() const noexcept { return code_; }

 private:
  shingle_code code_;
};

namespace detail {
inline void check(shingle_code code) {
  if (code != SHINGLE_OK) throw Error(code, shingle_error());
}
}  // namespace detail

// SHINGLE_INFO or SHINGLE_WARNING, and a sentence. Called on threads of the session; it must not
// use the session.
using Log = std::function<void(int level, std::string_view sentence)>;

// How a session is to be opened.
class Options {
 public:
  Options() { detail::check(shingle_options_new(&handle_)); }
  ~Options() { shingle_options_free(handle_); }
  Options(Options&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), log_(std::move(other.log_)) {}
  Options& operator=(Options&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(log_, other.log_);
    return *this;
  }

  // The names and values of shingle_options_set().
  Options& set(const std::string& name, const std::string& value) {
    detail::check(shingle_options_set(handle_, name.c_str(), value.c_str()));
    return *this;
  }
  // The model's bytes, which are copied.
  Options& model(std::span<const std::byte> bytes) {
    detail::check(shingle_options_set_model(handle_, bytes.data(), bytes.size()));
    return *this;
  }
  // Where the session's notes go; an empty function: nowhere.
  Options& log(Log log) {
    auto kept = std::make_shared<const Log>(std::move(log));
    detail::check(shingle_options_set_log(handle_, *kept ? &Options::note : nullptr,
                                          const_cast<Log*>(kept.get())));
    log_ = std::move(kept);
    return *this;
  }

 private:
  friend class Session;
  static void note(int32_t level, const char* sentence, void* user) {
    (*static_cast<const Log*>(user))(level, sentence);
  }

  shingle_options* handle_ = nullptr;
  std::shared_ptr<const Log> log_;
};

// What a model takes or gives.
struct TensorInfo {
  std::string name;
  int32_t type = SHINGLE_F32;
  std::vector<int64_t> dims;
  size_t bytes = 0;
};

// One input of a frame. The values are read by submit() only.
struct Input {
  std::string name;  // empty: by its place
  int32_t type = SHINGLE_F32;
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;  // in bytes, by dimension; empty: densely packed
  const void* data = nullptr;
  size_t bytes = 0;
};

// A densely packed input. The values stay the caller's.
inline Input tensor(std::span<const float> values, std::vector<int64_t> dims,
                    std::string name = {}) {
  return {std::move(name), SHINGLE_F32, std::move(dims), {}, values.data(), values.size_bytes()};
}
inline Input tensor(std::span<const uint8_t> values, std::vector<int64_t> dims,
                    std::string name = {}) {
  return {std::move(name), SHINGLE_U8, std::move(dims), {}, values.data(), values.size_bytes()};
}

// 8 bits for each channel. The pixels are read by submit() only.
struct Picture {
  int32_t format = SHINGLE_BGR;  // or SHINGLE_RGB, SHINGLE_GREY
  int32_t width = 0, height = 0;
  std::span<const uint8_t> pixels;
  int64_t row_bytes = 0;  // 0: densely packed
};

// Of a request; valid as long as it.
struct Output {
  std::string_view name;
  std::vector<int64_t> dims;
  std::span<const float> values;  // in the order of the model's file
};

// One frame: under way, or ended.
class Request {
 public:
  Request() = default;
  explicit Request(shingle_request* handle) : handle_(handle) {}  // takes the handle
  ~Request() { release(); }
  Request(Request&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Request& operator=(Request&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  // Waits for the end, and throws if it is not SHINGLE_OK.
  void wait() const { detail::check(shingle_wait(handle_, -1)); }
  // The code with which it ended, if it has ended within this time.
  std::optional<shingle_code> code(std::chrono::nanoseconds longest = {}) const {
    const shingle_code code = shingle_wait(handle_, longest.count() < 0 ? 0 : longest.count());
    return code == SHINGLE_TIMEOUT ? std::nullopt : std::optional(code);
  }
  // Ends it at once as SHINGLE_CANCELLED, if it has not ended.
  void cancel() const { detail::check(shingle_cancel(handle_)); }

  // outputs(), duration(), findings() and boxes() wait for the end, and throw if it is not
  // SHINGLE_OK.

  // In the order of the model's file. Valid as long as the request.
  std::vector<Output> outputs() const {
    wait();
    std::vector<Output> all;
    for (size_t i = 0;; ++i) {
      shingle_tensor tensor{};
      tensor.struct_size = sizeof tensor;
      const shingle_code code = shingle_output(handle_, i, &tensor);
      if (code == SHINGLE_USAGE && i > 0) return all;
      detail::check(code);
      all.push_back({tensor.name,
                     {tensor.dims, tensor.dims + tensor.rank},
                     {static_cast<const float*>(tensor.data), tensor.size / sizeof(float)}});
    }
  }
  // From its submission to its end.
  std::chrono::nanoseconds duration() const {
    wait();
    int64_t nanoseconds = 0;
    detail::check(shingle_duration(handle_, &nanoseconds));
    return std::chrono::nanoseconds(nanoseconds);
  }
  // As `shingle run --json` prints it; of a picture only. Valid as long as the request.
  std::string_view findings() const {
    wait();
    const char* json = nullptr;
    detail::check(shingle_findings(handle_, &json));
    return json;
  }
  // Best first; of a picture only. Valid as long as the request.
  std::span<const shingle_box> boxes() const {
    wait();
    const shingle_box* boxes = nullptr;
    size_t count = 0;
    detail::check(shingle_boxes(handle_, &boxes, &count));
    return {boxes, count};
  }

 private:
  void release() {
    if (handle_ != nullptr) shingle_request_free(handle_);
  }
  shingle_request* handle_ = nullptr;
};

// Called once with the ended request, on the session's thread for callbacks. It must not wait for
// other requests of the session, nor close it. An exception that leaves it is noted by the
// session's log, counted, and has no other effect.
using Done = std::function<void(Request)>;

// How one frame is to be computed.
struct Submission {
  std::chrono::nanoseconds deadline{};  // from now on; 0: the session's
  // How long to wait for room in the queue; none: for ever.
  std::optional<std::chrono::nanoseconds> room_wait = std::chrono::nanoseconds(0);
};

// A model on a cluster, or on local workers.
class Session {
 public:
  // Returns when all nodes are ready.
  explicit Session(const Options& options) : log_(options.log_) {
    detail::check(shingle_open(options.handle_, &handle_));
  }
  ~Session() { shingle_session_free(handle_); }  // closes it
  Session(Session&& other) noexcept
      : log_(std::move(other.log_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Session& operator=(Session&& other) noexcept {
    std::swap(log_, other.log_);
    std::swap(handle_, other.handle_);
    return *this;
  }

  // Ends what is under way as SHINGLE_CLOSED. Closing twice is fine.
  void close() { detail::check(shingle_close(handle_)); }

  // What the model takes and gives, in the order of its file.
  std::vector<TensorInfo> inputs() const { return all(shingle_input_count, shingle_input); }
  std::vector<TensorInfo> outputs() const { return all(shingle_output_count, shingle_output_info); }
  // The plan that is in use, in the form of `shingle plan --out`.
  std::string plan() const {
    char* text = nullptr;
    detail::check(shingle_plan(handle_, &text));
    const std::unique_ptr<char, void (*)(char*)> kept(text, shingle_text_free);
    return text;
  }
  // What the session did so far.
  shingle_counters counters() const {
    shingle_counters counters{};
    counters.struct_size = sizeof counters;
    detail::check(shingle_session_counters(handle_, &counters));
    return counters;
  }

  // --- one frame: tensors, one for each input, or a picture ---

  // Frame: std::vector<Input>, one for each input of the model, or Picture. With `done` the ended
  // request goes to that function.
  template <class Frame>
  Request submit(const Frame& frame, const Submission& how = {}) const {
    return Request(begin(frame, how, nullptr));
  }
  Request submit(std::initializer_list<Input> inputs, const Submission& how = {}) const {
    return submit(std::vector(inputs), how);
  }
  template <class Frame>
  void submit(const Frame& frame, Done done, const Submission& how = {}) const {
    auto kept = std::make_unique<Done>(std::move(done));
    begin(frame, how, kept.get());
    kept.release();  // tell() frees it
  }
  void submit(std::initializer_list<Input> inputs, Done done, const Submission& how = {}) const {
    submit(std::vector(inputs), std::move(done), how);
  }
  // The future has the request once it has ended as SHINGLE_OK, and else an Error.
  template <class Frame>
  std::future<Request> submit_future(const Frame& frame, const Submission& how = {}) const {
    auto promise = std::make_shared<std::promise<Request>>();
    std::future<Request> future = promise->get_future();
    submit(
        frame,
        [promise](Request request) {
          try {
            request.wait();
            promise->set_value(std::move(request));
          } catch (...) {
            promise->set_exception(std::current_exception());
          }
        },
        how);
    return future;
  }
  std::future<Request> submit_future(std::initializer_list<Input> inputs,
                                     const Submission& how = {}) const {
    return submit_future(std::vector(inputs), how);
  }

 private:
  std::vector<TensorInfo> all(shingle_code (*count)(shingle_session*, size_t*),
                              shingle_code (*describe)(shingle_session*, size_t,
                                                       shingle_tensor*)) const {
    size_t tensors = 0;
    detail::check(count(handle_, &tensors));
    std::vector<TensorInfo> infos;
    for (size_t i = 0; i < tensors; ++i) {
      shingle_tensor tensor{};
      tensor.struct_size = sizeof tensor;
      detail::check(describe(handle_, i, &tensor));
      infos.push_back(
          {tensor.name, tensor.type, {tensor.dims, tensor.dims + tensor.rank}, tensor.size});
    }
    return infos;
  }

  static shingle_submission submission_of(const Submission& how, Done* done) {
    shingle_submission submission{};
    submission.struct_size = sizeof submission;
    submission.deadline_ns = how.deadline.count();
    submission.room_wait_ns = how.room_wait ? how.room_wait->count() : -1;
    submission.done = done == nullptr ? nullptr : &Session::tell;
    submission.user = done;
    return submission;
  }

  shingle_request* begin(const std::vector<Input>& inputs, const Submission& how,
                         Done* done) const {
    std::vector<shingle_tensor> tensors;
    for (const Input& input : inputs) {
      if (input.dims.size() > SHINGLE_MAX_RANK || input.strides.size() > input.dims.size())
        throw Error(SHINGLE_USAGE,
                    "input '" + input.name + "' has more dims or strides than are possible");
      shingle_tensor tensor{};
      tensor.struct_size = sizeof tensor;
      tensor.name = input.name.empty() ? nullptr : input.name.c_str();
      tensor.type = input.type;
      tensor.rank = static_cast<int32_t>(input.dims.size());
      std::copy(input.dims.begin(), input.dims.end(), tensor.dims);
      std::copy(input.strides.begin(), input.strides.end(), tensor.strides);
      tensor.data = input.data;
      tensor.size = input.bytes;
      tensors.push_back(tensor);
    }
    const shingle_submission submission = submission_of(how, done);
    shingle_request* request = nullptr;
    detail::check(shingle_submit(handle_, tensors.data(), tensors.size(), &submission, &request));
    return request;
  }

  shingle_request* begin(const Picture& picture, const Submission& how, Done* done) const {
    shingle_picture given{};
    given.struct_size = sizeof given;
    given.format = picture.format;
    given.width = picture.width;
    given.height = picture.height;
    given.row_bytes = picture.row_bytes;
    given.data = picture.pixels.data();
    given.size = picture.pixels.size();
    const shingle_submission submission = submission_of(how, done);
    shingle_request* request = nullptr;
    detail::check(shingle_submit_picture(handle_, &given, &submission, &request));
    return request;
  }

  static void tell(shingle_request* request, shingle_code, void* user) {
    const std::unique_ptr<Done> done(static_cast<Done*>(user));
    (*done)(Request(request));
  }

  std::shared_ptr<const Log> log_;  // before the session: it may note something until it is closed
  shingle_session* handle_ = nullptr;
};

}  // namespace api0
}  // namespace shingle
