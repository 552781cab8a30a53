// ZMTP 3 (ZeroMQ RFC 23) as a server without encryption speaks it: bytes in, messages and bytes
// out. libzmq collects all frames of a message before it hands over the first, without a limit to
// their number; this reader keeps two frames of a message, each with a limit, and throws the rest
// away as it comes.
//
//   64 bytes of greeting  ->  READY  ->  messages: [""], [header], [payload]
//
// Pure: no socket, no clock.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/serve/budget.hpp"
#include "partition/base/result.hpp"

namespace shingle::serve {

struct ZmtpLimits {
  static constexpr uint64_t header_bytes = 64 << 10;
  static constexpr uint64_t payload_bytes = 64 << 20;
  // Beyond these the connection ends. Below, an unfit message is read to its end and answered.
  static constexpr uint64_t message_bytes = 192 << 20;
  static constexpr uint64_t frames = 64;
  static constexpr uint64_t command_bytes = 4096;
};

// A message without its empty first frame, which a REQ puts before each.
struct ZmtpMessage {
  bool delimited = false;  // the empty frame was there; then the answer has one too
  uint64_t frames = 0;     // behind it
  std::string header;
  std::vector<std::byte> payload;
  Share share;          // of the budget, for the payload
  std::string unfit{};  // why parts of it were thrown away; empty: it is whole
};

class ZmtpReader {
 public:
  // `budget`: for payloads of all connections together.
  explicit ZmtpReader(Budget& budget);

  // Reads what came. An error ends the connection: the sentence says what the peer did.
  Status take(std::span<const std::byte> bytes);

  // How many bytes to read next: of a long frame many, else few, so that few messages are held.
  size_t wanted() const;
  bool is_ready() const { return stage_ == Stage::messages; }
  // How many messages have come whole; to tell whether it is still the same one that is being read.
  uint64_t ended() const { return ended_; }
  bool is_in_message() const { return message_.has_value() || !held_.empty() || left_ > 0; }
  bool has_message() const { return !whole_.empty(); }
  std::optional<ZmtpMessage> next();
  // What the protocol itself has to say: the greeting, before anything has come, as libzmq says
  // only ten bytes before it; READY; PONG.
  std::string answers();

 private:
  enum class Stage : uint8_t { greeting, ready, messages };

  Status take_greeting();
  Status take_frame_head();
  Status take_body(std::span<const std::byte>& bytes);
  void begin_body(uint64_t size);
  void keep(std::span<const std::byte> part);
  Status end_frame();
  Status end_command();

  Budget& budget_;
  Stage stage_ = Stage::greeting;
  std::string held_;  // of a greeting or a frame's head, until it is whole
  std::string answers_;

  bool in_body_ = false, is_command_ = false, has_more_ = false;
  uint64_t left_ = 0;  // bytes of the frame's body that have not come
  std::string command_;
  std::optional<ZmtpMessage> message_;  // that is being read
  uint64_t message_bytes_ = 0;
  std::deque<ZmtpMessage> whole_;
  uint64_t ended_ = 0;
};

// The bytes of a message on the wire.
std::string zmtp_message(std::span<const std::string_view> frames);

}  // namespace shingle::serve
