#include <doctest/doctest.h>

#include <sstream>

#include "runtime/protocol/trace.hpp"

namespace shingle {
namespace {

TraceEvent computed_event() {
  TraceEvent event;
  event.at = Time{} + std::chrono::microseconds(12'345);
  event.length = std::chrono::microseconds(1'250);
  event.kind = TraceEvent::Kind::computed;
  event.node = NodeId{1};
  event.key = {NodeId{0}, 1, 3};
  event.tile = TileId{5};
  return event;
}

TEST_CASE("a trace event reads as one line") {
  CHECK(line_of(computed_event()) ==
        "    12.345 ms  node 1  computed frame 0:3 tile 5 in 1.250 ms");
}

TEST_CASE("a message's event says its frame and bytes") {
  Piece piece;
  piece.key = {NodeId{0}, 1, 3};
  TraceEvent event = trace_of_message(TraceEvent::Kind::sent, piece, 640);
  event.peer = NodeId{2};
  CHECK(line_of(event) == "     0.000 ms  node 0  sends Piece frame 0:3 of 640 bytes to node 2");
}

TEST_CASE("two traces have one hash only if they are the same") {
  TraceHash a, b, c;
  TraceEvent later = computed_event();
  later.at += std::chrono::nanoseconds(1);
  a.add(computed_event());
  b.add(computed_event());
  c.add(later);
  CHECK(a.value() == b.value());
  CHECK(a.value() != c.value());
}

}  // namespace
}  // namespace shingle
