#include "runtime/message.hpp"

#include <array>

namespace shingle {

const char* name_of(const Message& message) {
  static constexpr std::array<const char*, std::variant_size_v<Message>> names{
      "Hello", "PlanOffer", "PlanReady",    "FrameOpen",  "Grant", "FrameClosed", "Piece",
      "Done",  "Failed",    "StealRequest", "StealReply", "Beat",  "Recheck",     "Witness"};
  return names[message.index()];
}

}  // namespace shingle
