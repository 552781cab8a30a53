// What is left out when pictures come faster than they are computed: values in, values out.
//
//   level   0        1 ..         then          last
//           all      fewer        rarer road    of the pictures that wait only
//                    slices       masks         the newest
//
// A picture that a newer one has overtaken before it was begun, or that the source dropped, says
// that the cluster is too slow; the level rises with the second such picture, but not within half a
// second of its last change, in which those that waited are done. It falls by one after a calm
// time. That time doubles, up to half a minute, whenever the level has to rise again soon after a
// fall.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace shingle::drone {

struct ShedLevel {
  double slice_share = 1.0;  // of a full cover's slices, at most; 1: as many as are needed
  uint64_t mask_factor = 1;  // road masks are so many times rarer
  bool newest_only = false;
  friend bool operator==(const ShedLevel&, const ShedLevel&) = default;
};

// What may be left out beside pictures.
struct ShedChoices {
  bool slices = false, masks = false;
};

// Of a picture when it is its turn.
struct ShedLoad {
  bool is_overtaken = false;  // a newer one waits already
  bool lost_some = false;     // the source dropped pictures since the one before
};

class ShedControl {
 public:
  explicit ShedControl(const ShedChoices& choices);

  // REQUIRES: times (seconds, of any clock) do not go back.
  void see(double seconds, const ShedLoad& load);

  const ShedLevel& level() const { return levels_[at_]; }
  size_t number() const { return at_; }  // 0: nothing is left out
  size_t last() const { return levels_.size() - 1; }

 private:
  std::vector<ShedLevel> levels_;
  size_t at_ = 0;
  double changed_ = -1e9;         // when the level did
  size_t overtaken_ = 0;          // pictures since the level changed
  double calm_since_ = 0.0;       // the last picture that was overtaken
  double calm_seconds_;           // after which the level falls
  std::optional<double> fell_{};  // when the level fell; none: it rose since
};

}  // namespace shingle::drone
