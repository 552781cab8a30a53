// One pack() per message, in the order of transport/codec/wire.fbs.
#include <algorithm>

#include "transport/codec/codec.hpp"
#include "wire_generated.h"

namespace shingle {

namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

wire::FrameKey pack(const FrameKey& key) {
  return {key.owner.value, key.attempt, key.life, key.frame};
}
wire::Hash pack(const Hash& hash) { return wire::Hash(hash.bytes); }
wire::Envelope pack(const Envelope& envelope) {
  return {envelope.from.value,          envelope.ready_tiles, envelope.running_tiles,
          envelope.picoseconds_per_mac, envelope.life,        envelope.closed_below,
          envelope.pasted_bytes};
}
int64_t pack(Duration duration) {
  return std::clamp(duration, -WireLimits::duration, WireLimits::duration).count();
}
Offset<flatbuffers::String> line(FlatBufferBuilder& builder, const std::string& text) {
  return builder.CreateString(text.data(), std::min(text.size(), WireLimits::line_bytes));
}

std::vector<uint32_t> numbers(const std::vector<NodeId>& ids) {
  std::vector<uint32_t> values;
  for (const NodeId id : ids) values.push_back(id.value);
  return values;
}

auto pack(FlatBufferBuilder& builder, const Greeting& greeting) {
  const auto name = line(builder, greeting.name);
  const auto members = builder.CreateVector(numbers(greeting.members));
  const auto about = builder.CreateString(greeting.about);
  return wire::CreateGreeting(builder, greeting.version, greeting.session, greeting.node.value,
                              name, members, about);
}
auto pack(FlatBufferBuilder& builder, const Refusal& refusal) {
  const auto why = line(builder, refusal.why);
  return wire::CreateRefusal(builder, why);
}
auto pack(FlatBufferBuilder& builder, const Hello& hello) {
  const auto name = line(builder, hello.name);
  const auto arithmetic_class = line(builder, hello.arithmetic_class);
  return wire::CreateHello(builder, hello.version, hello.life, hello.session, hello.answers,
                           hello.credit_bytes, name, arithmetic_class, hello.compute_slots);
}
auto pack(FlatBufferBuilder& builder, const PlanOffer& offer) {
  const auto text = builder.CreateString(offer.text.str());
  const wire::Hash plan = pack(offer.plan), model = pack(offer.model);
  return wire::CreatePlanOffer(builder, &plan, &model, text);
}
auto pack(FlatBufferBuilder& builder, const PlanReady& answer) {
  const auto why_not = line(builder, answer.why_not);
  const wire::Hash plan = pack(answer.plan);
  const flatbuffers::Optional<uint32_t> lost =
      answer.lost ? flatbuffers::Optional<uint32_t>(answer.lost->value) : flatbuffers::nullopt;
  return wire::CreatePlanReady(builder, &plan, answer.ready, why_not, lost, answer.again,
                               answer.hangs, answer.damaged);
}
auto pack(FlatBufferBuilder& builder, const FrameOpen& open) {
  const wire::FrameKey key = pack(open.key);
  const wire::Hash plan = pack(open.plan);
  std::vector<wire::TileAudit> audits;
  for (const TileAudit& audit : open.audits)
    audits.emplace_back(audit.tile.value, audit.auditor.value);
  const auto packed_audits = builder.CreateVectorOfStructs(audits);
  const auto excluded = builder.CreateVector(numbers(open.excluded));
  return wire::CreateFrameOpen(builder, &key, &plan, pack(open.time_left), packed_audits, excluded);
}
auto pack(FlatBufferBuilder& builder, const Grant& grant) {
  const wire::FrameKey key = pack(grant.key);
  return wire::CreateGrant(builder, &key);
}
auto pack(FlatBufferBuilder& builder, const FrameClosed& closed) {
  const wire::FrameKey key = pack(closed.key);
  return wire::CreateFrameClosed(builder, &key, closed.aborted);
}
wire::Role pack(Piece::Role role) {
  switch (role) {
    case Piece::Role::promised:
      return wire::Role::promised;
    case Piece::Role::lent_input:
      return wire::Role::lent_input;
    case Piece::Role::lent_output:
      return wire::Role::lent_output;
    case Piece::Role::audit_input:
      return wire::Role::audit_input;
  }
  return wire::Role::promised;
}
auto pack(FlatBufferBuilder& builder, const Piece& piece) {
  const wire::FrameKey key = pack(piece.key);
  return wire::CreatePiece(builder, &key, piece.plan, pack(piece.role), piece.tile.value,
                           piece.attempt, piece.index);
}
wire::TileContent pack(const TileContent& content) { return {content.windows, content.outputs}; }
auto pack(FlatBufferBuilder& builder, const Done& done) {
  const wire::FrameKey key = pack(done.key);
  const wire::TileContent content = pack(done.content);
  return wire::CreateDone(builder, &key, done.tile.value, done.computed_by.value, done.attempt,
                          pack(done.compute_time), &content);
}
wire::FailureKind pack(Failed::Kind kind) {
  switch (kind) {
    case Failed::Kind::at_home:
      return wire::FailureKind::at_home;
    case Failed::Kind::given_back:
      return wire::FailureKind::given_back;
    case Failed::Kind::voided:
      return wire::FailureKind::voided;
  }
  return wire::FailureKind::at_home;
}
auto pack(FlatBufferBuilder& builder, const Failed& failed) {
  const auto why = line(builder, failed.why);
  const wire::FrameKey key = pack(failed.key);
  return wire::CreateFailed(builder, pack(failed.kind), &key, failed.tile.value, failed.attempt,
                            why);
}
auto pack(FlatBufferBuilder& builder, const StealRequest& request) {
  const auto plans = builder.CreateVector(request.plans);
  return wire::CreateStealRequest(builder, plans);
}
auto pack(FlatBufferBuilder& builder, const Assign& assign) {
  const wire::FrameKey key = pack(assign.key);
  const wire::Hash plan = pack(assign.plan);
  return wire::CreateAssign(builder, &key, &plan, assign.tile.value, assign.attempt,
                            assign.audited);
}
auto pack(FlatBufferBuilder& builder, const StealReply& reply) {
  if (!reply.lent) return wire::CreateStealReply(builder);
  const auto lent = pack(builder, *reply.lent);
  return wire::CreateStealReply(builder, lent);
}
auto pack(FlatBufferBuilder& builder, const Beat&) { return wire::CreateBeat(builder); }
auto pack(FlatBufferBuilder& builder, const AuditRequest& audit_request) {
  const auto tile = pack(builder, audit_request.assign);
  return wire::CreateAuditRequest(builder, tile);
}
auto pack(FlatBufferBuilder& builder, const AuditResult& result) {
  const wire::FrameKey key = pack(result.key);
  const wire::Hash plan = pack(result.plan);
  const wire::TileContent content = pack(result.content.value_or(TileContent{}));
  return wire::CreateAuditResult(builder, &key, &plan, result.tile.value, result.attempt,
                                 result.content ? &content : nullptr);
}

}  // namespace

struct Encoder::Builder {
  FlatBufferBuilder bytes;
};

Encoder::Encoder() : builder_(std::make_unique<Builder>()) {}
Encoder::~Encoder() = default;

template <class Content>
std::span<const std::byte> Encoder::finish(const Envelope& envelope, const Content& content) {
  FlatBufferBuilder& builder = builder_->bytes;
  builder.Clear();
  const auto body = pack(builder, content);
  constexpr auto type = []<class Table>(const Offset<Table>&) {
    return wire::BodyTraits<Table>::enum_value;
  };
  const wire::Envelope packed = pack(envelope);
  wire::FinishHeaderBuffer(builder, wire::CreateHeader(builder, &packed, type(body), body.Union()));
  return {reinterpret_cast<const std::byte*>(builder.GetBufferPointer()), builder.GetSize()};
}

std::span<const std::byte> Encoder::encode(const Envelope& envelope, const Message& message) {
  return std::visit([&](const auto& content) { return finish(envelope, content); }, message);
}
std::span<const std::byte> Encoder::encode(const Envelope& envelope, const Greeting& greeting) {
  return finish(envelope, greeting);
}
std::span<const std::byte> Encoder::encode(const Envelope& envelope, const Refusal& refusal) {
  return finish(envelope, refusal);
}

}  // namespace shingle
