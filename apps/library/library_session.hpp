// LibrarySession: one session of the library: a model on a cluster, with two threads of its own.
//
//   callers -- RequestDesk -- the session's thread: opens the place, deals frames, takes answers
//                         '-- the thread for callbacks
//
// Local workers are children of the session's thread, so they do not depend on who opened it.
// Thread-safe.
#pragma once

#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "apps/library/opened_model.hpp"
#include "apps/library/request_desk.hpp"
#include "apps/library/session_settings.hpp"

namespace shingle {

class FrameStream;

class LibrarySession {
 public:
  // Returns when all nodes are ready.
  static Result<std::shared_ptr<LibrarySession>> open(SessionSettings settings);
  ~LibrarySession();

  const std::shared_ptr<const OpenedModel>& model() const { return model_; }
  const std::shared_ptr<RequestDesk>& desk() const { return desk_; }
  std::optional<Duration> deadline() const { return settings_.stream.deadline; }
  shingle_counters counters() const;
  std::string plan() const;  // as print(Rotation)

  // Does the caller run on a thread of that desk's session, as callbacks do?
  static bool is_thread_of(const RequestDesk& desk);
  bool is_closed() const { return closed_; }
  // Ends what is under way, with its callbacks, and leaves the cluster. REQUIRES: not on a thread
  // of the session.
  void close();
  // The same at the end of the process: without callbacks, and without waiting for one that runs.
  void abandon();

 private:
  struct Figures {  // of the stream, as the session's thread last saw them
    uint64_t tiles = 0, borrowed_tiles = 0, wire_bytes = 0, plan_changes = 0, nodes = 0;
    std::string plan{};
  };

  explicit LibrarySession(SessionSettings settings);
  void run(std::promise<Status>& opened);
  Status compute(FrameStream& stream);
  Status deal(FrameStream& stream, std::deque<RequestDesk::Request>& sent);
  Status collect(FrameStream& stream, std::deque<RequestDesk::Request>& sent);
  void look_at(const FrameStream& stream);
  void tell();
  bool tell(DeskRequest& request) const;

  const SessionSettings settings_;
  std::shared_ptr<const OpenedModel> model_;
  const std::shared_ptr<RequestDesk> desk_;
  mutable std::mutex figures_mutex_;
  Figures figures_;
  std::atomic<bool> closed_{false};
  std::mutex closing_;  // whoever holds it joins the threads
  std::thread session_thread_, callback_thread_;
};

}  // namespace shingle
