#include "tests/transport/messages.hpp"

#include <cassert>

namespace shingle::testing {

using networks::Random;

namespace {

uint32_t number(Random& random) { return static_cast<uint32_t>(random.next()); }

Hash hash(Random& random) {
  Hash out;
  for (uint8_t& byte : out.bytes) byte = static_cast<uint8_t>(random.next());
  return out;
}

std::string text(Random& random) {
  std::string out(static_cast<size_t>(random.between(0, 200)), ' ');
  for (char& letter : out) letter = static_cast<char>(random.between(' ', '~'));
  return out;
}

FrameKey key(Random& random) {
  return {.owner = {number(random)},
          .life = random.next(),
          .frame = random.next(),
          .attempt = number(random)};
}

Duration duration(Random& random) {
  const auto bits = static_cast<int64_t>(random.next());
  return Duration(bits % 1'000'000'000'000'000'000);
}

Assign assign(Random& random) {
  return {.key = key(random),
          .plan = hash(random),
          .tile = {number(random)},
          .attempt = number(random),
          .audited = number(random) % 2 == 1};
}

Message make(Random& random, Hello) {
  return Hello{.version = number(random),
               .life = random.next(),
               .session = number(random),
               .answers = number(random),
               .credit_bytes = static_cast<int64_t>(random.next() >> 1),
               .name = text(random),
               .arithmetic_class = text(random),
               .compute_slots = number(random)};
}
Message make(Random& random, PlanOffer) {
  return PlanOffer{.plan = hash(random), .model = hash(random), .text = text(random) + "\n\n"};
}
Message make(Random& random, PlanReady) {
  return PlanReady{.plan = hash(random),
                   .ready = random.chance(0.5),
                   .why_not = text(random),
                   .lost = random.chance(0.5) ? std::optional(NodeId{7}) : std::nullopt,
                   .again = random.chance(0.5),
                   .hangs = random.chance(0.5),
                   .damaged = random.chance(0.5)};
}
Message make(Random& random, FrameOpen) {
  FrameOpen open{.key = key(random), .plan = hash(random), .time_left = duration(random)};
  for (int32_t i = random.between(0, 3); i > 0; --i)
    open.audits.push_back({{number(random)}, {number(random)}});
  for (int32_t i = random.between(0, 3); i > 0; --i)
    open.excluded.push_back({open.excluded.empty() ? 1 : open.excluded.back().value + 1});
  return open;
}
Message make(Random& random, Grant) { return Grant{key(random)}; }
Message make(Random& random, FrameClosed) {
  return FrameClosed{.key = key(random), .aborted = random.chance(0.5)};
}
Message make(Random& random, Piece) {
  return Piece{.key = key(random),
               .plan = random.next(),
               .role = static_cast<Piece::Role>(random.between(0, 3)),
               .tile = {number(random)},
               .attempt = number(random),
               .index = number(random)};
}
Message make(Random& random, Done) {
  return Done{.key = key(random),
              .tile = {number(random)},
              .computed_by = {number(random)},
              .attempt = number(random),
              .compute_time = duration(random),
              .content = {random.next(), random.next()}};
}
Message make(Random& random, Failed) {
  return Failed{.kind = static_cast<Failed::Kind>(random.between(0, 2)),
                .key = key(random),
                .tile = {number(random)},
                .attempt = number(random),
                .why = text(random)};
}
Message make(Random& random, StealRequest) {
  StealRequest request;
  const int32_t count = random.between(0, static_cast<int32_t>(max_plans));
  for (int32_t i = 0; i < count; ++i) request.plans.push_back(random.next());
  return request;
}
Message make(Random& random, StealReply) {
  if (random.chance(0.3)) return StealReply{};
  return StealReply{assign(random)};
}
Message make(Random&, Beat) { return Beat{}; }
Message make(Random& random, AuditRequest) { return AuditRequest{assign(random)}; }
Message make(Random& random, AuditResult) {
  return AuditResult{.key = key(random),
                     .plan = hash(random),
                     .tile = {number(random)},
                     .attempt = number(random),
                     .content = random.chance(0.5)
                                    ? std::optional(TileContent{random.next(), random.next()})
                                    : std::nullopt};
}

template <size_t index = 0>
Message make_kind(Random& random, size_t kind) {
  if constexpr (index < std::variant_size_v<Message>) {
    if (kind == index) return make(random, std::variant_alternative_t<index, Message>{});
    return make_kind<index + 1>(random, kind);
  }
  assert(false);
  return Beat{};
}

bool same_fields(const Hello& a, const Hello& b) {
  const auto& [a1, a2, a3, a4, a5, a6, a7, a8] = a;
  const auto& [b1, b2, b3, b4, b5, b6, b7, b8] = b;
  return std::tie(a1, a2, a3, a4, a5, a6, a7, a8) == std::tie(b1, b2, b3, b4, b5, b6, b7, b8);
}
bool same_fields(const PlanOffer& a, const PlanOffer& b) {
  const auto& [a1, a2, a3] = a;
  const auto& [b1, b2, b3] = b;
  return std::tie(a1, a2, a3) == std::tie(b1, b2, b3);
}
bool same_fields(const PlanReady& a, const PlanReady& b) {
  const auto& [a1, a2, a3, a4, a5, a6, a7] = a;
  const auto& [b1, b2, b3, b4, b5, b6, b7] = b;
  return std::tie(a1, a2, a3, a4, a5, a6, a7) == std::tie(b1, b2, b3, b4, b5, b6, b7);
}
bool same_fields(const FrameOpen& a, const FrameOpen& b) {
  const auto& [a1, a2, a3, a4, a5] = a;
  const auto& [b1, b2, b3, b4, b5] = b;
  return std::tie(a1, a2, a3, a4, a5) == std::tie(b1, b2, b3, b4, b5);
}
bool same_fields(const Grant& a, const Grant& b) {
  const auto& [a1] = a;
  const auto& [b1] = b;
  return a1 == b1;
}
bool same_fields(const FrameClosed& a, const FrameClosed& b) {
  const auto& [a1, a2] = a;
  const auto& [b1, b2] = b;
  return std::tie(a1, a2) == std::tie(b1, b2);
}
bool same_fields(const Piece& a, const Piece& b) {
  const auto& [a1, a2, a3, a4, a5, a6] = a;
  const auto& [b1, b2, b3, b4, b5, b6] = b;
  return std::tie(a1, a2, a3, a4, a5, a6) == std::tie(b1, b2, b3, b4, b5, b6);
}
bool same_fields(const Done& a, const Done& b) {
  const auto& [a1, a2, a3, a4, a5, a6] = a;
  const auto& [b1, b2, b3, b4, b5, b6] = b;
  return std::tie(a1, a2, a3, a4, a5, a6) == std::tie(b1, b2, b3, b4, b5, b6);
}
bool same_fields(const Failed& a, const Failed& b) {
  const auto& [a1, a2, a3, a4, a5] = a;
  const auto& [b1, b2, b3, b4, b5] = b;
  return std::tie(a1, a2, a3, a4, a5) == std::tie(b1, b2, b3, b4, b5);
}
bool same_fields(const StealRequest& a, const StealRequest& b) {
  const auto& [a1] = a;
  const auto& [b1] = b;
  return a1 == b1;
}
bool same_fields(const Assign& a, const Assign& b) {
  const auto& [a1, a2, a3, a4, a5] = a;
  const auto& [b1, b2, b3, b4, b5] = b;
  return std::tie(a1, a2, a3, a4, a5) == std::tie(b1, b2, b3, b4, b5);
}
bool same_fields(const StealReply& a, const StealReply& b) {
  const auto& [a1] = a;
  const auto& [b1] = b;
  if (!a1 || !b1) return !a1 && !b1;
  return same_fields(*a1, *b1);
}
bool same_fields(const Beat&, const Beat&) { return true; }
bool same_fields(const AuditRequest& a, const AuditRequest& b) {
  return same_fields(a.assign, b.assign);
}
bool same_fields(const AuditResult& a, const AuditResult& b) {
  const auto& [a1, a2, a3, a4, a5] = a;
  const auto& [b1, b2, b3, b4, b5] = b;
  return std::tie(a1, a2, a3, a4, a5) == std::tie(b1, b2, b3, b4, b5);
}

}  // namespace

Message random_message(Random& random, size_t kind) { return make_kind(random, kind); }

Envelope random_envelope(Random& random) {
  return {.from = {number(random)},
          .life = random.next(),
          .ready_tiles = number(random),
          .running_tiles = number(random),
          .closed_below = random.next(),
          .pasted_bytes = random.next(),
          .picoseconds_per_mac = number(random)};
}

bool same(const Envelope& a, const Envelope& b) {
  const auto& [a1, a2, a3, a4, a5, a6, a7] = a;
  const auto& [b1, b2, b3, b4, b5, b6, b7] = b;
  return std::tie(a1, a2, a3, a4, a5, a6, a7) == std::tie(b1, b2, b3, b4, b5, b6, b7);
}

bool same(const Message& a, const Message& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&b](const auto& left) {
        return same_fields(left, std::get<std::decay_t<decltype(left)>>(b));
      },
      a);
}

}  // namespace shingle::testing
