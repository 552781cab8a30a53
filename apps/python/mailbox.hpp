// What a session has to tell Python: requests that have ended, and notes. Threads of the library
// put them in and never wait; a thread of Python takes them out and carries them further.
#pragma once

#include <pybind11/pybind11.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <variant>

#include "apps/python/request.hpp"

namespace shingle::python {

// A request under way, and the Python function that gets it when it has ended. Made and destroyed
// with the GIL only.
struct Pending {
  std::shared_ptr<Request> request;
  pybind11::object receiver;
};

struct Note {
  int32_t level;
  std::string sentence;
};

class Mailbox {
 public:
  // On any thread, without the GIL.
  void put(std::unique_ptr<Pending> ended);
  void put(Note note);  // beyond 256 unread notes it is dropped and counted
  // Nothing is put in after this.
  void finish();

  // Waits for the next, and calls the receiver of a request, or log(level, sentence) for a note,
  // whose errors it throws. False: all was taken, and it is finished, or
  // the interpreter ends. Requires the GIL, which it
  // leaves while it waits. One thread at a time.
  bool deliver(const pybind11::object& log);

 private:
  using Item = std::variant<std::unique_ptr<Pending>, Note>;
  void wait_for_item();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  size_t notes_ = 0;    // in items_
  size_t dropped_ = 0;  // notes, since the last one that was taken
  bool finished_ = false;
};

}  // namespace shingle::python
