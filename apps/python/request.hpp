// One frame that was submitted: what Python sees of a shingle_request.
#pragma once

#include <pybind11/numpy.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "shingle/shingle.h"

namespace shingle::python {

// Owns the handle. Arrays that output() gave hold the request, so their memory stays valid.
class Request : public std::enable_shared_from_this<Request> {
 public:
  Request() = default;
  ~Request();
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  // shingle_submit() and its callback both know the handle; whoever comes first gives it.
  void adopt(shingle_request* handle) { handle_ = handle; }

  // Waits until it has ended. Throws its error, or what a signal's handler raised, such as
  // KeyboardInterrupt; then the request is still under way.
  void wait();
  void cancel();

  // Once it has ended well; otherwise they throw its error.
  pybind11::array output(size_t index);  // a read-only view of the library's memory
  std::string findings();
  // [(x0, y0, x1, y1, score, class id, class name)], best first; None: the model finds no boxes.
  pybind11::object boxes();
  int64_t duration_ns();

 private:
  std::atomic<shingle_request*> handle_{nullptr};
};

}  // namespace shingle::python
