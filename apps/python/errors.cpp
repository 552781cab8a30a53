#include "apps/python/errors.hpp"

#include <pybind11/pybind11.h>

namespace shingle::python {
namespace py = pybind11;

void throw_error(shingle_code code, const std::string& sentence) {
  const py::object error = py::module_::import("shingle.errors").attr("error_of")(code, sentence);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
  throw py::error_already_set();
}

void check(shingle_code code) {
  if (code != SHINGLE_OK) throw_error(code, shingle_error());
}

void throw_wrong_type(const std::string& sentence) { throw py::type_error(sentence); }

}  // namespace shingle::python
