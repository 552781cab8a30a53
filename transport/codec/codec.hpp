// Codec: header frames. A header frame is a FlatBuffer of transport/codec/wire.fbs that holds an
// Envelope and one message: a message of the nodes (runtime/protocol/message.hpp) or one of the
// connection itself (Greeting, Refusal). docs/understand/wire.md draws the layouts.
//
// What arrives may be anything: decode() checks every offset, enum, count and length, allocates no
// more than the frame holds, and returns one sentence if something is wrong.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "partition/base/result.hpp"
#include "runtime/protocol/message.hpp"

namespace shingle {

// The first message on a connection, both ways.
struct Greeting {
  uint32_t version = protocol_version;
  // Drawn by each process at its start: tells a reconnect from a second process of the same id.
  uint64_t session = 0;
  NodeId node;
  std::string name;
  std::vector<NodeId> members;  // ascending, the greeter included
  std::string about{};          // what it says about itself, for the planner; not read here
};

// The last message on a connection that one side refuses, with the reason for people.
struct Refusal {
  std::string why;
};

struct Packet {
  Envelope envelope;
  std::variant<Message, Greeting, Refusal> content;
};

struct WireLimits {
  static constexpr size_t plan_text_bytes = 16 << 20;  // the limit of parse_plan
  static constexpr size_t header_bytes = plan_text_bytes + 4096;
  static constexpr size_t payload_bytes = 1 << 20;  // pieces are at most max_strip_bytes
  static constexpr size_t about_bytes = 32 << 10;   // of a greeting
  static constexpr size_t line_bytes = 1024;  // names and sentences; longer ones are cut short
  static constexpr size_t members = 1024;
  static constexpr size_t audits = 2 * 4096;  // two for each tile of a plan
  // Durations beyond this (31 years) would overflow sums of times.
  static constexpr Duration duration{1'000'000'000'000'000'000};
};

class Encoder {
 public:
  Encoder();
  ~Encoder();
  // The header frame, valid until the next call.
  std::span<const std::byte> encode(const Envelope& envelope, const Message& message);
  std::span<const std::byte> encode(const Envelope& envelope, const Greeting& greeting);
  std::span<const std::byte> encode(const Envelope& envelope, const Refusal& refusal);

 private:
  struct Builder;
  template <class Content>
  std::span<const std::byte> finish(const Envelope& envelope, const Content& content);
  std::unique_ptr<Builder> builder_;
};

class Decoder {
 public:
  // `payload_bytes`: of the frame that follows; 0 if none does. `frame` may lie at any address.
  Result<Packet> decode(std::span<const std::byte> frame, size_t payload_bytes);

 private:
  std::vector<uint64_t> aligned_;
};

}  // namespace shingle
