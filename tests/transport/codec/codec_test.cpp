#include "transport/codec/codec.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>

#include "tests/transport/messages.hpp"

namespace shingle {
namespace {

using networks::Random;
using testing::random_envelope;
using testing::random_message;
using testing::same;

constexpr size_t kinds = std::variant_size_v<Message>;

size_t payload_of(const Message& message) { return std::holds_alternative<Piece>(message) ? 1 : 0; }

// A frame as it may lie in memory: at any address, with nothing readable after it, so that
// AddressSanitizer finds a read beyond its end.
class Received {
 public:
  Received(std::span<const std::byte> frame, size_t misalignment)
      : misalignment_(misalignment), bytes_(frame.size() + misalignment) {
    std::ranges::copy(frame, bytes_.begin() + static_cast<std::ptrdiff_t>(misalignment));
    bytes_.shrink_to_fit();
  }
  std::span<std::byte> frame() { return std::span(bytes_).subspan(misalignment_); }

 private:
  size_t misalignment_;
  std::vector<std::byte> bytes_;
};

TEST_CASE("every message comes out of the codec as it went in") {
  const uint64_t seed = 20240601;
  CAPTURE(seed);
  Random random(seed);
  Encoder encoder;
  Decoder decoder;
  for (int round = 0; round < 200; ++round) {
    for (size_t kind = 0; kind < kinds; ++kind) {
      const Envelope envelope = random_envelope(random);
      const Message message = random_message(random, kind);
      CAPTURE(name_of(message));
      Received received(encoder.encode(envelope, message), static_cast<size_t>(round % 8));
      const Result<Packet> packet = decoder.decode(received.frame(), payload_of(message));
      REQUIRE(packet.ok());
      CHECK(same(packet->envelope, envelope));
      REQUIRE(std::holds_alternative<Message>(packet->content));
      CHECK(same(std::get<Message>(packet->content), message));
    }
  }
}

TEST_CASE("greetings and refusals come out of the codec as they went in") {
  Encoder encoder;
  Decoder decoder;
  const Greeting greeting{.version = 7,
                          .session = 0x123456789abcdef0,
                          .node = {3},
                          .name = "kitchen",
                          .members = {{1}, {3}, {1000}},
                          .about = "{\"gflops\": 8.0}\n"};
  const Result<Packet> greeted = decoder.decode(encoder.encode(Envelope{}, greeting), 0);
  REQUIRE(greeted.ok());
  const auto& out = std::get<Greeting>(greeted->content);
  CHECK(out.version == 7);
  CHECK(out.session == greeting.session);
  CHECK(out.node == greeting.node);
  CHECK(out.name == "kitchen");
  CHECK(out.members == greeting.members);
  CHECK(out.about == greeting.about);
  Greeting wordy = greeting;
  wordy.about.assign(WireLimits::about_bytes + 1, 'x');
  CHECK_FALSE(decoder.decode(encoder.encode(Envelope{}, wordy), 0).ok());

  const Result<Packet> refused = decoder.decode(encoder.encode(Envelope{}, Refusal{"no"}), 0);
  REQUIRE(refused.ok());
  CHECK(std::get<Refusal>(refused->content).why == "no");
}

TEST_CASE("control characters are taken out of texts for people") {
  Encoder encoder;
  Decoder decoder;
  const Message message = Failed{
      .kind = Failed::Kind::voided, .key = {}, .tile = {}, .attempt = 0, .why = "a\x1b[2Jb\nc"};
  const Result<Packet> packet = decoder.decode(encoder.encode({}, message), 0);
  REQUIRE(packet.ok());
  CHECK(std::get<Failed>(std::get<Message>(packet->content)).why == "a?[2Jb?c");

  // Beyond ASCII: U+009B begins the same sequences, and bytes that are no UTF-8 would end a JSON.
  const Message beyond =
      PlanReady{.plan = {}, .ready = false, .why_not = "\xc2\x9b[2J \xff gr\xc3\xbc\xc3\x9f"};
  const Result<Packet> second = decoder.decode(encoder.encode({}, beyond), 0);
  REQUIRE(second.ok());
  CHECK(std::get<PlanReady>(std::get<Message>(second->content)).why_not ==
        "??[2J ? gr\xc3\xbc\xc3\x9f");
}

TEST_CASE("a long sentence is cut short by its sender, a long plan is refused by its receiver") {
  Encoder encoder;
  Decoder decoder;
  const Message chatty = PlanReady{.plan = {}, .ready = false, .why_not = std::string(5000, 'x')};
  const Result<Packet> cut = decoder.decode(encoder.encode({}, chatty), 0);
  REQUIRE(cut.ok());
  CHECK(std::get<PlanReady>(std::get<Message>(cut->content)).why_not.size() ==
        WireLimits::line_bytes);

  const auto offer = [](size_t bytes) {
    return Message(PlanOffer{.plan = {}, .model = {}, .text = std::string(bytes, 'x')});
  };
  CHECK(decoder.decode(encoder.encode({}, offer(WireLimits::plan_text_bytes)), 0).ok());
  CHECK_FALSE(decoder.decode(encoder.encode({}, offer(WireLimits::plan_text_bytes + 1)), 0).ok());
}

TEST_CASE("durations that would overflow a sum of times are refused, or cut by an honest sender") {
  Encoder encoder;
  Decoder decoder;
  const Message forever = FrameOpen{.key = {}, .plan = {}, .time_left = Duration::max()};
  const Result<Packet> packet = decoder.decode(encoder.encode({}, forever), 0);
  REQUIRE(packet.ok());
  CHECK(std::get<FrameOpen>(std::get<Message>(packet->content)).time_left == WireLimits::duration);
}

TEST_CASE("a payload must come with a piece, and with nothing else") {
  Encoder encoder;
  Decoder decoder;
  const auto ok = [&](const Message& message, size_t payload) {
    return decoder.decode(encoder.encode({}, message), payload).ok();
  };
  CHECK(ok(Piece{}, WireLimits::payload_bytes));
  CHECK_FALSE(ok(Piece{}, WireLimits::payload_bytes + 1));
  CHECK_FALSE(ok(Piece{}, 0));
  CHECK(ok(Beat{}, 0));
  CHECK_FALSE(ok(Beat{}, 1));
}

TEST_CASE("bytes that are no header are refused with a sentence") {
  Decoder decoder;
  const auto refusal = [&](const std::string& bytes) {
    return decoder.decode(std::as_bytes(std::span(bytes)), 0).error();
  };
  CHECK(refusal("") == "a header frame of 0 bytes");
  CHECK(refusal("GET / HTTP/1.1\r\n\r\n") == "bytes that are not a shingle header");
  CHECK(refusal(std::string("\xff\xff\xff\x7fSHGL", 8)) == "a header whose offsets lead astray");
}

TEST_CASE("an unknown role and too many plans are refused") {
  Encoder encoder;
  Decoder decoder;
  const Message piece = Piece{.key = {},
                              .plan = 0,
                              .role = Piece::Role::lent_output,
                              .tile = {},
                              .attempt = 0,
                              .index = 0x5a5a5a5a};
  Received received(encoder.encode({}, piece), 0);
  // Changes each byte that has the role's value: one of them is the role.
  int refused_as_role = 0;
  for (std::byte& byte : received.frame()) {
    if (byte != std::byte{2}) continue;
    byte = std::byte{4};
    const Result<Packet> packet = decoder.decode(received.frame(), 1);
    if (!packet && packet.error() == "a message with an unknown role") ++refused_as_role;
    byte = std::byte{2};
  }
  CHECK(refused_as_role == 1);

  const Message greedy = StealRequest{std::vector<uint64_t>(max_plans + 1, 1)};
  CHECK_FALSE(decoder.decode(encoder.encode({}, greedy), 0).ok());
}

TEST_CASE("no truncation of any message is taken for a message") {
  const uint64_t seed = 77;
  CAPTURE(seed);
  Random random(seed);
  Encoder encoder;
  Decoder decoder;
  for (size_t kind = 0; kind < kinds; ++kind) {
    const Message message = random_message(random, kind);
    Received whole(encoder.encode(random_envelope(random), message), 0);
    for (size_t length = 0; length < whole.frame().size(); ++length) {
      Received cut(whole.frame().first(length), length % 8);
      const Result<Packet> packet = decoder.decode(cut.frame(), payload_of(message));
      // Strings end the buffer with padding that nothing needs.
      if (packet) CHECK(length + 8 > whole.frame().size());
    }
  }
}

// Flips, overwrites and exchanges bytes. Wrong offsets are the most dangerous, so small and huge
// numbers are drawn more often.
void corrupt(std::span<std::byte> frame, Random& random) {
  const int32_t last = static_cast<int32_t>(frame.size()) - 1;
  for (int32_t hits = random.between(1, 6); hits > 0; --hits) {
    const auto at = static_cast<size_t>(random.between(0, last));
    switch (random.between(0, 3)) {
      case 0:
        frame[at] ^= static_cast<std::byte>(1 << random.between(0, 7));
        break;
      case 1:
        frame[at] = static_cast<std::byte>(random.next());
        break;
      case 2:
        frame[at] = random.chance(0.5) ? std::byte{0xff} : std::byte{0};
        break;
      default: {
        const uint32_t word = random.chance(0.5) ? 0x7fffffffU : static_cast<uint32_t>(-8);
        const size_t room = std::min(frame.size() - at, sizeof word);
        std::memcpy(frame.data() + at, &word, room);
      }
    }
  }
}

TEST_CASE("no corruption of any message crashes the decoder or yields what cannot be encoded") {
  const uint64_t seed = 4711;
  CAPTURE(seed);
  Random random(seed);
  Encoder encoder, again;
  Decoder decoder;
  int understood = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    for (size_t kind = 0; kind < kinds; ++kind) {
      const Message message = random_message(random, kind);
      Received received(encoder.encode(random_envelope(random), message),
                        static_cast<size_t>(random.between(0, 7)));
      corrupt(received.frame(), random);
      const Result<Packet> packet = decoder.decode(received.frame(), payload_of(message));
      packet ? ++understood : ++refused;
      if (!packet) {
        CHECK_FALSE(packet.error().empty());
        continue;
      }
      // A message that was accepted can be encoded again.
      if (const auto* content = std::get_if<Message>(&packet->content)) {
        const Result<Packet> back = decoder.decode(again.encode(packet->envelope, *content),
                                                   std::holds_alternative<Piece>(*content) ? 1 : 0);
        REQUIRE(back.ok());
        CHECK(same(std::get<Message>(back->content), *content));
      }
    }
  }
  CHECK(understood > 1000);  // most bytes are part of numbers, and any number is valid
  CHECK(refused > 1000);
}

TEST_CASE("random bytes behind the right identifier crash nothing") {
  const uint64_t seed = 99;
  CAPTURE(seed);
  Random random(seed);
  Decoder decoder;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> bytes(static_cast<size_t>(random.between(8, 160)));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
    const auto root = static_cast<uint32_t>(random.between(0, 40));
    std::memcpy(bytes.data(), &root, sizeof root);
    std::memcpy(bytes.data() + 4, "SHGL", 4);
    Received received(bytes, static_cast<size_t>(round % 8));
    (void)decoder.decode(received.frame(), 0).ok();
  }
}

}  // namespace
}  // namespace shingle
