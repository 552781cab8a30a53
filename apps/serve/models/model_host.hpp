// ModelHost: the models that are served, and a session for each way in which one is used.
//
//   look()  --  unknown
//           '-  loading  --(the loader)-->  ready, or failed: tried again after a pause
//
// One thread, the loader, opens and closes sessions and stores what peers send, so each model is
// loaded once and nobody else waits for it. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "apps/serve/budget.hpp"
#include "apps/serve/models/served_model.hpp"
#include "apps/serve/models/session.hpp"
#include "apps/serve/models/shelf.hpp"

namespace shingle::serve {

struct Standing {
  enum class State : uint8_t { unknown, loading, ready, failed };
  State state = State::unknown;
  std::shared_ptr<const Session> session{};  // ready
  std::string error{};                       // failed: one sentence
  bool is_saved = true;                      // false: bytes that were sent were not taken
  bool is_tried_again = false;               // failed, but no file is wrong: it may come soon

  bool may_come() const { return state == State::loading || is_tried_again; }
};

class ModelHost {
 public:
  struct Options {
    OptionTexts session;           // of all sessions
    std::optional<Shelf> shelf{};  // none: no models are accepted
    Log log{};
    std::chrono::milliseconds retry_after{10'000};
    // The pause when a file is wrong. It is also for files that are not watched, such as a list of
    // names. A model's own file is watched: once it has changed, retry_after is the pause.
    std::chrono::milliseconds retry_wrong_after{60'000};
  };
  explicit ModelHost(Options options);
  ~ModelHost();  // closes all sessions

  // What is served by name from now on. Sessions stay of files that are still named and have not
  // changed; what failed is tried again at once. `eager`: these uses are loaded at once, and tried
  // again by keep().
  void serve(std::vector<ServedModel> models, const std::vector<Use>& eager);
  std::vector<std::string> names() const;
  void keep();  // call it now and then

  // Of a model of the command line; begins to load it.
  Standing look(const std::string& name, Use use);
  // Also by the name of its file, and of what peers sent. `was_sent`: how it went with the bytes
  // that were sent last under this name.
  Standing look_for_peer(const std::string& name, bool was_sent = false);
  // Says that the session can compute no more, and why. Its model is opened again after a pause.
  void has_ended(const Session& session, const std::string& sentence);
  // The name of the only model there is, for peers that name none.
  std::optional<std::string> only_name() const;

  bool accepts() const { return accepts_; }
  // Stores the bytes under this name, and then begins to load them. look_for_peer() says how it
  // went. False: too many wait to be stored. REQUIRES: accepts().
  bool accept(const std::string& name, std::vector<std::byte> bytes, Share share);

  // Called by the loader whenever a standing has changed. An earlier function is not called any
  // more once this returns.
  void on_change(std::function<void()> call) {
    const std::lock_guard lock(calling_);
    on_change_ = std::move(call);
  }

 private:
  struct Source {  // of a model's bytes
    std::string path{};
    std::optional<Hash> hash{};  // in the place of a path
    friend auto operator<=>(const Source&, const Source&) = default;
  };
  using Key = std::pair<Source, Use>;
  using Instant = std::chrono::steady_clock::time_point;
  struct Entry {
    Standing standing{.state = Standing::State::loading};
    uint64_t number = 0;        // never used twice: a load is for this entry or for none
    std::string stamp{};        // of the file when it was opened
    bool is_bad_input = false;  // failed: a file is wrong
    Instant failed_at{}, asked_at{};
  };
  struct Delivery {
    std::string name;
    std::vector<std::byte> bytes;
    Share share;
  };

  struct Load {
    Key key;
    uint64_t number;  // of its entry
  };
  struct Work {  // of the loader
    std::deque<Load> to_load{};
    std::deque<Delivery> to_store{};
    std::vector<std::shared_ptr<const Session>> retired{};  // to be closed with their last holder
  };

  Standing look_locked(const Key& key);
  std::string name_locked(const Source& source) const;  // one of them
  void make_room_locked();
  bool may_try_again(const Key& key, const Entry& entry, Instant now) const;
  void retire_locked(Entry& entry);
  template <class Gone>
  void drop_locked(const Gone& gone);
  void run();
  Entry* entry_locked(const Load& load);  // null: nobody wants it any more
  void load(const Load& load);
  Session::Opened open(const Key& key) const;
  Result<Hash> put(const Delivery& delivery);
  void store(Delivery delivery);
  void free_retired();
  void tell();

  const Options options_;
  const bool accepts_;
  std::optional<Shelf> shelf_;  // the loader's, once it runs
  std::mutex calling_;
  std::function<void()> on_change_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ServedModel> served_;
  std::vector<Use> eager_;
  std::map<std::string, Hash> accepted_;        // by name, as on the shelf
  std::map<std::string, Standing> deliveries_;  // that are not stored, or were refused
  std::map<Key, Entry> entries_;
  uint64_t next_number_ = 1;
  Work work_;
  bool ends_ = false;
  std::thread loader_;
};

}  // namespace shingle::serve
