#include "apps/python/mailbox.hpp"

#include <cassert>
#include <utility>

#include "apps/python/gil.hpp"

namespace shingle::python {
namespace {

constexpr size_t most_notes = 256;

}  // namespace

namespace py = pybind11;

void Mailbox::put(std::unique_ptr<Pending> ended) {
  const std::lock_guard lock(mutex_);
  assert(!finished_);
  items_.emplace_back(std::move(ended));
  changed_.notify_one();
}

void Mailbox::put(Note note) {
  const std::lock_guard lock(mutex_);
  if (notes_ == most_notes) {
    ++dropped_;
    return;
  }
  ++notes_;
  items_.emplace_back(std::move(note));
  changed_.notify_one();
}

void Mailbox::finish() {
  const std::lock_guard lock(mutex_);
  finished_ = true;
  changed_.notify_all();
}

void Mailbox::wait_for_item() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !items_.empty() || finished_; });
}

bool Mailbox::deliver(const py::object& log) {
  if (interpreter_ends()) return false;
  without_gil([this] {
    wait_for_item();
    return true;
  });
  std::unique_lock lock(mutex_);
  if (items_.empty()) return false;
  Item item = std::move(items_.front());
  items_.pop_front();
  auto* const note = std::get_if<Note>(&item);
  if (note != nullptr) {
    --notes_;
    if (const size_t dropped = std::exchange(dropped_, 0)) {
      note->sentence += " (" + std::to_string(dropped) + " further notes were dropped)";
    }
  }
  lock.unlock();
  if (note != nullptr) {
    log(note->level, note->sentence);
  } else {
    const auto& ended = std::get<std::unique_ptr<Pending>>(item);
    ended->receiver(ended->request);
  }
  return true;
}

}  // namespace shingle::python
