// LibrarySession: one session of the library: a model on a cluster, with two threads of its own.
//
//   callers -- RequestDesk -- the session's thread: opens the place, deals frames, takes answers
//                         '-- the thread for callbacks
//
// Local workers are children of the session's thread, so they do not depend on who opened it. What
// the session has in the file system is deleted by its thread, too.
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
  explicit LibrarySession(SessionSettings settings);
  // Once. Returns when all nodes are ready, or how it failed.
  RequestEnd open();
  ~LibrarySession();

  const std::shared_ptr<const OpenedModel>& model() const { return model_; }
  const std::shared_ptr<RequestDesk>& desk() const { return desk_; }
  std::optional<Duration> deadline() const { return settings_.stream.deadline; }
  shingle_counters counters() const;
  std::string plan() const;  // as print(Rotation)

  // May the caller not wait for that desk's session? So it is on its threads, where callbacks run,
  // and in every log function.
  static bool is_waited_for(const RequestDesk& desk);
  bool is_open() const { return open_; }  // then there is a model
  // Ends what is under way, with its callbacks, and leaves the cluster. REQUIRES: not on a thread
  // of the session.
  void close();
  // The same at the end of the process, for all sessions that there are: without callbacks, and
  // without waiting for one that runs, or for long. Afterwards none opens.
  static void abandon(const std::vector<std::shared_ptr<LibrarySession>>& sessions);

 private:
  struct Figures {  // of the stream, as the session's thread last saw them
    uint64_t tiles = 0, borrowed_tiles = 0, wire_bytes = 0, plan_changes = 0, nodes = 0;
    std::string plan{};
  };

  struct Opening {
    std::promise<RequestEnd> promise{};
    bool is_told = false;
    void tell(RequestEnd end) {
      is_told = true;
      promise.set_value(std::move(end));
    }
  };
  void abandon();
  void run(Opening& opening);
  void open_and_compute(Opening& opening);
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
  std::atomic<bool> open_{false};
  std::mutex closing_;                // whoever holds it begins or joins the threads
  std::promise<void> end_of_thread_;  // of the session's
  std::thread session_thread_, callback_thread_;
};

}  // namespace shingle
