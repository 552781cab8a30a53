// Answer: what a node says when an owner offers it a plan.
#pragma once

#include <string>

#include "partition/base/time.hpp"

namespace shingle {

struct Answer {
  enum class Kind : uint8_t {
    none,         // nothing yet
    ready,        // frames may open on it
    refused,      // it was never ready, and gave a reason
    lost,         // the session with it ended
    unreachable,  // it holds the plan, but lost another home of it
    unfit,        // it was ready and has failed since
    full,         // it has no room for one more plan just now, or packs its weights again
    hung,         // it holds the plan; it will say when its executor works again
    distrusted,   // it computed wrongly; this never changes
  };
  Kind kind = Kind::none;
  std::string why;  // one sentence, if it is not ready or has been silent for too long
  Time since{};     // of the kind
  // It was ready at some time, or counts so: what is wrong now is a fault of the node, not a
  // mistake in the plan. False only of `none`, `refused` and `lost`.
  bool was_ready = false;
  bool is_by_hash = false;  // none: it was offered without its text, which the node may lack
  bool gave_up = false;     // full: it was ready, and gave the plan up for another
};

}  // namespace shingle
