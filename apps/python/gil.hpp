// Python's global interpreter lock (GIL), and leaving it while the library works or waits.
//
// Threads of the library never take the GIL, so a thread that holds it may call the library. What
// may wait is called without it. When the interpreter ends, a thread that wants the GIL back is
// ended in the middle of its frames, which C++ does not survive. So the threads that are outside
// are counted, and end_outside_calls() waits for them.
#pragma once

#include <Python.h>

#include <chrono>

namespace shingle::python {

inline constexpr std::chrono::milliseconds slice{100};  // how long a wait ignores signals

// Counts this thread as outside. Requires the GIL. Throws ClosedError once the interpreter ends.
void begin_outside_call();
void end_outside_call() noexcept;

// Calls `call`, which must not throw nor touch Python, without the GIL. Requires the GIL.
template <class Call>
auto without_gil(Call call) {
  begin_outside_call();
  PyThreadState* const mine = PyEval_SaveThread();
  const auto result = call();
  PyEval_RestoreThread(mine);
  end_outside_call();
  return result;
}

// Runs Python's signal handlers if this is the main thread. Throws what they raise, such as
// KeyboardInterrupt.
void check_signals();

// end_outside_calls() was called.
bool interpreter_ends() noexcept;

// From now on nobody leaves the GIL. Waits until all who left it are back, at most two seconds.
// Requires the GIL.
void end_outside_calls();

// In a child of fork(), whose only thread is the caller.
void forget_outside_calls() noexcept;

}  // namespace shingle::python
