#include "apps/system/suggest.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace shingle;

namespace {

// The definition, word by word, without the table.
size_t slow_distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const size_t last = a.back() == b.back() ? 0 : 1;
  size_t best = slow_distance(a.substr(0, a.size() - 1), b.substr(0, b.size() - 1)) + last;
  best = std::min(best, slow_distance(a.substr(0, a.size() - 1), b) + 1);
  best = std::min(best, slow_distance(a, b.substr(0, b.size() - 1)) + 1);
  const bool swapped =
      a.size() > 1 && b.size() > 1 && a.back() == b[b.size() - 2] && b.back() == a[a.size() - 2];
  if (swapped)
    best = std::min(best, slow_distance(a.substr(0, a.size() - 2), b.substr(0, b.size() - 2)) + 1);
  return best;
}

}  // namespace

TEST_CASE("the edit distance is that of its definition") {
  const std::vector<std::string> words{"", "run", "rnu", "plan", "paln", "model", "nodel", "nod"};
  for (const std::string& a : words)
    for (const std::string& b : words) CHECK(edit_distance(a, b) == slow_distance(a, b));
}

TEST_CASE("a mistyped verb finds the nearest, a foreign word finds none") {
  const std::vector<std::string> verbs{"node", "run", "plan", "model"};
  CHECK(nearest("rnu", verbs) == "run");
  CHECK(nearest("modle", verbs) == "model");
  CHECK(nearest("plans", verbs) == "plan");
  CHECK(nearest("frobnicate", verbs) == std::nullopt);
}
