// Sessions of shingle.h.
#include <shingle/shingle.h>

#include <cstdlib>
#include <cstring>

#include "apps/library/api_handles.hpp"
#include "apps/library/last_error.hpp"
#include "apps/library/log_call.hpp"
#include "apps/library/sized_struct.hpp"

using namespace shingle;

namespace {

constexpr const char* what = "session";

// At the end of the process: ends workers and deletes what they have in the temporary folder.
void abandon_all() {
  // Never destroyed: threads that nobody joins may still use the sessions.
  static const auto& sessions = *new std::vector(SessionHandles::all());
  LibrarySession::abandon(sessions);
}

// Calls body(session) with an open session.
template <class Body>
shingle_code with_open(const shingle_session* handle, const Body& body) {
  return guarded([&] {
    shingle_code code = SHINGLE_OK;
    const auto session = SessionHandles::find(handle, what, code);
    if (session == nullptr) return code;
    if (!session->is_open()) return failed(SHINGLE_CLOSED, "the session is closed");
    return body(*session);
  });
}

shingle_code answered(const Status& status) {
  return status ? shingle_code{SHINGLE_OK} : failed(status.failure());
}

shingle_code write_count(size_t value, size_t* count) {
  if (count == nullptr) return failed(SHINGLE_USAGE, "the place for the count is null");
  *count = value;
  return SHINGLE_OK;
}

// What lies at `index` of so many.
template <class Describe>
shingle_code write_tensor(size_t index, size_t count, const char* kind, shingle_tensor* target,
                          const Describe& describe) {
  if (index >= count)
    return failed(SHINGLE_USAGE, "the model has no " + std::string(kind) + " " +
                                     std::to_string(index) + "; it has " + std::to_string(count));
  return answered(write_struct(describe(index), target, "shingle_tensor", sizeof(shingle_tensor)));
}

// Known to abandon_all() before it is open.
shingle_code open_session(SessionSettings settings, shingle_session*& handle) {
  if (LogCall::is_under_way())
    return failed(SHINGLE_USAGE, "a session cannot be opened in a log function");
  const auto session = std::make_shared<LibrarySession>(std::move(settings));
  shingle_session* const known = SessionHandles::add(session);
  const auto forget = [&] {
    shingle_code ignored = SHINGLE_OK;
    SessionHandles::take(known, what, ignored);
  };
  RequestEnd end;
  try {
    end = session->open();
  } catch (...) {  // no memory, or no thread
    forget();
    throw;
  }
  if (end.code == SHINGLE_OK)
    handle = known;
  else
    forget();
  return end.code == SHINGLE_OK ? end.code : failed(end.code, end.sentence);
}

}  // namespace

shingle_code shingle_open(const shingle_options* options, shingle_session** session) {
  return guarded([&] {
    if (session == nullptr) return failed(SHINGLE_USAGE, "the place for the session is null");
    *session = nullptr;
    shingle_code code = SHINGLE_OK;
    const auto found = OptionsHandles::find(options, "handle of options", code);
    if (found == nullptr) return code;
    std::unique_lock lock(found->mutex);
    SessionSettings settings = found->settings;
    lock.unlock();
    static const int registered = std::atexit(abandon_all);
    static_cast<void>(registered);
    return open_session(std::move(settings), *session);
  });
}

shingle_code shingle_close(shingle_session* handle) {
  return guarded([&] {
    shingle_code code = SHINGLE_OK;
    const auto session = SessionHandles::find(handle, what, code);
    if (session == nullptr) return code;
    if (LibrarySession::is_waited_for(*session->desk()))
      return failed(SHINGLE_USAGE,
                    "a session cannot be closed in its own callback or in a log function");
    session->close();
    return shingle_code{SHINGLE_OK};
  });
}

shingle_code shingle_session_free(shingle_session* handle) {
  return guarded([&] {
    if (const shingle_code closed = shingle_close(handle); closed != SHINGLE_OK) return closed;
    shingle_code code = SHINGLE_OK;
    SessionHandles::take(handle, what, code);
    return code;
  });
}

shingle_code shingle_input_count(shingle_session* handle, size_t* count) {
  return with_open(handle, [&](const LibrarySession& session) {
    return write_count(session.model()->file->model.inputs.size(), count);
  });
}

shingle_code shingle_input(shingle_session* handle, size_t index, shingle_tensor* input) {
  return with_open(handle, [&](const LibrarySession& session) {
    const Model& model = session.model()->file->model;
    return write_tensor(index, model.inputs.size(), "input", input,
                        [&](size_t at) { return input_of(model, at); });
  });
}

shingle_code shingle_output_count(shingle_session* handle, size_t* count) {
  return with_open(handle, [&](const LibrarySession& session) {
    return write_count(file_outputs(session.model()->file->model).size(), count);
  });
}

shingle_code shingle_output_info(shingle_session* handle, size_t index, shingle_tensor* output) {
  return with_open(handle, [&](const LibrarySession& session) {
    const Model& model = session.model()->file->model;
    const std::vector<size_t> places = file_outputs(model);
    return write_tensor(index, places.size(), "output", output,
                        [&](size_t at) { return output_of(model, places[at]); });
  });
}

shingle_code shingle_session_counters(shingle_session* handle, shingle_counters* counters) {
  return guarded([&] {  // of a closed session, too
    shingle_code code = SHINGLE_OK;
    const auto session = SessionHandles::find(handle, what, code);
    if (session == nullptr) return code;
    return answered(
        write_struct(session->counters(), counters, "shingle_counters", sizeof(shingle_counters)));
  });
}

shingle_code shingle_plan(shingle_session* handle, char** text) {
  return with_open(handle, [&](const LibrarySession& session) {
    if (text == nullptr) return failed(SHINGLE_USAGE, "the place for the text is null");
    *text = ::strdup(session.plan().c_str());
    return *text == nullptr ? failed(SHINGLE_NO_MEMORY, "this process has no memory left")
                            : shingle_code{SHINGLE_OK};
  });
}
