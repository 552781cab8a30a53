#include "tests/fuzz/story.hpp"

#include <algorithm>

namespace shingle::fuzz {

uint32_t Story::number(uint32_t most) {
  if (rest_.empty()) return 0;
  const auto byte = std::to_integer<uint32_t>(rest_[0]);
  rest_ = rest_.subspan(1);
  return byte % (most + 1);
}

uint64_t Story::wild() {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value = value << 8 | number(255);
  return value;
}

Bytes Story::frame() {
  // Two statements, because the order of evaluation within a sum is not defined.
  const size_t low = number(255);
  const size_t high = number(255);
  const size_t size = std::min(low + 256 * high, rest_.size());
  const Bytes frame = rest_.first(size);
  rest_ = rest_.subspan(size);
  return frame;
}

FrameKey Story::key(uint32_t from) {
  const uint32_t choice = number(15);
  const uint32_t owner = choice < 6 ? from : choice < 12 ? 0 : number(3);
  const uint64_t life = one_in(64) ? number(3) : 1;
  return {.owner = {owner}, .life = life, .frame = one_in(64) ? wild() : number(3)};
}

TileId Story::tile() {
  if (one_in(32)) return {static_cast<uint32_t>(wild())};
  return {number(static_cast<uint32_t>(plan_.routes.waits_for.size()))};
}

PlanHash Story::hash() {
  PlanHash hash = plan_.hash;
  if (one_in(16)) hash.bytes[0] = static_cast<uint8_t>(number(20));
  return hash;
}

Hello Story::hello() {
  Hello hello;
  hello.life = number(3);
  hello.session = number(4);
  hello.answers = number(4);
  hello.credit_bytes = one_in(8) ? static_cast<int64_t>(wild()) : 1024 * number(8);
  hello.name = std::string(one_in(16) ? 300 : 3, 'x');
  hello.compute_slots = number(3);
  return hello;
}

Piece Story::piece(uint32_t from) {
  Piece piece;
  piece.key = key(from);
  piece.plan = one_in(16) ? wild() : prefix64(plan_.hash);
  piece.role = static_cast<Piece::Role>(number(3));
  piece.tile = tile();
  piece.attempt = number(2);
  piece.index = one_in(32) ? static_cast<uint32_t>(wild()) : strip();
  return piece;
}

Done Story::done(uint32_t from) {
  Done done;
  done.key = key(from);
  done.tile = tile();
  done.computed_by = {number(4)};
  done.attempt = number(2);
  done.compute_time = one_in(16) ? Duration(static_cast<int64_t>(wild()) / 16)
                                 : Duration(std::chrono::microseconds(number(255)));
  return done;
}

FrameOpen Story::open(uint32_t from) {
  FrameOpen open;
  open.key = key(from);
  open.plan = hash();
  open.time_left = Duration(static_cast<int64_t>(wild()) / 16);
  for (uint32_t count = number(2); count > 0; --count) {
    const TileId audited = tile();
    open.audits.push_back({audited, {number(4)}});
  }
  if (one_in(4)) open.excluded.push_back({number(4)});
  return open;
}

StealReply Story::reply(uint32_t from) {
  if (one_in(3)) return {};
  return {assign(from)};
}

Assign Story::assign(uint32_t from) {
  Assign assign;
  assign.key = key(from);
  assign.plan = hash();
  assign.tile = tile();
  const uint32_t choice = number(5);
  assign.attempt = choice % 3;
  assign.audited = choice > 2;
  return assign;
}

Message Story::message(uint32_t from) {
  switch (number(15)) {
    case 0:
      return hello();
    case 1:
      return PlanOffer{hash(), plan_.plan.model, one_in(2) ? "nonsense" : ""};
    case 2:
      return PlanReady{hash(), !one_in(8), "no"};
    case 3:
      return open(from);
    case 4:
      return Grant{key(from)};
    case 5:
      return FrameClosed{key(from), one_in(2)};
    case 6:
      return done(from);
    case 7: {
      const FrameKey frame = key(from);
      const TileId id = tile();
      const auto kind = static_cast<Failed::Kind>(number(2));
      return Failed{kind, frame, id, number(2), "no"};
    }
    case 8:
      return StealRequest{std::vector<uint64_t>(number(10), prefix64(plan_.hash))};
    case 9:
      return reply(from);
    case 10:
      return Beat{};
    case 11:
      return AuditRequest{assign(from)};
    case 12: {
      const FrameKey frame = key(from);
      const PlanHash plan = hash();
      const TileId id = tile();
      const uint32_t attempt = number(2), content = number(3);
      return AuditResult{
          frame, plan, id, attempt,
          content > 0 ? std::optional<TileContent>({content % 2, content}) : std::nullopt};
    }
    default:
      return piece(from);
  }
}

std::pair<uint32_t, Piece> Story::likely_piece() {
  const uint32_t index = strip() % static_cast<uint32_t>(plan_.routes.strips.size());
  const Strip& strip = plan_.routes.strips[index];
  const uint32_t owner = strip.destination ? number(3) : 0;
  const uint32_t from =
      strip.producer ? shingle::tile(plan_.plan, *strip.producer).home.value : owner;
  Piece piece;
  piece.key = {.owner = {owner}, .life = 1, .frame = number(2)};
  piece.plan = prefix64(plan_.hash);
  piece.index = index;
  return {from, piece};
}

Envelope Story::envelope(uint32_t from) {
  Envelope envelope;
  envelope.from = {from};
  envelope.life = 1;
  envelope.ready_tiles = number(5);
  envelope.picoseconds_per_mac = 16 * number(255);
  if (!one_in(16)) return envelope;
  envelope.life = number(3);
  envelope.ready_tiles = static_cast<uint32_t>(wild());
  envelope.closed_below = one_in(4) ? wild() : number(12);
  envelope.pasted_bytes = wild();
  envelope.picoseconds_per_mac = static_cast<uint32_t>(wild());
  return envelope;
}

int64_t Story::payload(const Message& message) {
  const auto* piece = std::get_if<Piece>(&message);
  if (piece == nullptr) return one_in(64) ? 5 : 0;
  if (piece->index < plan_.routes.strips.size() && !one_in(8))
    return plan_.routes.strips[piece->index].bytes;
  return 16 * number(255);
}

}  // namespace shingle::fuzz
