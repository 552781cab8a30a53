// A shingle_session, as Python sees it.
#pragma once

#include <pybind11/numpy.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/python/mailbox.hpp"
#include "apps/python/opening.hpp"
#include "apps/python/request.hpp"

namespace shingle::python {

struct NamedArray {
  std::string name;
  pybind11::array array;
};

struct Submission {
  int64_t deadline_ns;        // 0: the session's
  int64_t room_wait_ns;       // below 0: for ever
  pybind11::object receiver;  // called by whoever takes from the mailbox, with the request once it
                              // has ended; or None
};

// Owns the handle. Its functions throw the library's errors. All but the constructor's are for any
// thread of Python.
class Session {
 public:
  Session(const OpeningOptions& options, std::shared_ptr<Mailbox> mailbox);
  ~Session();  // closes it if that is still to be done
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Ends requests under way with ClosedError. Then the mailbox is finished.
  void close();

  pybind11::list inputs() const;  // of (name, type, dims)
  pybind11::list outputs() const;

  // Waits for room in slices, in which signals are handled.
  std::shared_ptr<Request> submit(const std::vector<NamedArray>& inputs, const Submission& how);
  std::shared_ptr<Request> submit_picture(const pybind11::array& picture, int32_t format,
                                          const Submission& how);

  pybind11::dict counters() const;
  std::string plan() const;

 private:
  using Attempt = std::function<shingle_code(const shingle_submission*, shingle_request**)>;
  std::shared_ptr<Request> begin(const Submission& how, const Attempt& attempt);

  std::shared_ptr<Mailbox>
      mailbox_;  // notes and ended requests go there until the session is freed
  shingle_session* handle_;
  const int process_;
};

}  // namespace shingle::python
