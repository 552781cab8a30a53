#include "apps/python/gil.hpp"

#include <pybind11/pybind11.h>

#include <ctime>

#include "apps/python/errors.hpp"

namespace shingle::python {
namespace {

// Both change with the GIL held.
int outside = 0;
bool ending = false;

}  // namespace

void begin_outside_call() {
  if (ending)
    throw_error(SHINGLE_CLOSED, "the interpreter is ending, so nothing is computed any more");
  ++outside;
}

void end_outside_call() noexcept { --outside; }

void check_signals() {
  if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

bool interpreter_ends() noexcept { return ending; }

void end_outside_calls() {
  ending = true;
  constexpr timespec nap{.tv_sec = 0, .tv_nsec = 1'000'000};
  for (int naps = 0; outside > 0 && naps < 2000; ++naps) {
    PyThreadState* const mine = PyEval_SaveThread();
    nanosleep(&nap, nullptr);
    PyEval_RestoreThread(mine);
  }
}

void forget_outside_calls() noexcept { outside = 0; }

}  // namespace shingle::python
