// The module shingle._shingle: what shingle/_shingle.pyi declares. The package shingle is its only
// user.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "apps/python/errors.hpp"
#include "apps/python/gil.hpp"
#include "apps/python/session.hpp"

namespace shingle::python {
namespace {

namespace py = pybind11;
using py::literals::operator""_a;

using Values = std::vector<std::pair<std::string, std::string>>;
using Inputs = std::vector<std::pair<std::string, py::array>>;

std::unique_ptr<Session> open(Values values, const py::object& model,
                              std::shared_ptr<Mailbox> mailbox) {
  OpeningOptions options{.values = std::move(values), .model = std::nullopt};
  if (!model.is_none()) options.model = py::cast<std::string_view>(model);
  return std::make_unique<Session>(options, std::move(mailbox));
}

std::shared_ptr<Request> submit(Session& session, Inputs inputs, int64_t deadline_ns,
                                int64_t room_wait_ns, py::object receiver) {
  std::vector<NamedArray> named;
  for (auto& [name, array] : inputs) {
    named.push_back({.name = std::move(name), .array = std::move(array)});
  }
  return session.submit(
      named,
      {.deadline_ns = deadline_ns, .room_wait_ns = room_wait_ns, .receiver = std::move(receiver)});
}

std::shared_ptr<Request> submit_picture(Session& session, const py::array& picture, int32_t format,
                                        int64_t deadline_ns, int64_t room_wait_ns,
                                        py::object receiver) {
  return session.submit_picture(
      picture, format,
      {.deadline_ns = deadline_ns, .room_wait_ns = room_wait_ns, .receiver = std::move(receiver)});
}

void end() {
  end_outside_calls();
  end_openings();
}

void forget_parent() {
  forget_outside_calls();
  forget_openings();
}

// Sets ImportError. In a sub-interpreter nothing of pybind11 may run: it would wait for the GIL
// that this thread has.
bool is_refused_interpreter() {
  if (PyInterpreterState_Get() == PyInterpreterState_Main()) return false;
  PyErr_SetString(PyExc_ImportError,
                  "shingle does not work in a sub-interpreter; import it in the main interpreter");
  return true;
}

// Python does not call PyInit__shingle() again for a second interpreter, so the package calls this.
// It is not of pybind11.
PyObject* refuse_sub_interpreter(PyObject*, PyObject*) {
  if (is_refused_interpreter()) return nullptr;
  Py_RETURN_NONE;
}

PyMethodDef plain_functions[] = {
    {"refuse_sub_interpreter", refuse_sub_interpreter, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

void define_codes(py::module_& module) {
  module.attr("RUNTIME") = static_cast<int>(SHINGLE_RUNTIME);
  module.attr("USAGE") = static_cast<int>(SHINGLE_USAGE);
  module.attr("BAD_INPUT") = static_cast<int>(SHINGLE_BAD_INPUT);
  module.attr("LATE") = static_cast<int>(SHINGLE_LATE);
  module.attr("BUSY") = static_cast<int>(SHINGLE_BUSY);
  module.attr("CLOSED") = static_cast<int>(SHINGLE_CLOSED);
  module.attr("FORKED") = static_cast<int>(SHINGLE_FORKED);
  module.attr("NO_MEMORY") = static_cast<int>(SHINGLE_NO_MEMORY);
  module.attr("WARNING") = static_cast<int>(SHINGLE_WARNING);
  module.attr("BGR") = static_cast<int>(SHINGLE_BGR);
  module.attr("RGB") = static_cast<int>(SHINGLE_RGB);
  module.attr("GREY") = static_cast<int>(SHINGLE_GREY);
}

void define(py::module_& module) {
  module.doc() = "The C library's handles. Use the package shingle.";
  define_codes(module);
  module.def("version", shingle_version);
  if (PyModule_AddFunctions(module.ptr(), plain_functions) != 0) throw py::error_already_set();
  module.def("end", end);
  module.def("forget_parent", forget_parent);
  py::class_<Mailbox, std::shared_ptr<Mailbox>>(module, "Mailbox")
      .def(py::init<>())
      .def("deliver", &Mailbox::deliver, "log"_a)
      .def("finish", &Mailbox::finish);
  py::class_<Request, std::shared_ptr<Request>>(module, "Request")
      .def("wait", &Request::wait)
      .def("cancel", &Request::cancel)
      .def("output", &Request::output, "index"_a)
      .def("findings", &Request::findings)
      .def("boxes", &Request::boxes)
      .def("duration_ns", &Request::duration_ns);
  py::class_<Session>(module, "Session")
      .def(py::init(&open), "options"_a, "model"_a, "mailbox"_a)
      .def("close", &Session::close)
      .def("inputs", &Session::inputs)
      .def("outputs", &Session::outputs)
      .def("submit", &submit, "inputs"_a, "deadline_ns"_a, "room_wait_ns"_a, "receiver"_a)
      .def("submit_picture", &submit_picture, "picture"_a, "format"_a, "deadline_ns"_a,
           "room_wait_ns"_a, "receiver"_a)
      .def("counters", &Session::counters)
      .def("plan", &Session::plan);
}

py::module_::module_def definition;

}  // namespace

// PYBIND11_MODULE, with a question in front of it.
PYBIND11_PLUGIN_IMPL(_shingle) {
  if (is_refused_interpreter()) return nullptr;
  PYBIND11_CHECK_PYTHON_VERSION
  PYBIND11_ENSURE_INTERNALS_READY
  py::module_ module = py::module_::create_extension_module("_shingle", nullptr, &definition);
  try {
    define(module);
    return module.ptr();
  }
  PYBIND11_CATCH_INIT_EXCEPTIONS
}

}  // namespace shingle::python
