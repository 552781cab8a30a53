// The check of histories finds each kind of broken rule.
#include <doctest/doctest.h>

#include "sim/history.hpp"

namespace shingle::sim {
namespace {

using Kind = FrameEvent::Kind;

FrameEvent event(Kind kind, uint64_t frame, uint64_t life = 1) {
  return {{}, kind, {NodeId{0}, life, frame}};
}

TEST_CASE("frames that meet one fate each, in order, make a good history") {
  CHECK(defects({event(Kind::captured, 1), event(Kind::captured, 2), event(Kind::captured, 3),
                 event(Kind::delivered, 1), event(Kind::dropped, 3), event(Kind::aborted, 2)})
            .empty());
}

TEST_CASE("a frame of a dead owner needs no fate, one of the living does") {
  CHECK(defects({event(Kind::captured, 1), event(Kind::owner_died, 0)}).empty());
  CHECK(defects(
            {event(Kind::captured, 1), event(Kind::owner_died, 0), event(Kind::captured, 1, 2)}) ==
        std::vector<std::string>{"frame 0:1 of life 2 was lost: nobody knows what became of it"});
}

TEST_CASE("two fates, a wrong order, an unknown frame and a speaking dead are found") {
  const FrameEvent captured = event(Kind::captured, 1), delivered = event(Kind::delivered, 1);
  CHECK(defects({captured, delivered, delivered}).size() == 2);  // and out of order
  CHECK(defects({captured, delivered, event(Kind::aborted, 1)}).size() == 1);
  CHECK(
      defects({captured, event(Kind::captured, 2), event(Kind::delivered, 2), delivered}).size() ==
      1);
  CHECK(defects({delivered}).size() == 1);
  CHECK(defects({captured, captured, delivered}).size() == 1);
  CHECK(defects({captured, event(Kind::owner_died, 0), delivered}).size() == 1);
}

}  // namespace
}  // namespace shingle::sim
