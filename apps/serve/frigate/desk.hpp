// FrigateDesk: what is answered to Frigate's detectors. It knows no socket.
//
//   asks for a model  -> waits until it is loaded, at most 25 s  -> available and loaded, or not
//   sends a model     -> stored and loaded, the same wait         -> saved and loaded, or not
//   sends a tensor    -> computed, at most --answer-in            -> 20 rows
//
// A tensor is for the model that its peer last asked for. A peer that has asked for none, while
// there is not just one, is disconnected: libzmq may have connected it again behind Frigate's back,
// and without an answer Frigate asks for its model again.
//
// A peer has one request under way. Belongs to one thread, but for wake().
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "apps/serve/frigate/picture.hpp"
#include "apps/serve/frigate/rows.hpp"
#include "apps/serve/frigate/zmtp.hpp"
#include "apps/serve/models/model_host.hpp"

namespace shingle::serve {

struct FrigateOptions {
  FrigatePixels pixels{};
  std::chrono::milliseconds answer_in{150};
  std::chrono::milliseconds load_wait{25'000};  // Frigate itself waits for 30 s
};

class FrigateDesk {
 public:
  using Instant = std::chrono::steady_clock::time_point;
  using Peer = uint64_t;  // never used twice
  struct Answer {
    Peer peer = 0;
    std::vector<std::string> frames;  // none: it has to be disconnected
  };

  // `wake`: called on any thread when there is something to do.
  FrigateDesk(ModelHost& models, const FrigateOptions& options, Log log,
              std::function<void()> wake);

  ~FrigateDesk();
  FrigateDesk(const FrigateDesk&) = delete;
  FrigateDesk& operator=(const FrigateDesk&) = delete;

  // `begun`: when it began to come. REQUIRES: nothing of this peer is under way.
  void on_message(Peer peer, ZmtpMessage message, Instant begun);
  void forget(Peer peer);  // it is gone
  // Answers that are due by now.
  std::vector<Answer> answers(Instant now);
  // When answers() has something to do without being woken.
  std::optional<Instant> next() const;

 private:
  struct Wait {  // for a model
    std::string name;
    bool was_sent = false;
    Instant until{};
  };
  struct Frame {  // that is computed
    uint64_t ticket = 0;
    Instant until{};
  };
  struct PeerState {
    std::string model;  // that it last asked for; empty: none
    bool delimited = false;
    std::optional<Wait> wait{};
    std::optional<Frame> frame{};
  };
  struct Finished {
    uint64_t ticket = 0;
    FrigateRows rows{};
    std::string error{};
    std::weak_ptr<const Session> ended{};  // that computes nothing any more
  };
  struct Mailbox {  // between the sessions' threads and this desk
    std::mutex mutex;
    std::vector<Finished> finished;
    std::function<void()> wake;
  };

  void on_header(Peer peer, const ModelAsked& asked, ZmtpMessage& message, Instant begun);
  void on_header(Peer peer, const ModelSent& sent, ZmtpMessage& message, Instant begun);
  void on_header(Peer peer, const TensorSent& tensor, ZmtpMessage& message, Instant begun);
  Status compute(PeerState& state, const std::string& name, const TensorSent& tensor,
                 const ZmtpMessage& message, Instant begun);
  void answer(Peer peer, std::vector<std::string> frames);
  void answer_rows(Peer peer, const FrigateRows& rows, const std::string& error);
  void look_at_wait(Peer peer, PeerState& state, Instant now);
  void take_finished();
  void note_once(LogLevel level, const std::string& sentence);

  ModelHost& models_;
  const FrigateOptions options_;
  const Log log_;
  const std::shared_ptr<Mailbox> mailbox_;
  std::map<Peer, PeerState> peers_;
  uint64_t next_ticket_ = 1;
  std::vector<Answer> answers_;
  std::string last_note_;  // the same is not noted twice in a row
};

}  // namespace shingle::serve
