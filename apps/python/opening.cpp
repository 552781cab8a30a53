#include "apps/python/opening.hpp"

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <mutex>
#include <thread>
#include <utility>

#include "apps/python/errors.hpp"
#include "apps/python/gil.hpp"

namespace shingle::python {
namespace {

std::atomic<int> openings{0};  // threads

struct Opening {
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  bool abandoned = false;
  shingle_code code = SHINGLE_OK;
  std::string sentence;
  shingle_session* session = nullptr;
};

class Options {
 public:
  Options() { check(shingle_options_new(&handle_)); }
  ~Options() { shingle_options_free(handle_); }
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  shingle_options* handle() const { return handle_; }

 private:
  shingle_options* handle_ = nullptr;
};

void put_note(int32_t level, const char* sentence, void* mailbox) {
  static_cast<Mailbox*>(mailbox)->put(Note{.level = level, .sentence = sentence});
}

// The mailbox is kept until the session is handed over or freed: notes go there.
void open_and_tell(const std::shared_ptr<Options>& options,
                   const std::shared_ptr<Mailbox>& /*kept*/,
                   const std::shared_ptr<Opening>& opening) {
  shingle_session* session = nullptr;
  const shingle_code code = shingle_open(options->handle(), &session);
  std::unique_lock lock(opening->mutex);
  if (opening->abandoned) {
    lock.unlock();
    if (session != nullptr) shingle_session_free(session);
    return;
  }
  opening->code = code;
  if (code != SHINGLE_OK) opening->sentence = shingle_error();
  opening->session = session;
  opening->ended = true;
  opening->changed.notify_all();
}

// Threads that are started meanwhile get no signals: those are for Python's own.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

// Counts a thread as long as it opens a session.
class Counted {
 public:
  Counted() { ++openings; }
  ~Counted() {
    if (is_mine_) --openings;
  }
  Counted(Counted&& other) noexcept : is_mine_(std::exchange(other.is_mine_, false)) {}
  Counted& operator=(Counted&&) = delete;

 private:
  bool is_mine_ = true;
};

// Throws std::system_error if the system starts no thread.
void start(std::shared_ptr<Options> options, std::shared_ptr<Mailbox> mailbox,
           std::shared_ptr<Opening> opening) {
  const SignalsBlocked blocked;
  std::thread([counted = Counted(), options = std::move(options), mailbox = std::move(mailbox),
               opening = std::move(opening)]() mutable {
    open_and_tell(options, mailbox, opening);
    options.reset();  // all before the count goes
    mailbox.reset();
    opening.reset();
  }).detach();
}

bool ended_within_slice(Opening& opening) {
  std::unique_lock lock(opening.mutex);
  return opening.changed.wait_for(lock, slice, [&] { return opening.ended; });
}

void abandon(Opening& opening) {
  const std::lock_guard lock(opening.mutex);
  opening.abandoned = true;
  if (opening.session != nullptr) shingle_session_free(opening.session);
}

}  // namespace

shingle_session* open_session(const OpeningOptions& options, std::shared_ptr<Mailbox> mailbox) {
  const auto library_options = std::make_shared<Options>();
  for (const auto& [name, value] : options.values) {
    check(shingle_options_set(library_options->handle(), name.c_str(), value.c_str()));
  }
  if (options.model) {
    check(shingle_options_set_model(library_options->handle(), options.model->data(),
                                    options.model->size()));
  }
  check(shingle_options_set_log(library_options->handle(), put_note, mailbox.get()));
  const auto opening = std::make_shared<Opening>();
  start(library_options, std::move(mailbox), opening);
  try {
    while (!without_gil([&] { return ended_within_slice(*opening); })) check_signals();
  } catch (...) {
    abandon(*opening);
    throw;
  }
  if (opening->code != SHINGLE_OK) throw_error(opening->code, opening->sentence);
  return opening->session;
}

void end_openings() {
  constexpr timespec nap{.tv_sec = 0, .tv_nsec = 1'000'000};
  for (int naps = 0; openings > 0 && naps < 2000; ++naps) nanosleep(&nap, nullptr);
}

void forget_openings() noexcept { openings = 0; }

}  // namespace shingle::python
