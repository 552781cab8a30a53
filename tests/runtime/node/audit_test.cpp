#include "runtime/node/audit.hpp"

#include <doctest/doctest.h>

#include "runtime/driver/canvas.hpp"
#include "runtime/driver/content_hash.hpp"

namespace shingle {
namespace {

constexpr NodeId home{1}, auditor{2}, third{3};

// From windows 1.
TileClaim claim(NodeId node, uint64_t outputs) { return {node, {1, outputs}}; }

TEST_CASE("two claims that differ decide nothing, a third one does") {
  std::vector<TileClaim> claims{claim(home, 7), claim(auditor, 8)};
  CHECK_FALSE(agreed(claims, 1).has_value());
  CHECK(contradicting(claims).empty());
  claims.push_back(claim(third, 8));
  CHECK(agreed(claims, 1) == 8);
  CHECK(contradicting(claims) == std::vector<NodeId>{home});
}

TEST_CASE("who contradicts itself is found by one other") {
  const std::vector<TileClaim> claims{claim(home, 7), claim(auditor, 8), claim(home, 8),
                                      claim(auditor, 8)};
  CHECK(agreed(claims, 1) == 8);
  CHECK(contradicting(claims) == std::vector<NodeId>{home});
}

TEST_CASE("one node cannot agree with itself, and halves decide nothing") {
  CHECK_FALSE(agreed({claim(home, 7), claim(home, 7), claim(auditor, 8)}, 1).has_value());
  CHECK_FALSE(
      agreed({claim(home, 7), claim(auditor, 7), claim(third, 8), claim({4}, 8)}, 1).has_value());
  CHECK_FALSE(agreed({}, 1).has_value());
}

TEST_CASE("claims of other windows neither support nor contradict") {
  std::vector<TileClaim> claims{{home, {2, 7}}, {auditor, {2, 8}}, {home, {1, 9}}, {third, {1, 9}}};
  CHECK(agreed(claims, 1) == 9);
  CHECK_FALSE(agreed(claims, 2).has_value());
  CHECK(contradicting(claims).empty());
  claims.push_back({third, {2, 7}});
  CHECK(contradicting(claims) == std::vector<NodeId>{auditor});
}

TEST_CASE("a content hash depends on the slice's elements and on nothing else of its canvas") {
  const auto hash_in = [](const Region& canvas, float at_slice, float elsewhere) {
    const Slice slice{TensorId{0}, {{2, 4}, {1, 3}, {0, 2}}};
    std::vector<float> elements(static_cast<size_t>(canvas.elements()), elsewhere);
    std::vector<float> inside(static_cast<size_t>(slice.region.elements()), 1.0F);
    inside[5] = at_slice;
    const TensorView view{reinterpret_cast<std::byte*>(elements.data()), canvas, ElementType::f32};
    copy_region({reinterpret_cast<const std::byte*>(inside.data()), slice.region, ElementType::f32},
                view, slice.region);
    const ConstTensorView read_only = as_const(view);
    return content_hash(std::span(&read_only, 1), std::span(&slice, 1));
  };
  const Region small{{2, 4}, {1, 3}, {0, 2}}, large{{0, 8}, {0, 8}, {0, 2}};
  CHECK(hash_in(small, 3.0F, 0.0F) == hash_in(large, 3.0F, 9.0F));
  CHECK(hash_in(small, 3.0F, 0.0F) != hash_in(small, 3.0000002F, 0.0F));
}

}  // namespace
}  // namespace shingle
