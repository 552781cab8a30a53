#include "apps/vision/answer.hpp"

#include <algorithm>

#include "devices/measure/layer_check.hpp"

namespace shingle {
namespace {

constexpr float least_overlap = 0.5F;
constexpr double most_apart = 0.01;

bool same(const Detections& a, const Detections& b) {
  if (a.size() != b.size()) return false;
  std::vector<bool> taken(b.size(), false);
  return std::ranges::all_of(a, [&](const Detection& one) {
    for (size_t i = 0; i < b.size(); ++i) {
      if (taken[i] || b[i].class_id != one.class_id ||
          !(intersection_over_union(one.box, b[i].box) >= least_overlap))
        continue;
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
