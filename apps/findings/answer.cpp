#include "apps/findings/answer.hpp"

#include <algorithm>
#include <cmath>

#include "devices/measure/layer_check.hpp"

namespace shingle {
namespace {

constexpr float least_overlap = 0.5F;
constexpr double most_apart = 0.01;

bool alike(const Detection& a, const Detection& b) {
  return b.class_id == a.class_id && intersection_over_union(a.box, b.box) >= least_overlap;
}
bool alike(const Instance& a, const Instance& b) { return alike(a.detection, b.detection); }
bool alike(const BodyPose& a, const BodyPose& b) { return alike(a.detection, b.detection); }
bool alike(const TurnedBox& a, const TurnedBox& b) {
  return b.class_id == a.class_id && probabilistic_overlap(a, b) >= least_overlap;
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  std::vector<bool> taken(b.size(), false);
  return std::ranges::all_of(a, [&](const T& one) {
    for (size_t i = 0; i < b.size(); ++i) {
      if (taken[i] || !alike(one, b[i])) continue;
      return taken[i] = true, true;
    }
    return false;
  });
}

bool same(const Classification& a, const Classification& b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty();
  return a.front().class_id == b.front().class_id;
}

bool same(const ClassMap& a, const ClassMap& b) {
  if (a.width != b.width || a.height != b.height) return false;
  int64_t other = 0;
  for (size_t i = 0; i < a.classes.size(); ++i) other += a.classes[i] != b.classes[i] ? 1 : 0;
  return static_cast<double>(other) <= most_apart * static_cast<double>(a.classes.size());
}

bool same(const Unread&, const Unread&) { return true; }

bool same(const ReadText& a, const ReadText& b) { return a.classes == b.classes; }

// Values are 1 % of their size apart (rms) at most.
bool same(const Features& a, const Features& b) {
  return a.values.size() == b.values.size() && difference(b.values, a.values).rms <= most_apart;
}

bool same(const ValueMap& a, const ValueMap& b) {
  const auto seen = [](const ValueMap& map) {
    std::vector<float> values = map.values;
    std::erase_if(values, [](float value) { return !std::isfinite(value); });
    return values;
  };
  return a.width == b.width && a.height == b.height && same(Features{seen(a)}, Features{seen(b)});
}

bool same(const NewPicture& a, const NewPicture& b) {
  const auto numbers = [](const Bitmap& image) {
    return std::vector<float>(image.bytes.begin(), image.bytes.end());
  };
  return a.image.size == b.image.size && a.image.channels == b.image.channels &&
         same(Features{numbers(a.image)}, Features{numbers(b.image)});
}

size_t place_of_largest(const std::vector<float>& values) {
  return static_cast<size_t>(std::ranges::max_element(values) - values.begin());
}

}  // namespace

bool same_answer(const Finding& a, const Finding& b) {
  return std::visit(
      [&](const auto& of_a) {
        const auto* of_b = std::get_if<std::decay_t<decltype(of_a)>>(&b);
        return of_b != nullptr && same(of_a, *of_b);
      },
      a);
}

bool same_values(std::span<const std::vector<float>> a, std::span<const std::vector<float>> b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (place_of_largest(a[i]) != place_of_largest(b[i]) ||
        !(difference(b[i], a[i]).rms <= most_apart))
      return false;
  return a.size() == b.size();
}

}  // namespace shingle
