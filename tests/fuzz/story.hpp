// Story: makes the events of a node from a fuzzer's bytes. Most numbers are one byte, so a changed
// byte changes one number, and a story with a byte less has a step less. After the last byte all
// numbers are 0.
#pragma once

#include <utility>

#include "runtime/protocol/event.hpp"
#include "tests/fuzz/target.hpp"

namespace shingle::fuzz {

class Story {
 public:
  Story(Bytes bytes, const LoadedPlan& plan) : rest_(bytes), plan_(plan) {}

  bool over() const { return rest_.empty(); }
  uint32_t number(uint32_t most);  // 0 to `most`, which is below 256
  bool one_in(uint32_t count) { return number(255) % count == count - 1; }
  Bytes frame();  // the next two bytes are its length

  // Their numbers are near valid ones; few are far from them.
  Message message(uint32_t from);
  std::pair<uint32_t, Piece> likely_piece();  // the sender that the plan expects, and the strip
  Envelope envelope(uint32_t from);
  int64_t payload(const Message& message);

 private:
  uint64_t wild();  // any number
  uint32_t strip() { return number(static_cast<uint32_t>(plan_.routes.strips.size())); }
  FrameKey key(uint32_t from);
  TileId tile();
  PlanHash hash();
  Hello hello();
  Piece piece(uint32_t from);
  Done done(uint32_t from);
  FrameOpen open(uint32_t from);
  StealReply reply(uint32_t from);
  Assign assign(uint32_t from);

  Bytes rest_;
  const LoadedPlan& plan_;
};

}  // namespace shingle::fuzz
