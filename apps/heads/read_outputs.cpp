// From what a network says of its input to what that means for the picture.
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "apps/findings/suppression.hpp"
#include "apps/heads/new_picture.hpp"
#include "apps/heads/reading.hpp"

namespace shingle {
namespace {

constexpr size_t most_objects = 300;  // with more than a box; Ultralytics' own limit

bool are_finite(std::initializer_list<float> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](float n) { return std::isfinite(n); });
}

const Detection& facts_of(const Detection& detection) { return detection; }
const Detection& facts_of(const MaskedDetection& masked) { return masked.detection; }
const Detection& facts_of(const BodyPose& pose) { return pose.detection; }
const TurnedBox& facts_of(const TurnedBox& box) { return box; }

bool is_finite(const Detection& of) {
  return are_finite({of.box.x, of.box.y, of.box.w, of.box.h, of.score});
}
bool is_finite(const TurnedBox& of) {
  return are_finite({of.x, of.y, of.w, of.h, of.angle, of.score});
}

float overlap_of(const Detection& a, const Detection& b) {
  return intersection_over_union(a.box, b.box);
}
float overlap_of(const TurnedBox& a, const TurnedBox& b) { return probabilistic_overlap(a, b); }

// What is left of a box may be nothing (it lay in the border of a letterbox), or no number (it was
// so large that its edges are infinite).
bool is_seen(const Detection& of, PixelSize) {
  return is_finite(of) && of.box.w > 0.0F && of.box.h > 0.0F;
}
bool is_seen(const TurnedBox& of, PixelSize picture) {
  return is_finite(of) && of.w > 0.0F && of.h > 0.0F && of.x >= 0.0F && of.y >= 0.0F &&
         of.x <= static_cast<float>(picture.width) && of.y <= static_cast<float>(picture.height);
}

struct Reader {
  const Reading& reading;
  const Thresholds& thresholds;
  Values outputs;
  PixelSize picture;

  Finding operator()(std::monostate) const { return Unread{}; }

  Finding operator()(DecodeBoxes decode) const {
    return settled(decode(reading.clues, outputs, thresholds.min_score), SIZE_MAX);
  }

  Finding operator()(DecodeMasks decode) const {
    MaskedDetections masked = decode(reading.clues, outputs, thresholds.min_score);
    Instances instances;
    for (const MaskedDetection& each : settled(std::move(masked.found), most_objects))
      instances.push_back(
          {each.detection, mask_in_picture(masked.prototypes, each.weights, each.detection.box,
                                           reading.clues.input, placement())});
    return instances;
  }

  Finding operator()(DecodePoses decode) const {
    return settled(decode(reading.clues, outputs, thresholds.min_score), most_objects);
  }

  Finding operator()(DecodeTurned decode) const {
    return settled(decode(reading.clues, outputs, thresholds.min_score), most_objects);
  }

  Finding operator()(DecodeMap decode) const {
    return in_picture(decode(reading.clues, outputs), reading.clues.input, placement(), picture);
  }

  Finding operator()(DecodeValues decode) const {
    return in_picture(decode(reading.clues, outputs), reading.clues.input, placement(), picture);
  }

  Finding operator()(DecodePicture decode) const {
    const Planes planes = decode(reading.clues, outputs);
    return NewPicture{new_picture(planes, reading.preparation, reading.clues.input, picture)};
  }

  Finding operator()(DecodeScores decode) const {
    return best_of(decode(reading.clues, outputs), thresholds.min_score);
  }

  Finding operator()(DecodeText decode) const { return decode(reading.clues, outputs); }

  Finding operator()(DecodeFeatures decode) const { return decode(reading.clues, outputs); }

  // Objects in the picture's pixels, best first, none twice.
  template <class T>
  std::vector<T> settled(std::vector<T> found, size_t most) const {
    const auto facts = [](const T& of) -> const auto& { return facts_of(of); };
    std::erase_if(found, [&](const T& of) { return !is_finite(facts(of)); });
    if (reading.head->is_final) {
      best_first(found, facts);
      found.resize(std::min(found.size(), most));
    } else {
      const auto overlap = [&](const T& a, const T& b) { return overlap_of(facts(a), facts(b)); };
      found = suppressed(std::move(found), thresholds.max_overlap, most, facts, overlap);
    }
    for (T& of : found) move(of);
    std::erase_if(found, [&](const T& of) { return !is_seen(facts(of), picture); });
    return found;
  }

  void move(Detection& of) const {
    if (!reading.head->in_picture) {
      of.box = in_picture(of.box, placement(), picture);
      return;
    }
    const Placement placed = placement();
    of.box.x -= static_cast<float>(placed.left / placed.scale_x);
    of.box.y -= static_cast<float>(placed.top / placed.scale_y);
    of.box = clipped(of.box, static_cast<float>(picture.width), static_cast<float>(picture.height));
  }
  void move(MaskedDetection& of) const { move(of.detection); }
  void move(BodyPose& of) const {
    const Placement placed = placement();
    move(of.detection);
    for (KeyPoint& point : of.points) {
      point.x = static_cast<float>((double{point.x} - placed.left) / placed.scale_x);
      point.y = static_cast<float>((double{point.y} - placed.top) / placed.scale_y);
      if (!(point.score > 0.0F) || !are_finite({point.x, point.y, point.score})) point = {};
    }
  }
  void move(TurnedBox& of) const { of = in_picture(of, placement()); }

  Placement placement() const {
    return place(reading.preparation.fit, picture, reading.clues.input);
  }
};

// 1xHxWxC as 1xCxHxW, of these dims.
std::vector<float> with_channels_first(const std::vector<float>& values,
                                       const std::vector<int64_t>& dims) {
  const auto channels = static_cast<size_t>(dims[1]), cells = values.size() / channels;
  std::vector<float> first(values.size());
  for (size_t cell = 0; cell < cells; ++cell)
    for (size_t c = 0; c < channels; ++c) first[c * cells + cell] = values[cell * channels + c];
  return first;
}

}  // namespace

Finding read(const Reading& reading, const Thresholds& thresholds, Values outputs,
             PixelSize picture) {
  const Clues& clues = reading.clues;
  if (clues.channels_last.empty())
    return std::visit(Reader{reading, thresholds, outputs, picture}, reading.head->decode);
  std::vector<std::vector<float>> turned(outputs.begin(), outputs.end());
  for (const size_t i : clues.channels_last)
    turned[i] = with_channels_first(turned[i], clues.outputs[i].dims);
  return std::visit(Reader{reading, thresholds, turned, picture}, reading.head->decode);
}

}  // namespace shingle
