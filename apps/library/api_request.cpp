// Requests of shingle.h, and what they give.
#include <shingle/shingle.h>

#include "apps/library/api_handles.hpp"
#include "apps/library/last_error.hpp"
#include "apps/library/picture_input.hpp"
#include "apps/library/sized_struct.hpp"
#include "apps/library/tensor_input.hpp"

using namespace shingle;

namespace {

constexpr const char* what = "request";

constexpr Duration longest_deadline = no_deadline / 2 - std::chrono::nanoseconds(1);

// Fills in all but the inputs.
Status read_submission(const LibrarySession& session, const shingle_submission* given,
                       RequestOrder& order) {
  order.deadline = session.deadline();
  if (given == nullptr) return success();
  const auto submission = read_struct(given, "shingle_submission", sizeof(shingle_submission));
  if (!submission) return submission.failure();
  if (submission->deadline_ns < 0 || submission->deadline_ns > longest_deadline.count())
    return usage_error("deadline_ns is " + std::to_string(submission->deadline_ns) +
                       "; it may be 0 to " + std::to_string(longest_deadline.count()));
  if (submission->deadline_ns > 0) order.deadline = Duration(submission->deadline_ns);
  order.room_wait = Duration(submission->room_wait_ns);
  if (submission->room_wait_ns < 0) order.room_wait.reset();
  order.done = submission->done;
  order.user = submission->user;
  return success();
}

shingle_code add(const LibrarySession& session, RequestOrder order,
                 std::optional<PixelSize> picture, shingle_request** handle) {
  if (LibrarySession::is_waited_for(*session.desk()) && order.room_wait != Duration(0))
    return failed(SHINGLE_USAGE,
                  "a callback cannot wait for room in its own session, and a log function not at "
                  "all: set room_wait_ns to 0");
  const auto added = session.desk()->add(std::move(order), [&](RequestDesk::Request request) {
    return RequestHandles::add(std::make_shared<LibraryRequest>(session.desk(), session.model(),
                                                                std::move(request), picture));
  });
  if (added.request == nullptr) return failed(added.refusal.code, added.refusal.sentence);
  *handle = added.handle;
  return SHINGLE_OK;
}

struct Frame {
  FrameInputs inputs;
  std::optional<PixelSize> picture{};
};

// `read`: gives the frame for an open session.
template <class Read>
shingle_code submit(shingle_session* handle, const shingle_submission* submission,
                    shingle_request** request, const Read& read) {
  return guarded([&] {
    if (request == nullptr) return failed(SHINGLE_USAGE, "the place for the request is null");
    *request = nullptr;
    shingle_code code = SHINGLE_OK;
    const auto session = SessionHandles::find(handle, "session", code);
    if (session == nullptr) return code;
    if (!session->is_open()) return failed(SHINGLE_CLOSED, "the session is closed");
    RequestOrder order;
    if (const Status taken = read_submission(*session, submission, order); !taken)
      return failed(taken.failure());
    Result<Frame> frame = read(*session);
    if (!frame) return failed(frame.failure());
    order.inputs = std::move(frame->inputs);
    return add(*session, std::move(order), frame->picture, request);
  });
}

template <class Body>
shingle_code with_request(const shingle_request* handle, const Body& body) {
  return guarded([&] {
    shingle_code code = SHINGLE_OK;
    const auto request = RequestHandles::find(handle, what, code);
    return request == nullptr ? code : body(*request);
  });
}

// Calls body(request) if it has ended as SHINGLE_OK.
template <class Body>
shingle_code with_result(const shingle_request* handle, const Body& body) {
  return with_request(handle, [&](LibraryRequest& request) {
    const RequestEnd end = request.end();
    return end.code == SHINGLE_OK ? body(request) : failed(end.code, end.sentence);
  });
}

}  // namespace

shingle_code shingle_submit(shingle_session* handle, const shingle_tensor* inputs, size_t count,
                            const shingle_submission* submission, shingle_request** request) {
  return submit(handle, submission, request, [&](const LibrarySession& session) {
    auto tensors = read_tensors(session.model()->file->model, inputs, count);
    return tensors ? Result<Frame>(Frame{std::move(*tensors)}) : Result<Frame>(tensors.failure());
  });
}

shingle_code shingle_submit_picture(shingle_session* handle, const shingle_picture* picture,
                                    const shingle_submission* submission,
                                    shingle_request** request) {
  return submit(handle, submission, request, [&](const LibrarySession& session) -> Result<Frame> {
    if (!session.model()->pictures)
      return usage_error("the session takes tensors: open it with the option 'pictures'");
    auto read = read_picture(*session.model(), picture);
    if (!read) return read.failure();
    return Frame{std::move(read->inputs), read->size};
  });
}

shingle_code shingle_wait(shingle_request* handle, int64_t timeout_ns) {
  return with_request(handle, [&](const LibraryRequest& request) {
    const bool may_wait = !LibrarySession::is_waited_for(request.desk());
    std::optional<Duration> longest = Duration(timeout_ns);
    if (timeout_ns < 0) longest.reset();
    const RequestEnd end =
        may_wait ? request.desk().wait(request.request(), longest) : request.end();
    if (end.code == SHINGLE_TIMEOUT && !may_wait && timeout_ns != 0)
      return failed(SHINGLE_USAGE,
                    "a callback cannot wait for a request of its own session, and a log function "
                    "for none");
    return end.code == SHINGLE_OK ? shingle_code{SHINGLE_OK} : failed(end.code, end.sentence);
  });
}

shingle_code shingle_cancel(shingle_request* handle) {
  return with_request(handle, [](const LibraryRequest& request) {
    request.desk().cancel(request.request());
    return shingle_code{SHINGLE_OK};
  });
}

shingle_code shingle_request_free(shingle_request* handle) {
  return guarded([&] {
    shingle_code code = SHINGLE_OK;
    const auto request = RequestHandles::take(handle, what, code);
    if (request != nullptr) request->desk().forget_handle(request->request());
    return code;
  });
}

shingle_code shingle_output(shingle_request* handle, size_t index, shingle_tensor* output) {
  return with_result(handle, [&](LibraryRequest& request) {
    const std::vector<size_t> places = file_outputs(request.model());
    if (index >= places.size())
      return failed(SHINGLE_USAGE, "the model has no output " + std::to_string(index) +
                                       "; it has " + std::to_string(places.size()));
    const OutputValue& value = request.values()[places[index]];
    shingle_tensor tensor = output_of(request.model(), places[index]);
    set_dims(tensor, value.dims, bytes_of(ElementType::f32));
    tensor.data = value.values.data();
    const Status written = write_struct(tensor, output, "shingle_tensor", sizeof(shingle_tensor));
    return written ? shingle_code{SHINGLE_OK} : failed(written.failure());
  });
}

shingle_code shingle_duration(shingle_request* handle, int64_t* nanoseconds) {
  return with_result(handle, [&](const LibraryRequest& request) {
    if (nanoseconds == nullptr) return failed(SHINGLE_USAGE, "the place for the time is null");
    *nanoseconds = request.request()->took.count();
    return shingle_code{SHINGLE_OK};
  });
}

shingle_code shingle_findings(shingle_request* handle, const char** json) {
  return with_result(handle, [&](LibraryRequest& request) {
    if (json == nullptr) return failed(SHINGLE_USAGE, "the place for the text is null");
    const auto findings = request.findings();
    if (!findings) return failed(findings.failure());
    *json = *findings;
    return shingle_code{SHINGLE_OK};
  });
}

shingle_code shingle_boxes(shingle_request* handle, const shingle_box** boxes, size_t* count) {
  return with_result(handle, [&](LibraryRequest& request) {
    if (boxes == nullptr || count == nullptr)
      return failed(SHINGLE_USAGE, "the place for the boxes or for their count is null");
    const auto found = request.boxes();
    if (!found) return failed(found.failure());
    *boxes = found->data();
    *count = found->size();
    return shingle_code{SHINGLE_OK};
  });
}
