// FrigateServer: a ROUTER for Frigate's ZMQ detectors, each of which has a REQ. One thread.
//
//   sockets -- FrigateConnection -- ZmtpReader      bytes and messages
//                      '-- FrigateDesk              what is answered
//
// What a peer may do is bounded: connections, frames, bytes of a message and of all together,
// seconds. A peer that breaks a limit is noted in one sentence and disconnected; the others do not
// notice.
#pragma once

#include <unistd.h>

#include <atomic>
#include <map>
#include <memory>
#include <thread>

#include "apps/serve/frigate/connection.hpp"
#include "apps/serve/frigate/desk.hpp"
#include "apps/serve/frigate/endpoint.hpp"

namespace shingle::serve {

struct FrigateServerOptions {
  FrigateEndpoint endpoint;
  FrigateOptions answers{};
  ConnectionTimes times{};
  size_t connections = 64;
};

class FrigateServer {
 public:
  // Listens. `models` and `budget` must outlive it.
  static Result<std::unique_ptr<FrigateServer>> start(const FrigateServerOptions& options,
                                                      ModelHost& models, Budget& budget, Log log);
  ~FrigateServer();

  std::string endpoint() const { return listener_.endpoint(); }
  uint64_t turns() const { return turns_; }  // of its loop: it goes round at least twice a second
  void wake();                               // on any thread: a model's standing has changed

 private:
  class WakeDescriptor {  // of an eventfd
   public:
    explicit WakeDescriptor(int descriptor) : descriptor_(descriptor) {}
    ~WakeDescriptor() { ::close(descriptor_); }
    WakeDescriptor(const WakeDescriptor&) = delete;
    WakeDescriptor& operator=(const WakeDescriptor&) = delete;
    int descriptor() const { return descriptor_; }

   private:
    const int descriptor_;
  };
  FrigateServer(const FrigateServerOptions& options, Listener listener, int event,
                ModelHost& models, Budget& budget, Log log);
  using Instant = FrigateConnection::Instant;

  void run();
  void turn();
  void hang_up_all();
  int pause(Instant now) const;  // in milliseconds
  void accept_peers(Instant now);
  // False: it has to be disconnected, for a reason that was noted.
  bool serve(uint64_t peer, FrigateConnection& connection, int events, Instant now);
  bool goes_on(const Status& status);
  void hang_up(uint64_t peer);

  const FrigateServerOptions options_;
  Listener listener_;
  const WakeDescriptor event_;  // outlives the desk, which writes to it
  Budget& budget_;
  const Log log_;
  FrigateDesk desk_;
  std::map<uint64_t, std::unique_ptr<FrigateConnection>> connections_;
  uint64_t next_peer_ = 1;
  std::atomic<uint64_t> turns_{0};
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace shingle::serve
