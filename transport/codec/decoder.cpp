// One unpack() per message, in the order of transport/codec/wire.fbs. The verifier checks that
// offsets stay inside the frame; the values of fields are checked here.
#include <algorithm>
#include <cstring>

#include "partition/base/text.hpp"
#include "transport/codec/codec.hpp"
#include "wire_generated.h"

namespace shingle {

namespace {

// Reads fields and remembers the first wrong one.
class Fields {
 public:
  // An error if a field was not as it must be.
  Status check() const { return fault_.empty() ? success() : Error{"a message with " + fault_}; }

  void require(bool holds, const char* otherwise) {
    if (!holds && fault_.empty()) fault_ = otherwise;
  }

  FrameKey key(const wire::FrameKey* in) {
    require(in != nullptr, "no frame key");
    if (in == nullptr) return {};
    return {
        .owner = {in->owner()}, .life = in->life(), .frame = in->frame(), .attempt = in->attempt()};
  }

  Hash hash(const wire::Hash* in) {
    require(in != nullptr, "no hash where one must be");
    Hash out;
    if (in != nullptr) std::memcpy(out.bytes.data(), in->bytes()->data(), out.bytes.size());
    return out;
  }

  Duration duration(int64_t nanoseconds) {
    const Duration out(nanoseconds);
    require(out >= -WireLimits::duration && out <= WireLimits::duration,
            "a duration of more than 31 years");
    return out;
  }

  std::string text(const flatbuffers::String* in, size_t most) {
    if (in == nullptr) return {};
    require(in->size() <= most, "a text that is too long");
    return in->size() <= most ? in->str() : std::string();
  }

  // A text that people will see on a terminal: control characters are replaced.
  std::string line(const flatbuffers::String* in) {
    return readable(text(in, WireLimits::line_bytes), WireLimits::line_bytes);
  }

  std::vector<NodeId> members(const flatbuffers::Vector<uint32_t>* in) {
    std::vector<NodeId> out;
    require(in != nullptr && in->size() <= WireLimits::members, "no members, or too many");
    if (in == nullptr || !fault_.empty()) return out;
    for (const uint32_t id : *in) out.push_back({id});
    require(std::ranges::is_sorted(out, std::ranges::less_equal{}) &&
                std::ranges::adjacent_find(out) == out.end(),
            "members that are not ascending");
    return out;
  }

  std::vector<NodeId> some_members(const flatbuffers::Vector<uint32_t>* in) {
    return in == nullptr || in->size() == 0 ? std::vector<NodeId>{} : members(in);
  }

  std::vector<TileAudit> audits(const flatbuffers::Vector<const wire::TileAudit*>* in) {
    if (in == nullptr) return {};
    require(in->size() <= WireLimits::audits, "more audits than a frame may have");
    if (in->size() > WireLimits::audits) return {};
    std::vector<TileAudit> out;
    for (const wire::TileAudit* audit : *in) out.push_back({{audit->tile()}, {audit->auditor()}});
    return out;
  }

  std::optional<TileContent> content(const wire::TileContent* in) {
    if (in == nullptr) return {};
    return TileContent{in->windows(), in->outputs()};
  }

  Assign assign(const wire::Assign& in) {
    return {.key = key(in.key()),
            .plan = hash(in.plan()),
            .tile = {in.tile()},
            .attempt = in.attempt(),
            .audited = in.audited()};
  }

  std::vector<uint64_t> plans(const flatbuffers::Vector<uint64_t>* in) {
    if (in == nullptr) return {};
    require(in->size() <= max_plans, "more plans than a node keeps");
    if (in->size() > max_plans) return {};
    std::vector<uint64_t> out;
    for (uint32_t i = 0; i < in->size(); ++i) {  // elements may lie at any address
      uint64_t plan = 0;
      std::memcpy(&plan, in->Data() + i * sizeof plan, sizeof plan);
      out.push_back(flatbuffers::EndianScalar(plan));
    }
    return out;
  }

  Piece::Role role(wire::Role in) {
    switch (in) {
      case wire::Role::promised:
        return Piece::Role::promised;
      case wire::Role::lent_input:
        return Piece::Role::lent_input;
      case wire::Role::lent_output:
        return Piece::Role::lent_output;
      case wire::Role::audit_input:
        return Piece::Role::audit_input;
    }
    require(false, "an unknown role");
    return Piece::Role::promised;
  }

  Failed::Kind failure(wire::FailureKind in) {
    switch (in) {
      case wire::FailureKind::at_home:
        return Failed::Kind::at_home;
      case wire::FailureKind::given_back:
        return Failed::Kind::given_back;
      case wire::FailureKind::voided:
        return Failed::Kind::voided;
    }
    require(false, "an unknown kind of failure");
    return Failed::Kind::at_home;
  }

 private:
  std::string fault_;
};

Greeting unpack(Fields& fields, const wire::Greeting& in) {
  return {.version = in.version(),
          .session = in.session(),
          .node = {in.node()},
          .name = fields.line(in.name()),
          .members = fields.members(in.members()),
          .about = fields.text(in.about(), WireLimits::about_bytes)};
}
Refusal unpack(Fields& fields, const wire::Refusal& in) { return {fields.line(in.why())}; }
Hello unpack(Fields& fields, const wire::Hello& in) {
  fields.require(in.credit_bytes() >= 0, "a negative credit");
  return {.version = in.version(),
          .life = in.life(),
          .session = in.session(),
          .answers = in.answers(),
          .credit_bytes = in.credit_bytes(),
          .name = fields.line(in.name()),
          .arithmetic_class = fields.line(in.arithmetic_class()),
          .compute_slots = in.compute_slots()};
}
PlanOffer unpack(Fields& fields, const wire::PlanOffer& in) {
  return {.plan = fields.hash(in.plan()),
          .model = fields.hash(in.model()),
          .text = fields.text(in.text(), WireLimits::plan_text_bytes)};
}
PlanReady unpack(Fields& fields, const wire::PlanReady& in) {
  const auto lost = in.lost();
  return {.plan = fields.hash(in.plan()),
          .ready = in.ready(),
          .why_not = fields.line(in.why_not()),
          .lost = lost.has_value() ? std::optional(NodeId{*lost}) : std::nullopt,
          .again = in.again(),
          .hangs = in.hangs(),
          .damaged = in.damaged()};
}
FrameOpen unpack(Fields& fields, const wire::FrameOpen& in) {
  return {.key = fields.key(in.key()),
          .plan = fields.hash(in.plan()),
          .time_left = fields.duration(in.time_left_ns()),
          .audits = fields.audits(in.audits()),
          .excluded = fields.some_members(in.excluded())};
}
Grant unpack(Fields& fields, const wire::Grant& in) { return {fields.key(in.key())}; }
FrameClosed unpack(Fields& fields, const wire::FrameClosed& in) {
  return {.key = fields.key(in.key()), .aborted = in.aborted()};
}
Piece unpack(Fields& fields, const wire::Piece& in) {
  return {.key = fields.key(in.key()),
          .plan = in.plan(),
          .role = fields.role(in.role()),
          .tile = {in.tile()},
          .attempt = in.attempt(),
          .index = in.index()};
}
Done unpack(Fields& fields, const wire::Done& in) {
  return {.key = fields.key(in.key()),
          .tile = {in.tile()},
          .computed_by = {in.computed_by()},
          .attempt = in.attempt(),
          .compute_time = fields.duration(in.compute_time_ns()),
          .content = fields.content(in.content()).value_or(TileContent{})};
}
Failed unpack(Fields& fields, const wire::Failed& in) {
  return {.kind = fields.failure(in.kind()),
          .key = fields.key(in.key()),
          .tile = {in.tile()},
          .attempt = in.attempt(),
          .why = fields.line(in.why())};
}
StealRequest unpack(Fields& fields, const wire::StealRequest& in) {
  return {fields.plans(in.plans())};
}
StealReply unpack(Fields& fields, const wire::StealReply& in) {
  if (in.lent() == nullptr) return {};
  return {fields.assign(*in.lent())};
}
AuditRequest unpack(Fields& fields, const wire::AuditRequest& in) {
  fields.require(in.tile() != nullptr, "no tile where one must be");
  return in.tile() == nullptr ? AuditRequest{} : AuditRequest{fields.assign(*in.tile())};
}
AuditResult unpack(Fields& fields, const wire::AuditResult& in) {
  return {.key = fields.key(in.key()),
          .plan = fields.hash(in.plan()),
          .tile = {in.tile()},
          .attempt = in.attempt(),
          .content = fields.content(in.content())};
}

using Content = decltype(Packet::content);

Content unpack(Fields& fields, const wire::Header& in) {
  switch (in.body_type()) {
    case wire::Body::Greeting:
      return unpack(fields, *in.body_as_Greeting());
    case wire::Body::Refusal:
      return unpack(fields, *in.body_as_Refusal());
    case wire::Body::Hello:
      return unpack(fields, *in.body_as_Hello());
    case wire::Body::PlanOffer:
      return unpack(fields, *in.body_as_PlanOffer());
    case wire::Body::PlanReady:
      return unpack(fields, *in.body_as_PlanReady());
    case wire::Body::FrameOpen:
      return unpack(fields, *in.body_as_FrameOpen());
    case wire::Body::Grant:
      return unpack(fields, *in.body_as_Grant());
    case wire::Body::FrameClosed:
      return unpack(fields, *in.body_as_FrameClosed());
    case wire::Body::Piece:
      return unpack(fields, *in.body_as_Piece());
    case wire::Body::Done:
      return unpack(fields, *in.body_as_Done());
    case wire::Body::Failed:
      return unpack(fields, *in.body_as_Failed());
    case wire::Body::StealRequest:
      return unpack(fields, *in.body_as_StealRequest());
    case wire::Body::StealReply:
      return unpack(fields, *in.body_as_StealReply());
    case wire::Body::Beat:
      return Beat{};
    case wire::Body::AuditRequest:
      return unpack(fields, *in.body_as_AuditRequest());
    case wire::Body::AuditResult:
      return unpack(fields, *in.body_as_AuditResult());
    case wire::Body::NONE:
      break;
  }
  fields.require(false, "an unknown kind of message");
  return Beat{};
}

Envelope unpack(const wire::Envelope& in) {
  return {.from = {in.from()},
          .life = in.life(),
          .ready_tiles = in.ready_tiles(),
          .running_tiles = in.running_tiles(),
          .closed_below = in.closed_below(),
          .pasted_bytes = in.pasted_bytes(),
          .picoseconds_per_mac = in.picoseconds_per_mac()};
}

bool is_piece(const Content& content) {
  const Message* message = std::get_if<Message>(&content);
  return message != nullptr && std::holds_alternative<Piece>(*message);
}

// The deepest message is Header > StealReply > Assign.
flatbuffers::Verifier::Options strict() {
  flatbuffers::Verifier::Options options;
  options.max_depth = 4;
  options.max_tables = 4;
  return options;
}

}  // namespace

Result<Packet> Decoder::decode(std::span<const std::byte> frame, size_t payload_bytes) {
  if (frame.size() < 8 || frame.size() > WireLimits::header_bytes)
    return Error{"a header frame of " + std::to_string(frame.size()) + " bytes"};
  aligned_.resize((frame.size() + 7) / 8);
  std::memcpy(aligned_.data(), frame.data(), frame.size());
  const auto* bytes = reinterpret_cast<const uint8_t*>(aligned_.data());
  if (!wire::HeaderBufferHasIdentifier(bytes)) return Error{"bytes that are not a shingle header"};
  flatbuffers::Verifier verifier(bytes, frame.size(), strict());
  if (!wire::VerifyHeaderBuffer(verifier)) return Error{"a header whose offsets lead astray"};

  const wire::Header& header = *wire::GetHeader(bytes);
  if (header.envelope() == nullptr) return Error{"a header without an envelope"};
  if (header.body() == nullptr) return Error{"a header without a message"};
  Fields fields;
  Packet packet{.envelope = unpack(*header.envelope()), .content = unpack(fields, header)};
  fields.require(payload_bytes <= WireLimits::payload_bytes, "a payload that is too large");
  fields.require(is_piece(packet.content) ? payload_bytes > 0 : payload_bytes == 0,
                 "a payload that does not belong to it, or none where one must be");
  if (const Status sound = fields.check(); !sound) return sound.failure();
  return packet;
}

}  // namespace shingle
