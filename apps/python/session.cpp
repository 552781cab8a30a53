#include "apps/python/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>

#include "apps/python/errors.hpp"
#include "apps/python/gil.hpp"
#include "apps/python/tensors.hpp"

namespace shingle::python {
namespace {

namespace py = pybind11;

constexpr int64_t slice_ns = std::chrono::nanoseconds(slice).count();

// What a callback of the library gets.
struct Delivery {
  Mailbox& mailbox;  // of the session, whose callbacks end before it
  std::unique_ptr<Pending> pending;
};

// On a thread of the library, without the GIL. The request itself is asked for its code later.
void request_ended(shingle_request* handle, shingle_code, void* user) {
  const std::unique_ptr<Delivery> delivery(static_cast<Delivery*>(user));
  delivery->pending->request->adopt(handle);
  delivery->mailbox.put(std::move(delivery->pending));
}

using CountFunction = shingle_code (*)(shingle_session*, size_t*);
using InfoFunction = shingle_code (*)(shingle_session*, size_t, shingle_tensor*);

py::list descriptions(shingle_session* session, CountFunction count_of, InfoFunction info_of) {
  size_t count = 0;
  check(count_of(session, &count));
  py::list all;
  for (size_t index = 0; index < count; ++index) {
    shingle_tensor tensor{};
    tensor.struct_size = sizeof tensor;
    check(info_of(session, index, &tensor));
    all.append(description_of(tensor));
  }
  return all;
}

}  // namespace

Session::Session(const OpeningOptions& options, std::shared_ptr<Mailbox> mailbox)
    : mailbox_(std::move(mailbox)), handle_(open_session(options, mailbox_)), process_(getpid()) {}

Session::~Session() {
  if (getpid() != process_) return;  // the parent has it, and its threads
  const auto free_it = [this] { return shingle_session_free(handle_); };
  static_cast<void>(interpreter_ends() ? free_it() : without_gil(free_it));
  mailbox_->finish();
}

void Session::close() {
  check(without_gil([this] { return shingle_close(handle_); }));
  mailbox_->finish();
}

py::list Session::inputs() const {
  return descriptions(handle_, shingle_input_count, shingle_input);
}

py::list Session::outputs() const {
  return descriptions(handle_, shingle_output_count, shingle_output_info);
}

std::shared_ptr<Request> Session::begin(const Submission& how, const Attempt& attempt) {
  auto request = std::make_shared<Request>();
  shingle_submission submission{};
  submission.struct_size = sizeof submission;
  submission.deadline_ns = how.deadline_ns;
  std::unique_ptr<Delivery> delivery;
  if (!how.receiver.is_none()) {
    delivery.reset(new Delivery{.mailbox = *mailbox_,
                                .pending = std::make_unique<Pending>(
                                    Pending{.request = request, .receiver = how.receiver})});
    submission.done = request_ended;
    submission.user = delivery.get();
  }
  int64_t room_wait = how.room_wait_ns < 0 ? std::numeric_limits<int64_t>::max() : how.room_wait_ns;
  for (;;) {
    submission.room_wait_ns = std::min(room_wait, slice_ns);
    room_wait -= submission.room_wait_ns;
    shingle_request* handle = nullptr;
    const shingle_code code = without_gil([&] { return attempt(&submission, &handle); });
    if (code == SHINGLE_BUSY && room_wait > 0) {
      check_signals();
      continue;
    }
    check(code);
    static_cast<void>(delivery.release());  // the callback has it
    request->adopt(handle);
    return request;
  }
}

std::shared_ptr<Request> Session::submit(const std::vector<NamedArray>& inputs,
                                         const Submission& how) {
  std::vector<py::array> arrays;  // keep the memory
  std::vector<shingle_tensor> tensors;
  for (const NamedArray& input : inputs) {
    arrays.push_back(readable(input.name, input.array));
    tensors.push_back(tensor_of(input.name, arrays.back()));
  }
  return begin(how, [&](const shingle_submission* submission, shingle_request** request) {
    return shingle_submit(handle_, tensors.data(), tensors.size(), submission, request);
  });
}

std::shared_ptr<Request> Session::submit_picture(const py::array& picture, int32_t format,
                                                 const Submission& how) {
  py::array kept;
  const shingle_picture passed = picture_of(picture, format, kept);
  return begin(how, [&](const shingle_submission* submission, shingle_request** request) {
    return shingle_submit_picture(handle_, &passed, submission, request);
  });
}

py::dict Session::counters() const {
  shingle_counters counters{};
  counters.struct_size = sizeof counters;
  check(shingle_session_counters(handle_, &counters));
  using namespace py::literals;
  return py::dict("submitted"_a = counters.submitted, "computed"_a = counters.computed,
                  "late"_a = counters.late, "cancelled"_a = counters.cancelled,
                  "failed"_a = counters.failed, "waiting"_a = counters.waiting,
                  "under_way"_a = counters.under_way, "tiles"_a = counters.tiles,
                  "borrowed_tiles"_a = counters.borrowed_tiles,
                  "wire_bytes"_a = counters.wire_bytes, "plan_changes"_a = counters.plan_changes,
                  "nodes"_a = counters.nodes);
}

std::string Session::plan() const {
  char* text = nullptr;
  check(shingle_plan(handle_, &text));
  const std::unique_ptr<char, void (*)(char*)> kept(text, shingle_text_free);
  return text;
}

}  // namespace shingle::python
