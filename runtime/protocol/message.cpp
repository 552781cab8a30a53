#include "runtime/protocol/message.hpp"

#include <array>
#include <type_traits>

namespace shingle {

namespace {

template <class... Lists>
int64_t bytes_in(const Lists&... lists) {
  return (... + static_cast<int64_t>(lists.size() * sizeof(typename Lists::value_type)));
}

int64_t held(const Hello& hello) { return bytes_in(hello.name, hello.arithmetic_class); }
int64_t held(const PlanOffer& offer) { return bytes_in(offer.text.str()); }
int64_t held(const PlanReady& answer) { return bytes_in(answer.why_not); }
int64_t held(const FrameOpen& open) { return bytes_in(open.audits, open.excluded); }
int64_t held(const Failed& failed) { return bytes_in(failed.why); }
int64_t held(const StealRequest& request) { return bytes_in(request.plans); }
template <class Flat>
int64_t held(const Flat&) {
  static_assert(std::is_trivially_copyable_v<Flat>, "what has memory of its own stands above");
  return 0;
}

}  // namespace

int64_t held_bytes(const Message& message) {
  return std::visit([](const auto& each) { return held(each); }, message);
}

const char* name_of(const Message& message) {
  static constexpr std::array<const char*, std::variant_size_v<Message>> names{
      "Hello", "PlanOffer", "PlanReady",    "FrameOpen",  "Grant", "FrameClosed",  "Piece",
      "Done",  "Failed",    "StealRequest", "StealReply", "Beat",  "AuditRequest", "AuditResult"};
  return names[message.index()];
}

}  // namespace shingle
