// The wire on loopback: pieces of 1 MB through the real transport from one process to another, each
// header decoded and verified, each payload pasted into a tensor.
//
//   sender: tensor --> send() --> ZeroMQ --> TCP --> ZeroMQ --> inbox --> copy_region --> tensor
//             ^                                                              |
//             '------------------- a Done for each piece --------------------'
//
// As nodes do, the sender keeps a bounded number of bytes in flight. Once in clear and once with
// keys, as nodes are used: then libzmq encrypts and authenticates each frame (CURVE).
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "bench/measure.hpp"
#include "runtime/driver/canvas.hpp"
#include "transport/keys/key_folder.hpp"
#include "transport/zmq/zmq_transport.hpp"

namespace shingle::bench {

inline constexpr Region megabyte{{0, 64}, {0, 64}, {0, 64}};  // of f32
inline constexpr int64_t megabyte_bytes = 64 * 64 * 64 * 4;
inline constexpr int pieces_in_flight = 8;

namespace loopback {

[[noreturn]] inline void fail(const std::string& sentence) {
  std::fprintf(stderr, "bench loopback: %s\n", sentence.c_str());
  std::_Exit(1);
}

// A folder with the keys of nodes 1 and 2, gone with it.
class Keys {
 public:
  Keys() {
    std::string name = (std::filesystem::temp_directory_path() / "shingle-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) fail("no folder for keys");
    path_ = name;
    const KeyFolder folder(path_);
    Allowed allowed;
    for (const uint32_t id : {1U, 2U}) {
      const KeyPair pair = new_key_pair();
      if (!allowed.add({id}, pair.open) || !folder.save({id}, pair)) fail("keys cannot be written");
    }
    if (const Status saved = folder.save(allowed); !saved) fail(saved.error());
  }
  ~Keys() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// `keys`: a folder; empty: in clear.
inline std::unique_ptr<ZmqTransport> open(uint32_t self, uint16_t peer_port, Inbox& inbox,
                                          const std::string& keys) {
  ZmqOptions options;
  options.id = {self};
  options.keys = keys;
  options.insecure = keys.empty();
  options.peers.push_back({.id = {3 - self}, .host = "127.0.0.1", .port = peer_port});
  auto transport = ZmqTransport::open(std::move(options), inbox);
  if (!transport) fail(transport.error());
  return std::move(transport).value();
}

inline void wait_for_peer(Inbox& inbox) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (const auto item = inbox.wait(until))
    if (std::holds_alternative<PeerSeen>(item->event)) return;
  fail("the receiver does not answer after 20 s");
}

inline MessageReceived next(Inbox& inbox, Payload& payload) {
  while (true) {
    auto item = inbox.wait(std::chrono::steady_clock::now() + std::chrono::seconds(20));
    if (!item) fail("nothing arrived for 20 s");
    if (auto* lost = std::get_if<PeerLost>(&item->event)) fail("peer lost: " + lost->why);
    payload = std::move(item->payload);
    if (auto* received = std::get_if<MessageReceived>(&item->event)) return std::move(*received);
  }
}

// Node 2: pastes `pieces` and answers each; tells its port through `report`.
[[noreturn]] inline void receive(int pieces, int report, const std::string& keys) {
  Inbox inbox;
  const auto transport = open(2, 1, inbox, keys);
  const uint16_t port = transport->port();
  if (write(report, &port, sizeof port) != sizeof port) fail("the pipe is broken");
  Canvases canvases;
  const CanvasKey key{};
  const TensorView target = canvases.open(key, megabyte, ElementType::f32);
  for (int i = 0; i < pieces; ++i) {
    Payload payload;
    const MessageReceived received = next(inbox, payload);
    const auto* piece = std::get_if<Piece>(&received.message);
    if (piece == nullptr || piece->index != static_cast<uint32_t>(i)) fail("pieces out of order");
    if (received.payload_bytes != megabyte_bytes) fail("a piece of the wrong size");
    copy_region({payload.bytes.data(), megabyte, ElementType::f32}, target, megabyte);
    uint32_t first = 0;
    std::memcpy(&first, target.data, sizeof first);
    if (first != piece->index) fail("a piece with another's bytes");
    transport->send({1}, {.from = {2}}, Done{}, {});
  }
  Payload payload;
  next(inbox, payload);  // goodbye: nothing that was answered is lost
  std::_Exit(0);
}

inline double send(int pieces, uint16_t port, const std::string& keys) {
  Inbox inbox;
  const auto transport = open(1, port, inbox, keys);
  wait_for_peer(inbox);
  std::vector<std::byte> source(static_cast<size_t>(megabyte_bytes));
  const auto send_piece = [&](uint32_t index) {
    std::memcpy(source.data(), &index, sizeof index);
    Piece piece;
    piece.index = index;
    const auto write = [&](std::span<std::byte> wire) {
      copy_region({source.data(), megabyte, ElementType::f32},
                  {wire.data(), megabyte, ElementType::f32}, megabyte);
    };
    transport->send({2}, {.from = {1}}, piece, {source.size(), std::ref(write)});
  };
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < pieces + pieces_in_flight; ++i) {
    Payload none;
    if (i >= pieces_in_flight) next(inbox, none);
    if (i < pieces) send_piece(static_cast<uint32_t>(i));
  }
  const auto took = std::chrono::steady_clock::now() - begin;
  transport->send({2}, {.from = {1}}, Beat{}, {});
  return double(pieces) * double(megabyte_bytes) /
         std::chrono::duration<double, std::nano>(took).count();
}

// GB/s of one run between this process and a child.
inline double run(int pieces, const std::string& keys) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) fail("no pipe");
  const pid_t child = fork();
  if (child < 0) fail("no second process");
  if (child == 0) receive(pieces, pipe_ends[1], keys);
  close(pipe_ends[1]);
  uint16_t port = 0;
  if (read(pipe_ends[0], &port, sizeof port) != sizeof port) fail("the receiver did not start");
  close(pipe_ends[0]);
  const double speed = send(pieces, port, keys);
  waitpid(child, nullptr, 0);
  return speed;
}

}  // namespace loopback

struct LoopbackSpeed {
  static constexpr double least_in_clear = 1.0;
  double in_clear = 0.0, encrypted = 0.0;  // GB/s
  bool enough() const { return in_clear >= least_in_clear; }
};

// Medians of `rounds` runs of `pieces` each, in clear and with keys in turn, so that a machine
// whose speed drifts drifts for both. Forks: call it while the program has no other threads, or
// none that hold locks.
inline LoopbackSpeed loopback_speed(int pieces = 1500, int rounds = 3) {
  const loopback::Keys keys;
  std::vector<double> in_clear, encrypted;
  for (int round = 0; round < rounds; ++round) {
    in_clear.push_back(loopback::run(pieces, ""));
    encrypted.push_back(loopback::run(pieces, keys.path()));
  }
  return {median(in_clear), median(encrypted)};
}

}  // namespace shingle::bench
