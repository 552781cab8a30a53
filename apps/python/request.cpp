#include "apps/python/request.hpp"

#include "apps/python/errors.hpp"
#include "apps/python/gil.hpp"
#include "apps/python/tensors.hpp"

namespace shingle::python {
namespace py = pybind11;

Request::~Request() {
  if (handle_ != nullptr) shingle_request_free(handle_);
}

void Request::wait() {
  constexpr int64_t most = std::chrono::nanoseconds(slice).count();
  for (;;) {
    const shingle_code code = without_gil([this] { return shingle_wait(handle_, most); });
    if (code != SHINGLE_TIMEOUT) return check(code);
    check_signals();
  }
}

void Request::cancel() {
  check(without_gil([this] { return shingle_cancel(handle_); }));
}

py::array Request::output(size_t index) {
  shingle_tensor tensor{};
  tensor.struct_size = sizeof tensor;
  check(without_gil([&] { return shingle_output(handle_, index, &tensor); }));  // may reorder it
  return view_of(tensor, py::cast(shared_from_this()));
}

std::string Request::findings() {
  const char* json = nullptr;
  check(without_gil([&] { return shingle_findings(handle_, &json); }));
  return json;
}

py::object Request::boxes() {
  const shingle_box* boxes = nullptr;
  size_t count = 0;
  const shingle_code code = without_gil([&] { return shingle_boxes(handle_, &boxes, &count); });
  if (code == SHINGLE_USAGE) return py::none();
  check(code);
  py::list found;
  for (size_t i = 0; i < count; ++i) {
    const shingle_box& box = boxes[i];
    found.append(
        py::make_tuple(box.x0, box.y0, box.x1, box.y1, box.score, box.class_id, box.class_name));
  }
  return found;
}

int64_t Request::duration_ns() {
  int64_t nanoseconds = 0;
  check(shingle_duration(handle_, &nanoseconds));
  return nanoseconds;
}

}  // namespace shingle::python
