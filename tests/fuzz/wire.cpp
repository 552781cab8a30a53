// Fuzzes header frames: the first byte gives the size of the payload, the rest is the frame. A
// frame that decodes can be encoded again, and then decodes to the same.
#include "tests/fuzz/target.hpp"
#include "tests/transport/messages.hpp"
#include "transport/codec/codec.hpp"

namespace shingle::fuzz {
namespace {

size_t payload_of(std::byte choice) {
  constexpr size_t sizes[] = {0, 1, WireLimits::payload_bytes, WireLimits::payload_bytes + 1};
  return sizes[std::to_integer<size_t>(choice) % std::size(sizes)];
}

// The texts of a message that people will see.
void expect_texts(const Hello& hello) {
  expect_readable(hello.name);
  expect_readable(hello.arithmetic_class);
}
void expect_texts(const PlanReady& answer) { expect_readable(answer.why_not); }
void expect_texts(const Failed& failed) { expect_readable(failed.why); }
void expect_texts(const Greeting& greeting) { expect_readable(greeting.name); }
void expect_texts(const Refusal& refusal) { expect_readable(refusal.why); }
template <class Content>
void expect_texts(const Content&) {}
void expect_texts(const Message& message) {
  std::visit([](const auto& content) { expect_texts(content); }, message);
}

bool same(const Message& a, const Message& b) { return testing::same(a, b); }
bool same(const Greeting& a, const Greeting& b) {
  return a.version == b.version && a.session == b.session && a.node == b.node && a.name == b.name &&
         a.members == b.members && a.about == b.about;
}
bool same(const Refusal& a, const Refusal& b) { return a.why == b.why; }

bool same(const Packet& a, const Packet& b) {
  return testing::same(a.envelope, b.envelope) && a.content.index() == b.content.index() &&
         std::visit(
             [&b](const auto& left) {
               return same(left, std::get<std::decay_t<decltype(left)>>(b.content));
             },
             a.content);
}

}  // namespace

void wire(Bytes bytes) {
  if (bytes.empty()) return;
  static Decoder decoder;  // as in a node: one for all that arrives
  static Encoder encoder;
  const size_t payload = payload_of(bytes[0]);
  const Result<Packet> packet = decoder.decode(bytes.subspan(1), payload);
  if (!packet) return expect_sentence(packet.error());
  std::visit([](const auto& content) { expect_texts(content); }, packet->content);
  const auto frame =
      std::visit([&](const auto& content) { return encoder.encode(packet->envelope, content); },
                 packet->content);
  const Result<Packet> again = decoder.decode(frame, payload);
  expect(again.ok(), "what was decoded can be encoded and decoded again");
  expect(same(*packet, *again), "a message says the same after another passage");
}

}  // namespace shingle::fuzz
